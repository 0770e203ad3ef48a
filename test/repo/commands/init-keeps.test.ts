import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { hashFiles } from '../hash-files.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'

const GITHUB = ['.github/workflows/handoff.yml', '.github/actions/handoff/action.yml']
const GITLAB = ['.gitlab/handoff.gitlab-ci.yml', '.gitlab-ci.yml']

/** A repository in which the traces of two agents stand. */
const usedByTwo = (): TempRepo => {
  const repo = makeRepo()
  for (const folder of ['.claude', '.codex']) mkdirSync(join(repo.root, folder))
  return Object.assign(repo, { env: { ...repo.env, PATH: '/usr/bin:/bin' } })
}
const init = async (repo: TempRepo, ...args: string[]) =>
  (await cli(repo, ['init', '--json', '--yes', '--git-hooks', 'none', ...args])).json
const agentsOf = ({ agents }: { agents: { id: string }[] }): string[] => agents.map(({ id }) => id)
const isThere = (repo: TempRepo, paths: string[]): boolean[] =>
  paths.map((path) => existsSync(join(repo.root, path)))

describe('T3: a later init without words', () => {
  it('sets up the agents that were set up before, and no others that are found here', async () => {
    const repo = usedByTwo()
    expect(agentsOf(await init(repo, '--agent', 'claude-code'))).toEqual(['claude-code'])
    const { stderr } = await cli(repo, ['init', '--yes', '--dry-run'])
    expect(stderr).toContain('Used here and not set up: Codex. `git handoff init --agent codex` adds it.')
    const before = hashFiles(repo.root, ['.git'])
    expect(await init(repo)).toMatchObject({ agents: [{ id: 'claude-code' }], changed: [] })
    expect(hashFiles(repo.root, ['.git'])).toEqual(before)
    const ci = await init(repo, '--ci', 'github')
    expect(agentsOf(ci)).toEqual(['claude-code'])
    expect(ci.changed.map(({ path }: { path: string }) => path).sort()).toEqual([...GITHUB].sort())
    expect(existsSync(join(repo.root, '.codex/hooks.json'))).toBe(false)
  })

  byNight('takes those found here where none was set up, also after all were taken out', async () => {
    const repo = usedByTwo()
    expect(agentsOf(await init(repo))).toEqual(['claude-code', 'codex'])
    await cli(repo, ['init', '--remove'])
    expect(agentsOf(await init(repo))).toEqual(['claude-code', 'codex'])
  })

  byNight('adds the agents that are named to those of before', async () => {
    const repo = usedByTwo()
    await init(repo, '--agent', 'claude-code')
    await init(repo, '--agent', 'codex')
    expect(agentsOf(await init(repo))).toEqual(['claude-code', 'codex'])
    await cli(repo, ['init', '--remove', '--agent', 'claude-code'])
    expect(agentsOf(await init(repo))).toEqual(['codex'])
  })

  byNight('keeps what one CI server has when another is named, until `none`', async () => {
    const repo = usedByTwo()
    await init(repo, '--agent', 'codex', '--ci', 'github')
    const github = GITHUB.map((path) => repo.read(path))
    await init(repo, '--ci', 'gitlab')
    expect(isThere(repo, [...GITHUB, ...GITLAB])).toEqual([true, true, true, true])
    expect(GITHUB.map((path) => repo.read(path))).toEqual(github)
    expect((await init(repo, '--ci', 'github')).changed).toEqual([])
    await init(repo)
    expect(isThere(repo, [...GITHUB, ...GITLAB])).toEqual([true, true, true, true])
    await init(repo, '--ci', 'none')
    expect(isThere(repo, [...GITHUB, ...GITLAB])).toEqual([false, false, false, false])
  })

  byNight('of another worktree goes by what that one has', async () => {
    const repo = usedByTwo()
    await init(repo, '--agent', 'claude-code')
    const tree = join(repo.base, 'tree')
    repo.git(['worktree', 'add', '-q', tree])
    mkdirSync(join(tree, '.codex'))
    const { json } = await cli(repo, ['init', '--json', '--yes', '--git-hooks', 'none'], { cwd: tree })
    expect(agentsOf(json)).toEqual(['codex'])
  })
})
