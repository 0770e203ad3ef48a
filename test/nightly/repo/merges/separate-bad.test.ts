import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { USUAL, writeClaudeSession } from '../../../repo/claude-session.ts'
import { cli } from '../../../repo/cli.ts'
import { hashFiles } from '../../../repo/hash-files.ts'
import { makeRepo, type TempRepo } from '../../../repo/make-repo.ts'
import { AGENT, create, later, made, usual } from '../../../repo/usual.ts'

const SEPARATE = ['--branch', 'separate']

/** Everything that a refused handoff must leave as it was: files, refs, index. */
const stateOf = (repo: TempRepo) => ({
  files: hashFiles(repo.root, ['.git']),
  refs: repo.git(['for-each-ref', '--format=%(refname) %(objectname)']),
  index: repo.tryGit(['ls-files', '-s']).stdout,
  head: repo.read('.git/HEAD'),
})

async function refused(repo: TempRepo, code: string): Promise<{ message: string; hint: string }> {
  const before = stateOf(repo)
  const { json } = await create(repo, [...SEPARATE, '--focus', 'the docs'], AGENT)
  expect(json).toMatchObject({ ok: false, errors: [{ code }] })
  expect(stateOf(repo)).toEqual(before)
  return json.errors[0]
}

describe('--branch separate where it cannot be', () => {
  it('a branch called handoff: said with its name, at once, and nothing is written', async () => {
    const repo = usual()
    repo.git(['branch', 'handoff'])
    const { message, hint } = await refused(repo, 'E_BRANCH_IN_THE_WAY')
    expect(message).toBe('There is a branch handoff, and git cannot have handoff/main beside it.')
    expect(hint).toContain('git branch -m')
    repo.git(['switch', '-q', 'handoff'])
    await refused(repo, 'E_BRANCH_IN_THE_WAY')
    // Briefs on the branch itself are no matter.
    expect(await made(repo, [], AGENT)).toMatchObject({ ok: true, branch: 'handoff' })
  })

  it('briefs of a branch whose name begins like this one', async () => {
    const repo = usual()
    repo.git(['switch', '-q', '-c', 'team'])
    await made(repo, SEPARATE, AGENT)
    repo.git(['switch', '-q', 'main'])
    repo.git(['branch', '-q', '-D', 'team'])
    repo.git(['switch', '-q', '-c', 'team/one'])
    repo.commit('work', { 'src/queue.ts': 'one\n' })
    const { message } = await refused(repo, 'E_BRANCH_IN_THE_WAY')
    expect(message).toContain('handoff/team,')
  })

  it('a detached HEAD', async () => {
    const repo = usual()
    repo.git(['checkout', '-q', '--detach'])
    await refused(repo, 'E_DETACHED')
  })

  it('the branch of briefs is checked out in a worktree, whose files a commit from here would leave behind', async () => {
    const repo = usual()
    await made(repo, SEPARATE, AGENT)
    repo.git(['worktree', 'add', '-q', join(repo.base, 'briefs'), 'handoff/main'])
    const { message } = await refused(repo, 'E_BRIEFS_CHECKED_OUT')
    expect(message).toContain(join(repo.base, 'briefs'))
    expect(repo.git(['status', '--porcelain'], { cwd: join(repo.base, 'briefs') })).toBe('')
  })
})

describe('--branch separate where it can', () => {
  it('before the first commit: the branch stays unborn', async () => {
    const repo = makeRepo({ initial: false })
    writeClaudeSession(repo, USUAL)
    const first = await made(repo, SEPARATE)
    expect(repo.tryGit(['rev-parse', '-q', '--verify', 'HEAD']).status).not.toBe(0)
    expect(repo.git(['status', '--porcelain'])).toBe('')
    expect(repo.git(['rev-parse', 'handoff/main'])).toBe(first.commit)
    expect((await cli(repo, ['show', '--json'])).json).toMatchObject({ id: first.id, trusted: true })
    expect((await cli(repo, ['log', '--json'])).json.briefs).toHaveLength(1)
    repo.commit('first', { 'a.txt': 'a\n' })
    const second = await made(repo, [...SEPARATE, '--focus', 'more'], { now: later(5) })
    expect(second.parents).toEqual([first.id])
  })

  it('another default branch than main, renamed later', async () => {
    const repo = usual({ branch: 'trunk' })
    const first = await made(repo, SEPARATE, AGENT)
    expect(repo.git(['rev-parse', 'handoff/trunk'])).toBe(first.commit)
    repo.git(['branch', '-m', 'trunk', 'main'])
    const second = await made(repo, [...SEPARATE, '--focus', 'more'], { ...AGENT, now: later(5) })
    expect(second.parents).toEqual([first.id])
    expect(repo.git(['rev-parse', 'handoff/main~1'])).toBe(first.commit)
  })

  it('staged, unstaged and untracked changes, an unfinished merge, a locked index: nothing of it is touched', async () => {
    const repo = usual()
    repo.git(['switch', '-q', '-c', 'side'])
    repo.commit('side', { 'src/queue.ts': 'side\n' })
    repo.git(['switch', '-q', 'main'])
    repo.commit('main', { 'src/queue.ts': 'main\n' })
    expect(repo.tryGit(['merge', '-q', 'side']).status).toBe(1)
    repo.write('src/api.ts', 'staged\n')
    repo.git(['add', 'src/api.ts'])
    repo.write('src/api.ts', 'unstaged\n')
    repo.write('untracked.txt', 'u\n')
    repo.write('.git/index.lock', '')
    const { files, index, head } = stateOf(repo)
    const { commit } = await made(repo, SEPARATE, AGENT)
    expect(stateOf(repo)).toMatchObject({ files, index, head })
    expect(repo.git(['rev-parse', 'handoff/main'])).toBe(commit)
    expect(repo.read('.git/MERGE_HEAD')).not.toBe('')
  })
})

const ODD = [
  'feat/c++(new)',
  'a{b}$c|d',
  'fix/über-日本',
  "it's",
  'a"b',
  'a`id`$(id)',
  'a;b&c',
  '%2D',
  'x<y>',
  '#1',
  'a@b',
  'handoff/main',
  'refs/heads/main',
  'HEAD-1',
  `${'long/'.repeat(30)}end`,
]

describe('branches with odd names', () => {
  it.each(ODD)('%s: handed over, shown, logged and gone on with, in both modes', async (branch) => {
    for (const mode of ['current', 'separate']) {
      const repo = usual()
      repo.git(['switch', '-q', '-c', branch])
      const first = await made(repo, ['--branch', mode], AGENT)
      expect(first.branch).toBe(branch)
      const shown = await cli(repo, ['show', '--json'])
      expect(shown.json, mode).toMatchObject({ id: first.id, trusted: true, warnings: [] })
      expect((await cli(repo, ['show', '--prompt'])).code).toBe(0)
      const { json } = await cli(repo, ['log', '--json'])
      expect(
        json.briefs.map(({ id }: { id: string }) => id),
        mode,
      ).toEqual([first.id])
      expect((await cli(repo, ['check', '--json'])).json, mode).toMatchObject({ ok: true })
      repo.commit('work', { 'src/queue.ts': 'more\n' })
      const second = await made(repo, ['--branch', mode], { ...AGENT, now: later(5) })
      expect(second.parents, mode).toEqual([first.id])
      if (mode === 'separate')
        expect(repo.git(['rev-parse', `refs/heads/handoff/${branch}`])).toBe(second.commit)
      else expect(repo.read('.handoff/latest.md')).toContain(`id=${second.id}`)
      expect(repo.git(['status', '--porcelain']), mode).toBe('')
    }
  })
})
