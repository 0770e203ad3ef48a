import { describe, expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { cloneOf, makeRepo, prepared, type TempRepo } from '../make-repo.ts'
import { later, succeeded } from '../usual.ts'

const FIRST = '11111111-2222-4333-8444-555555555555'
const SECOND = '66666666-2222-4333-8444-555555555555'

async function handOff(repo: TempRepo, session: string, goal: string, at: number) {
  const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session }
  const args = ['create', goal, '--json', '--no-notes']
  return succeeded(await cli(repo, args, { env, now: later(at) }))
}

/** A brief with rules, a failing check and a question, in a repository with the files that it is about. */
const handedOver = prepared(async () => {
  const repo = makeRepo({ second: { 'calc.js': 'sub\n', 'calc.test.js': 'test\n', 'README.md': 'read\n' } })
  repo.git(['switch', '-q', '-c', 'calc'])
  repo.commit('Fix add', { 'calc.js': 'add\n' })
  writeClaudeSession(
    repo,
    [
      { user: 'Fix add in calc.js. Do not touch calc.test.js, the QA team owns it.' },
      { user: 'Never use classes in this code.' },
      { bash: 'npm test', exit: 1, output: 'not ok 2 - sub' },
      { says: 'add is fixed. sub still fails.\n\nOpen question: Should sub be renamed to subtract?' },
    ],
    { id: FIRST },
  )
  const { id, path } = await handOff(repo, FIRST, 'make the test of sub pass in calc.js', 0)
  return { repo, id: id as string, path: path as string }
})

const receipt = async (repo: TempRepo, ...args: string[]) =>
  succeeded(await cli(repo, ['receipt', ...args, '--json']))

/** The next session: what the person says, what it does, its brief. */
async function goOn(repo: TempRepo, files: Record<string, string>, ...said: string[]) {
  repo.commit('Fix sub', files)
  writeClaudeSession(
    repo,
    [
      ...said.map((user) => ({ user })),
      { bash: 'npm test', exit: 0, output: 'ok 2 - sub' },
      { says: 'All tests pass.' },
    ],
    { id: SECOND, end: later(50) },
  )
  return handOff(repo, SECOND, 'document both functions of calc.js', 60)
}

describe('receipt', () => {
  it('quotes what ended a rule and a question, and lists files, checks and commits since', async () => {
    const { repo, id } = await handedOver()
    const next = await goOn(
      repo,
      { 'calc.js': 'both\n', 'calc.test.js': 'other\n' },
      'Yes, rename sub to subtract.',
      'You may change calc.test.js now.',
    )
    const told = await receipt(repo, id)
    expect(told).toMatchObject({ id, successor: next.id, note: null, commits: [{ subject: 'Fix sub' }] })
    const sha = told.commits[0].sha.slice(0, 12)
    expect(
      told.text
        .split('\n')
        .map((line: string) => line.replace(/Do not .*? \(/, 'Do not ('))
        .slice(1),
    ).toEqual([
      `- constraint: Do not (ended by "You may change calc.test.js now." in brief ${next.id}; calc.test.js changed by ${sha} Fix sub)`,
      `- question: Open question: Should sub be renamed to subtract? (ended by "Yes, rename sub to subtract." in brief ${next.id})`,
      `- check: npm test (passed, failed before, says brief ${next.id})`,
      `- commit: ${sha} Fix sub (\`calc.js\`, \`calc.test.js\`)`,
    ])
    expect(told.text).not.toMatch(/cannot tell|kept|broken|Never use classes/)
    const { json } = await cli(repo, ['review', 'main..HEAD', '--json'])
    expect(json.rules).toMatchObject({
      standing: [expect.stringContaining('Never use classes')],
      takenBack: [{ quote: 'You may change calc.test.js now.' }],
      changed: [{ path: 'calc.test.js', subject: 'Fix sub' }],
    })
    expect(json.briefs.map(({ author }: { author: string }) => author)).toEqual(['Dev One', 'Dev One'])
    expect(json.markdown).toMatch(/^- Task 1 by Dev One with Claude Code /m)
    expect(json.markdown).toContain('Yes, rename sub to subtract. (answers: Open question:')
    expect(json.markdown).not.toContain('**Open at the last handoff**')
  })

  byNight('says nothing of what nobody ended, and names a rule that the next brief lacks', async () => {
    const { repo, id } = await handedOver()
    const { path } = await goOn(repo, { 'calc.js': 'both\n' }, 'Go on with the docs.')
    expect((await receipt(repo, id)).items).toEqual([])
    repo.commit('Lift it', { [path]: repo.read(path).replace(/- "Do not touch .*\n/, '') })
    expect((await receipt(repo, id)).items).toMatchObject([
      { kind: 'constraint', ended: null, carried: false },
    ])
  })
})

/** What people do to a branch with a brief before others see it; each gives the files of its commits since the brief. */
const REWRITES: Record<string, (repo: TempRepo, path: string) => string[]> = {
  rebase(repo) {
    repo.git(['switch', '-q', 'main'])
    repo.commit('main goes on', { 'm.js': 'm\n' })
    repo.git(['switch', '-q', 'calc'])
    repo.git(['rebase', '-q', 'main'])
    return []
  },
  'squash merge': (repo) => {
    repo.git(['switch', '-q', 'main'])
    repo.commit('main goes on', { 'm.js': 'm\n' })
    repo.git(['merge', '-q', '--squash', 'calc'])
    repo.commit('calc (#1)')
    return ['calc.js']
  },
  'rebase -i with a squash': (repo) => {
    repo.commit('more', { 'more.js': '1\n' })
    repo.git([
      '-c',
      'sequence.editor=sed -i -e 2,3s/^pick/squash/',
      '-c',
      'core.editor=true',
      'rebase',
      '-q',
      '-i',
      'main',
    ])
    return ['calc.js', 'more.js']
  },
  autosquash(repo) {
    repo.write('calc.js', 'added\n')
    repo.git(['commit', '-q', '-a', '--fixup=HEAD~1'])
    repo.git(['-c', 'sequence.editor=true', 'rebase', '-q', '-i', '--autosquash', 'main'])
    return []
  },
  amend(repo) {
    repo.write('calc.js', 'both\n')
    repo.git(['add', 'calc.js'])
    repo.git(['commit', '-q', '--amend', '--no-edit'])
    return ['calc.js']
  },
}

describe('G-M1: receipt and review of a branch whose history was rewritten', () => {
  for (const [name, rewrite] of Object.entries(REWRITES)) {
    const test = name === 'rebase' ? it : byNight
    test(`${name}: count from the parent of the commit that added the brief`, async () => {
      const { repo, id, path } = await handedOver()
      const before = rewrite(repo, path)
      const parent = repo.git(['log', '-1', '--diff-filter=A', '--format=%P', '--', path])
      repo.commit('Fix sub', { 'calc.js': 'sub too\n', 'calc.test.js': 'other\n' })
      const told = await receipt(repo, id)
      expect(told.from).toBe(parent)
      const files = told.commits.flatMap((one: { files: string[] }) => one.files)
      expect(files).toEqual(['calc.js', 'calc.test.js', ...before])
      expect(told.items[0]).toMatchObject({ changed: [{ path: 'calc.test.js', subject: 'Fix sub' }] })
      // An amended commit of the brief has the same parent, where nothing was rewritten.
      const note = `History was rewritten: changes are counted from ${parent.slice(0, 12)}, the parent of the commit that added the brief.`
      expect(told.note).toBe(name === 'amend' ? null : note)
      expect(told.text.includes('History was rewritten')).toBe(name !== 'amend')
      const range = name === 'squash merge' ? `${parent}..HEAD` : 'main..HEAD'
      const { json } = await cli(repo, ['review', range, '--json'])
      expect(json.rules.changed).toMatchObject([{ path: 'calc.test.js', subject: 'Fix sub' }])
      const [, since = ''] = json.markdown.split('(after the last brief)')
      expect(since).toMatch(/^.*\n {2}- `[0-9a-f]{8}` Fix sub \(/)
      // What became one commit with the brief stands before it.
      for (const { sha } of told.commits) expect(json.markdown).toContain(sha.slice(0, 8))
    })
  }

  byNight('one that no branch has any more is told without commits', async () => {
    const { repo, id, path } = await handedOver()
    const text = repo.read(path)
    repo.git(['reset', '-q', '--hard', 'main'])
    repo.commit('other work', { 'o.js': 'o\n' })
    repo.write(path, text)
    expect(await receipt(repo, id)).toMatchObject({
      commits: [],
      note: 'History was rewritten: no branch has the commit it was made at, so no commits are listed.',
    })
  })

  byNight(
    'the hint works where it is given: on another branch, for one of a remote, in a shallow clone',
    async () => {
      const { repo, id } = await handedOver()
      repo.commit('Fix sub', { 'calc.js': 'both\n' })
      const hintOf = async (at: TempRepo): Promise<string> => {
        const { code, json } = await cli(at, ['receipt', id, '--json'])
        expect([code, json.errors[0].code]).toEqual([2, 'E_BAD_REVISION'])
        return json.errors[0].hint
      }
      const follow = async (at: TempRepo): Promise<void> => {
        const [, command = ''] = /`git ([^`]*)`/.exec(await hintOf(at)) ?? []
        at.git(command.split(' '))
        expect(await receipt(at, id)).toMatchObject({ commits: [{ subject: 'Fix sub' }], note: null })
      }
      const clone = cloneOf(repo, { env: repo.env })
      clone.git(['switch', '-q', '-c', 'mine', 'origin/main'])
      await follow(clone)
      const shallow = cloneOf(repo, { name: 'shallow', args: ['--depth', '1'], env: repo.env })
      await follow(shallow)
      // It is checked out in another worktree.
      repo.git(['switch', '-q', 'main'])
      repo.git(['worktree', 'add', '-q', '../wt', 'calc'])
      await follow(repo)
    },
  )
})
