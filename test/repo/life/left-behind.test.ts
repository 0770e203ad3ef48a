import { existsSync, renameSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { later, made, succeeded, usual } from '../usual.ts'
import { commandsIn, follow } from './hinted.ts'

const GIT = ['--from', 'git']
const another = async (repo: TempRepo, minutes: number) =>
  cli(repo, ['create', 'write the guide for the next release', ...GIT], { now: later(minutes) })

describe('G-L15: a brief without a commit', () => {
  it.each(
    sampled<[string, (repo: TempRepo) => unknown]>(
      [
        ['reset --mixed', (repo) => repo.git(['reset', '-q', '--mixed', 'HEAD~1'])],
        [
          'a stash that is popped',
          (repo) => {
            repo.git(['reset', '-q', '--mixed', 'HEAD~1'])
            repo.git(['stash', '-q', '--include-untracked'])
            repo.commit('meanwhile', { 'b.txt': 'b\n' })
            repo.git(['stash', 'pop', '-q'])
          },
        ],
      ],
      1,
    ),
  )(
    'is named by status and by a create with another goal, with the command that keeps it: %s',
    async (_, leave) => {
      const repo = usual()
      const { path } = await made(repo, GIT)
      leave(repo)
      const { stdout } = await cli(repo, ['status'])
      const line = stdout.split('\n').find((one) => one.startsWith('Not committed: ')) ?? ''
      expect(line).toBe(
        `Not committed: 1 brief; \`git add -- ${path} && git commit -m 'chore(handoff): keep what was handed over' -- ${path}\``,
      )
      expect((await cli(repo, ['status', '--json'])).json.uncommitted).toEqual([path])
      // Not one that another process writes now.
      utimesSync(join(repo.root, path), 1, 1)
      const { stderr } = await another(repo, 5)
      expect(stderr).toContain('1 earlier brief not committed: ')
      for (const command of commandsIn(line)) expect(await follow(repo, command)).toMatchObject({ code: 0 })
      expect((await cli(repo, ['status'])).stdout).not.toContain('Not committed')
      expect(repo.git(['status', '--porcelain', path])).toBe('')
    },
  )

  byNight('is no word where all are committed, parked or of another branch', async () => {
    const repo = usual()
    await made(repo, GIT)
    repo.git(['switch', '-q', '-c', 'x'])
    const { stderr } = await another(repo, 5)
    expect(stderr).not.toContain('not committed')
    repo.git(['switch', '-q', 'main'])
    expect((await cli(repo, ['status'])).stdout).not.toContain('Not committed')
    expect((await cli(repo, ['status', '--json'])).json.uncommitted).toEqual([])
  })
})

describe('G-L16: a file among the briefs', () => {
  it.each(sampled(['.handoff/briefs/my notes.txt', '.handoff/briefs/queue.md'], 1))(
    'that is a brief under another name is named with the command that names it back: %s',
    async (name) => {
      const repo = usual()
      const { path } = await made(repo, GIT)
      renameSync(join(repo.root, path), join(repo.root, name))
      const { code, json } = await cli(repo, ['check', '--json'])
      expect(code).toBe(1)
      expect(json.findings).toMatchObject([{ path: name, rule: 'id-and-path', level: 'error' }])
      const [command = ''] = commandsIn(json.findings[0].message)
      expect(await follow(repo, command)).toMatchObject({ code: 0 })
      expect(existsSync(join(repo.root, path))).toBe(true)
      expect(succeeded(await cli(repo, ['check', '--json'])).findings).toEqual([])
    },
  )

  byNight('that is none is named, and check ends with 1', async () => {
    const repo = usual()
    const { path } = await made(repo, GIT)
    repo.write('.handoff/briefs/README.md', '# Ours\n')
    const { code, json } = await cli(repo, ['check', '--json'])
    expect({ code, findings: json.findings, checked: json.checked }).toMatchObject({
      code: 1,
      findings: [{ path: '.handoff/briefs/README.md', level: 'error' }],
      checked: [path],
    })
  })
})
