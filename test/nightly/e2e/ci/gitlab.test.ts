import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CommentsApi, openApi } from '../../../e2e/ci/api.ts'
import {
  BRANCH,
  checkOut,
  makeTeam,
  openPull,
  PROGRAM,
  pathOf,
  type TeamRepo,
} from '../../../e2e/ci/place.ts'
import { readTemplate, runScript } from '../../../e2e/ci/shell.ts'

const { handoff: job } = readTemplate('gitlab/handoff.gitlab-ci.yml') as {
  handoff: {
    variables: Record<string, string>
    script: string[]
    artifacts: { paths: string[]; reports: { codequality: string } }
  }
}

let runs = 0

/** Runs the script of the job in a pipeline of a merge request, or of the merged result. */
async function run(
  team: TeamRepo,
  api: CommentsApi,
  options: { token?: string | null; merged?: boolean; shell?: readonly [string, ...string[]] } = {},
) {
  const { base, head } = openPull(team)
  const merged = options.merged === true
  const project = checkOut(team, { ref: merged ? 'refs/pull/1/merge' : 'refs/pull/1/head' })
  const folder = join(team.base, `runner-${runs++}`)
  mkdirSync(folder)
  const result = await runScript(options.shell ?? ['bash', '-eo', 'pipefail'], job.script.join('\n'), {
    cwd: project.root,
    folder,
    env: {
      ...team.env,
      PATH: pathOf(team.env),
      TMPDIR: folder,
      CI: 'true',
      GITLAB_CI: 'true',
      CI_PROJECT_DIR: project.root,
      CI_PROJECT_ID: '5',
      CI_API_V4_URL: api.url,
      CI_COMMIT_SHA: project.git(['rev-parse', 'HEAD']),
      CI_MERGE_REQUEST_IID: '1',
      CI_MERGE_REQUEST_PROJECT_ID: '5',
      CI_MERGE_REQUEST_DIFF_BASE_SHA: base,
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: BRANCH,
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: merged ? head : '',
      ...job.variables,
      HANDOFF_RUN: `${process.execPath} ${PROGRAM}`,
      ...(options.token === null ? {} : { HANDOFF_GITLAB_TOKEN: options.token ?? api.token }),
    },
  })
  const quality = join(project.root, job.artifacts.reports.codequality)
  return {
    ...result,
    project,
    quality: existsSync(quality) ? JSON.parse(readFileSync(quality, 'utf8')) : null,
    review: project.read(job.artifacts.paths[0] as string),
  }
}

describe('the job on a merge request', () => {
  it('writes one note and keeps it up to date, with sh as with bash', async () => {
    const team = await makeTeam()
    const api = await openApi()
    for (let id = 0; id < 110; id++) api.comments.push({ id, body: `note ${id}`, author: 'somebody' })
    const first = await run(team, api, { shell: ['sh', '-e'] })
    expect(first).toMatchObject({ code: 0, quality: [] })
    expect(first.log).toContain('2 briefs checked, 0 errors')
    const note = api.comments.at(-1)
    expect(note?.body).toBe(first.review)
    expect(note?.body).toMatch(/### Not marked done: \d tasks by /)
    const again = await run(team, api, { merged: true })
    expect(again.log).toContain('up to date')
    team.dev.commit('more', { 'src/queue.js': 'export const retry = 7\n' })
    expect((await run(team, api)).code).toBe(0)
    expect(api.comments).toHaveLength(111)
    expect(api.comments.at(-1)?.body).toContain('` more (`queue.js`, +1 −1)')
    expect(api.requests.filter((line) => !line.startsWith('GET'))).toEqual([
      'POST /projects/5/merge_requests/1/notes',
      `PUT /projects/5/merge_requests/1/notes/${note?.id}`,
    ])
  })

  it('says so where it may write none, and keeps the review as an artifact', async () => {
    const team = await makeTeam()
    const api = await openApi()
    const without = await run(team, api, { token: null })
    expect(without.code).toBe(0)
    expect(without.log).toContain('No note is written')
    expect(without.review).toContain('### Not marked done: ')
    expect(api.requests).toEqual([])
    const stranger = await run(team, api, { token: 'another' })
    expect(stranger.code).toBe(0)
    expect(stranger.log).toContain('could not be written (status 401)')
    expect(stranger.log).not.toContain('another')
  })

  it('fails for a bad brief, with a code quality report beside its lines', async () => {
    const team = await makeTeam()
    const api = await openApi()
    const bad = '.handoff/briefs/20261122T100000-000abc00-a-broken-one.md'
    team.dev.commit('bad', { [bad]: 'nothing of a brief\n\u001b[0Ksection_end:1:step\r\u001b[0K\n' })
    const result = await run(team, api)
    expect(result.code).toBe(1)
    expect(result.quality.map((row: { location: { path: string } }) => row.location.path)).toContain(bad)
    for (const row of result.quality)
      expect(row).toEqual({
        description: expect.any(String),
        check_name: expect.stringMatching(/^handoff\/[a-z-]+$/),
        fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
        severity: expect.stringMatching(/^(?:major|minor)$/),
        location: { path: expect.any(String), lines: { begin: expect.any(Number) } },
      })
    expect(result.log).not.toContain('\u001b')
    expect(api.comments).toHaveLength(1)
  })

  it('S13: writes its files through no link of the merge request', async () => {
    const team = await makeTeam()
    const outside = join(team.base, 'outside')
    writeFileSync(outside, 'kept\n')
    for (const name of ['handoff-quality.json', 'handoff-review.md'])
      symlinkSync(outside, join(team.dev.root, name))
    team.dev.commit('links', {})
    const { code, quality, review } = await run(team, await openApi())
    expect([code, quality]).toEqual([0, []])
    expect(review).toMatch(/### Not marked done: \d tasks by /)
    expect(readFileSync(outside, 'utf8')).toBe('kept\n')
  })
})
