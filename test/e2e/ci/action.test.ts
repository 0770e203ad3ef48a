import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, isNightly } from '../../sampled.ts'
import { openRegistry } from '../registry.ts'
import { type CommentsApi, openApi } from './api.ts'
import { BRANCH, checkOut, makeTeam, openPull, PROGRAM, pathOf, type TeamRepo } from './place.ts'
import { action, runAction } from './shell.ts'

let runs = 0

/** The pull request as it is now, and a checkout of it. */
const prepare = (team: TeamRepo, checkout?: Parameters<typeof checkOut>[1]) => ({
  ...openPull(team),
  workspace: checkOut(team, checkout),
})

/** Runs the action on the pull request of the team, in a checkout of its own. */
async function run(
  team: TeamRepo,
  api: CommentsApi,
  options: {
    action?: string
    inputs?: Record<string, string>
    token?: string
    checkout?: Parameters<typeof checkOut>[1]
    place?: ReturnType<typeof prepare>
  } = {},
) {
  const { base, head, workspace } = options.place ?? prepare(team, options.checkout)
  const folder = join(team.base, `runner-${runs++}`)
  mkdirSync(folder)
  const result = await runAction({
    folder,
    workspace: workspace.root,
    event: {
      name: 'pull_request',
      payload: {
        action: options.action ?? 'opened',
        number: 1,
        pull_request: { number: 1, base: { sha: base, ref: 'main' }, head: { sha: head, ref: BRANCH } },
      },
    },
    env: {
      ...team.env,
      PATH: pathOf(team.env),
      GITHUB_API_URL: api.url,
      GITHUB_TOKEN_OF_RUN: options.token ?? api.token,
    },
    inputs: { command: `${process.execPath} ${PROGRAM}`, ...options.inputs },
  })
  return { ...result, workspace }
}

describe('the action on a pull request', () => {
  it('writes one comment, and by night keeps it up to date over synchronize', async () => {
    const team = await makeTeam()
    const api = await openApi()
    // Enough others that ours stands on the second page.
    for (let id = 0; id < 130; id++) api.comments.push({ id, body: `comment ${id}`, author: 'somebody' })
    const opened = await run(team, api)
    expect(opened).toMatchObject({ code: 0, outputs: { briefs: '2', comment: 'created', sarif: '' } })
    expect(opened.annotations.filter(({ level }) => level === 'error')).toEqual([])
    const comment = api.comments.at(-1)
    expect(comment?.body).toMatch(/^<!-- git-handoff review -->\n### Not marked done: \d tasks by /)
    expect(comment?.body).toContain('(after the last brief): document the cap of the retry queue')
    // What the default branch has already is where the chain comes from, and no handoff of this one.
    expect(comment?.body).not.toContain('on `main`, ')
    expect(opened.summary).toContain('### Not marked done: ')

    if (!isNightly) return
    team.dev.commit('more', { 'src/queue.js': 'export const retry = 7\n' })
    const pushed = await run(team, api, { action: 'synchronize' })
    expect(pushed).toMatchObject({ code: 0, outputs: { comment: 'updated' } })
    expect(api.comments).toHaveLength(131)
    expect(api.comments.at(-1)?.body).toContain('After the last handoff: 1 commit: ')
    expect(api.requests.filter((line) => !line.startsWith('GET'))).toEqual([
      'POST /repos/org/repo/issues/1/comments',
      `PATCH /repos/org/repo/issues/comments/${comment?.id}`,
    ])
  })

  byNight('sees the same in a shallow checkout, whose history it fetches, as in a full one', async () => {
    const team = await makeTeam()
    // The default branch has moved on: what came there is no part of the pull request.
    team.dev.git(['switch', '-q', 'main'])
    team.dev.commit('elsewhere', { 'other.txt': 'x\n' })
    team.dev.git(['switch', '-q', BRANCH])
    const api = await openApi()
    const shallow = await run(team, api, { checkout: { depth: 1 } })
    expect(shallow).toMatchObject({ code: 0, outputs: { briefs: '2', comment: 'created' } })
    expect(shallow.annotations.map(({ level }) => level)).toContain('notice')
    const full = await run(team, api, { action: 'reopened' })
    expect(full.outputs.comment).toBe('unchanged')
    const head = await run(team, api, { checkout: { ref: 'refs/pull/1/head' } })
    expect(head).toMatchObject({ code: 0, outputs: { briefs: '2' } })
  })

  byNight('says what to do where the history cannot be fetched', async () => {
    const team = await makeTeam()
    const api = await openApi()
    const { base, head } = openPull(team)
    const workspace = checkOut(team, { depth: 1 })
    workspace.git(['remote', 'set-url', 'origin', join(team.base, 'gone.git')])
    const folder = join(team.base, 'runner')
    mkdirSync(folder)
    const result = await runAction({
      folder,
      workspace: workspace.root,
      event: {
        name: 'pull_request',
        payload: {
          pull_request: { number: 1, base: { sha: base, ref: 'main' }, head: { sha: head, ref: BRANCH } },
        },
      },
      env: { ...team.env, PATH: pathOf(team.env), GITHUB_API_URL: api.url, GITHUB_TOKEN_OF_RUN: api.token },
      inputs: { command: `${process.execPath} ${PROGRAM}` },
    })
    expect(result.code).toBe(2)
    expect(result.log).toContain('fetch-depth: 0')
    expect(result.annotations.map(({ level }) => level)).toEqual(['notice', 'warning', 'error', 'warning'])
    expect(api.requests).toEqual([])
  })

  byNight('falls back to the job summary where it may not write, as for a fork', async () => {
    const team = await makeTeam()
    const api = await openApi()
    api.refuse = 403
    const result = await run(team, api)
    expect(result).toMatchObject({ code: 0, outputs: { comment: 'denied' } })
    expect(result.summary).toContain('### Not marked done: ')
    expect(result.summary).toContain('has no permission to, as for a pull request from a fork')
    expect(result.annotations.at(-1)).toMatchObject({ level: 'notice' })
    const stranger = await run(team, api, { token: 'another' })
    expect(stranger).toMatchObject({ code: 0, outputs: { comment: 'denied' } })
    api.refuse = 502
    expect(await run(team, api)).toMatchObject({ code: 0, outputs: { comment: 'failed' } })
  })

  byNight('never writes over the comment of somebody else, however it begins', async () => {
    const team = await makeTeam()
    const api = await openApi()
    api.comments.push({ id: 3, body: '<!-- git-handoff review -->\nmine', author: 'somebody' })
    expect(await run(team, api)).toMatchObject({ outputs: { comment: 'created' } })
    expect(api.comments[0]?.body).toBe('<!-- git-handoff review -->\nmine')
  })

  byNight('fails for a bad brief, beside its lines, and still reviews; fail-on decides', async () => {
    const team = await makeTeam()
    const api = await openApi()
    const bad = '.handoff/briefs/20261122T100000-000abc00-a-broken-one.md'
    const hostile = '.handoff/briefs/x,line=1::\n::error file=forged::forged.md'
    team.dev.commit('bad', {
      [bad]: '---\nid: ::error::forged\n##[error]forged\n---\n::error::forged\n',
      [hostile]: '::error::forged\n::stop-commands::x\n',
    })
    const failed = await run(team, api, { inputs: { sarif: 'handoff.sarif' } })
    expect(failed.code).toBe(1)
    const errors = failed.annotations.filter(({ level }) => level === 'error')
    expect(errors.map(({ properties }) => properties.file)).toEqual(expect.arrayContaining([bad, hostile]))
    for (const { properties } of errors) expect([bad, hostile]).toContain(properties.file)
    expect(failed.outputs).toMatchObject({ comment: 'created', sarif: 'handoff.sarif' })
    const sarif = JSON.parse(readFileSync(join(failed.workspace.root, 'handoff.sarif'), 'utf8'))
    expect(sarif.runs[0].results.length).toBeGreaterThanOrEqual(errors.length)
    expect(api.comments[0]?.body).toContain('is no readable brief')
    expect(await run(team, api, { inputs: { 'fail-on': 'never' } })).toMatchObject({ code: 0 })
  })

  byNight('S13: writes the SARIF log through no link of the pull request', async () => {
    const team = await makeTeam()
    const api = await openApi()
    const outside = join(team.base, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'profile'), 'kept\n')
    symlinkSync(join(outside, 'profile'), join(team.dev.root, 'handoff.sarif'))
    symlinkSync(outside, join(team.dev.root, 'out'))
    team.dev.commit('links', { 'real/kept.txt': 'kept\n' })
    const first = await run(team, api, { inputs: { sarif: 'handoff.sarif' } })
    expect(first).toMatchObject({ code: 0, outputs: { sarif: 'handoff.sarif' } })
    expect(lstatSync(join(first.workspace.root, 'handoff.sarif')).isFile()).toBe(true)
    expect(JSON.parse(first.workspace.read('handoff.sarif')).version).toBe('2.1.0')
    const second = await run(team, api, { inputs: { sarif: 'out/profile' } })
    expect(second).toMatchObject({ code: 2, outputs: { sarif: '' } })
    expect(second.log).toContain('The SARIF log was not written')
    const third = await run(team, api, { inputs: { sarif: 'real/handoff.sarif' } })
    expect(JSON.parse(third.workspace.read('real/handoff.sarif')).version).toBe('2.1.0')
    expect(readdirSync(outside)).toEqual(['profile'])
    expect(readFileSync(join(outside, 'profile'), 'utf8')).toBe('kept\n')
  })

  byNight('writes no comment where nothing is handed over, and none when told so', async () => {
    const team = await makeTeam()
    const api = await openApi()
    expect(await run(team, api, { inputs: { comment: 'false' } })).toMatchObject({
      code: 0,
      outputs: { briefs: '2', comment: 'none' },
    })
    team.dev.git(['reset', '-q', '--hard', 'main'])
    team.dev.commit('nothing handed over', { 'b.txt': 'b\n' })
    const result = await run(team, api)
    expect(result).toMatchObject({ code: 0, outputs: { briefs: '0', comment: 'none' } })
    expect(result.summary).toContain('No handoff since `main`.')
    expect(api.comments).toEqual([])
  })
})

describe('the text of the action', () => {
  it('puts nothing into a script and hands the token to no program but curl', () => {
    for (const { run: script, env } of action.runs.steps) {
      expect(script).not.toMatch(/\$\{\{/)
      if (script.includes('[@]}" review')) expect(Object.values(env ?? {}).join()).not.toContain('token')
    }
    expect(JSON.stringify(action)).not.toContain('pull_request_target')
  })
})

describe('the package that CI runs', () => {
  const other = `sha512-${'A'.repeat(86)}==`
  const lock = (integrity: string): string =>
    JSON.stringify({ packages: { 'node_modules/git-handoff': { version: '0.9.0', integrity } } })

  it('S-4, TL-6: is not started where it has another digest than is named, or cannot be fetched', async () => {
    const { team, api, ran, fetched } = await withRegistry()
    const place = prepare(team)
    const refused = async (inputs: Record<string, string>, message: string) => {
      const result = await run(team, api, { inputs: { ...fetched, ...inputs }, place })
      expect(result).toMatchObject({
        code: 2,
        annotations: [{ level: 'error', message: expect.stringContaining(message) }],
      })
      expect(existsSync(ran)).toBe(false)
    }
    await refused({ digest: other }, 'Nothing of it was run')
    // Which is no finding in a brief.
    await refused({ version: '0.9.1', digest: '' }, 'git-handoff@0.9.1 could not be started')
  })

  byNight('S-4: has the digest that is named', async () => {
    const { team, api, ran, fetched, integrity } = await withRegistry()
    const named = await run(team, api, { inputs: { ...fetched, digest: integrity } })
    expect(named).toMatchObject({ code: 0, outputs: { briefs: '2' } })
    expect(existsSync(ran)).toBe(true)
  })

  byNight('S-4: is that of the lock file on the base branch, whatever the pull request says', async () => {
    const { team, api, ran, fetched, integrity } = await withRegistry()
    team.dev.git(['switch', '-q', 'main'])
    team.dev.commit('lock', { 'package-lock.json': lock(integrity) })
    team.dev.git(['switch', '-q', BRANCH])
    team.dev.git(['merge', '-q', '--no-edit', 'main'])
    team.dev.commit('hostile', { 'package-lock.json': lock(other) })
    const locked = await run(team, api, { inputs: { ...fetched, version: '0.0.1', digest: '' } })
    expect(locked).toMatchObject({ code: 0, outputs: { briefs: '2' } })
    expect(existsSync(ran)).toBe(true)
  })
})

/** A team whose npm asks a registry that has a package of our name; it leaves a trace at `ran` and calls the program. */
async function withRegistry() {
  const team = await makeTeam()
  const api = await openApi()
  const ran = join(team.base, 'ran')
  const { url, integrity } = await openRegistry(packOwn(team.base, ran), '0.9.0')
  const settings = `registry=${url}\naudit=false\nfund=false\nupdate-notifier=false\n`
  writeFileSync(join(team.env.HOME ?? '', '.npmrc'), settings)
  return { team, api, ran, integrity, fetched: { command: '', version: '0.9.0' } }
}

/** A package of our name that leaves a trace and calls the program. */
function packOwn(base: string, ran: string): string {
  const folder = join(base, 'own')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  const manifest = { name: 'git-handoff', version: '0.9.0', bin: { 'git-handoff': 'bin/handoff.cjs' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const code = `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '')\nrequire(${JSON.stringify(PROGRAM)})`
  writeFileSync(join(folder, 'bin/handoff.cjs'), `#!/usr/bin/env node\n${code}\n`, { mode: 0o755 })
  execFileSync('npm', ['pack', '--silent', '--pack-destination', base], { cwd: folder, stdio: 'pipe' })
  return join(base, 'git-handoff-0.9.0.tgz')
}
