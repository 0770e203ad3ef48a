import { describe, expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { makeRepo, prepared, type TempRepo } from '../make-repo.ts'
import { later, succeeded } from '../usual.ts'

const FIRST = '11111111-2222-4333-8444-555555555555'
const SECOND = '66666666-2222-4333-8444-555555555555'

async function handOff(repo: TempRepo, session: string, goal: string, at: number) {
  const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session }
  const args = ['create', goal, '--json', '--no-notes']
  return succeeded(await cli(repo, args, { env, now: later(at) }))
}

/** A brief with a demand, a failing check and a question, in a repository with the files that it is about. */
const handedOver = prepared(async (files: Record<string, string> = {}) => {
  const repo = makeRepo({ second: { 'calc.js': 'sub\n', 'calc.test.js': 'test\n', 'README.md': 'read\n' } })
  repo.git(['switch', '-q', '-c', 'calc'])
  repo.commit('Fix add', { 'calc.js': 'add\n', ...files })
  writeClaudeSession(
    repo,
    [
      { user: 'Fix add in calc.js. Do not touch calc.test.js, the QA team owns it.' },
      { says: 'I read README.md and calc.js.' },
      { user: 'Never change README.md until the release.' },
      { bash: 'npm test', exit: 1, output: 'not ok 2 - sub' },
      { says: 'add is fixed. sub still fails.' },
    ],
    { id: FIRST },
  )
  const brief = await handOff(repo, FIRST, 'make the test of sub pass in calc.js', 0)
  return { repo, id: brief.id as string }
})

interface Item {
  kind: string
  text: string
  fate: string
  evidence: string | null
}
const receipt = async (repo: TempRepo, ...args: string[]) =>
  succeeded(await cli(repo, ['receipt', ...args, '--json']))
const fateOf = ({ items }: { items: Item[] }, words: string) =>
  items.find(({ text }) => text.includes(words)) ?? { fate: 'not there', evidence: null }

/** The next session: what the person says, what it does, its brief. */
async function goOn(repo: TempRepo, files: Record<string, string>, user = 'Go on with sub.') {
  repo.commit('Fix sub', files)
  writeClaudeSession(
    repo,
    [{ user }, { bash: 'npm test', exit: 0, output: 'ok 2 - sub' }, { says: 'All tests pass.' }],
    { id: SECOND, end: later(50) },
  )
  return handOff(repo, SECOND, 'document both functions of calc.js', 60)
}

describe('receipt', () => {
  it('tells what was kept and what was broken, each with what shows it', async () => {
    const { repo, id } = await handedOver()
    const next = await goOn(repo, { 'calc.js': 'both\n', 'calc.test.js': 'other\n' })
    const told = await receipt(repo, id)
    expect(told).toMatchObject({ id, successor: next.id, commits: 1, hasSession: true })
    expect(fateOf(told, 'Do not touch calc.test.js')).toMatchObject({
      fate: 'broken',
      evidence: expect.stringMatching(/^calc\.test\.js was changed by [0-9a-f]{12} Fix sub$/),
    })
    expect(fateOf(told, 'npm test')).toMatchObject({ kind: 'check', fate: 'kept' })
    // It depends on a release, of which nobody knows.
    expect(fateOf(told, 'Never change README.md')).toMatchObject({ fate: 'cannot tell' })
    expect(told.text).toMatch(/- broken: constraint: .*\n/)
    const { stdout } = await cli(repo, ['review', 'main..HEAD'])
    expect(stdout).toContain('What became of the previous brief')
    expect(stdout).toContain('calc.test.js was changed by')
  })

  byNight('takes a plan for answered that begins the next session', async () => {
    const plan = '# Cap the backoff of calc\n\n1. Move the cap\n2. Test it'
    const repo = makeRepo({ second: { 'calc.js': 'sub\n' } })
    repo.git(['switch', '-q', '-c', 'calc'])
    const exit = { type: 'tool_use', id: 'toolu_plan', name: 'ExitPlanMode', input: { plan } }
    const proposes = { type: 'assistant', message: { id: 'msg_plan', role: 'assistant', content: [exit] } }
    writeClaudeSession(repo, [{ user: 'Plan a cap for the backoff.' }, { raw: proposes }], { id: FIRST })
    const { id } = await handOff(repo, FIRST, 'cap the backoff in calc.js', 0)
    const content = `Implement the following plan:\n\n${plan}`
    const asks = { type: 'user', planContent: plan, message: { role: 'user', content } }
    writeClaudeSession(repo, [{ raw: asks }, { says: 'It is capped.' }], { id: SECOND, end: later(50) })
    await handOff(repo, SECOND, 'document both functions of calc.js', 60)
    expect(fateOf(await receipt(repo, id as string), 'Cap the backoff')).toMatchObject({
      fate: 'kept',
      evidence: 'the person asked for this plan in the next session',
    })
  })

  byNight('is asked by the review of an open brief for what was broken', async () => {
    const { repo } = await handedOver()
    const reviewed = async () => (await cli(repo, ['review', 'main..HEAD'])).stdout
    expect(await reviewed()).toContain('- No contradictions found.')
    repo.commit('Touch the test', { 'calc.test.js': 'other\n' })
    const text = await reviewed()
    expect(text).toMatch(
      /Still true\?\*\*\n\n- broken: constraint: Do not touch calc\.test\.js, .*Touch the test\)\n/,
    )
    expect(text).not.toContain('No contradictions')
    // A subject is no markup, and names nobody, in a comment.
    const { repo: other } = await handedOver()
    other.commit('Thanks @team, <b>see</b> ![x](https://evil.example/p.png)', { 'calc.test.js': 'other\n' })
    const { stdout } = await cli(other, ['review', 'main..HEAD'])
    expect(stdout).toContain('- broken: constraint: ')
    expect(stdout).not.toMatch(/<b>see|!\[x\]|@team/)
  })

  byNight('takes a plain reply for no answer', async () => {
    const repo = makeRepo({ second: { 'calc.js': 'sub\n' } })
    repo.git(['switch', '-q', '-c', 'calc'])
    const question = 'Should sub be renamed to subtract?'
    writeClaudeSession(
      repo,
      [
        { user: 'Fix add in calc.js. Never use classes in this code.' },
        { edit: 'calc.js' },
        { says: `add is fixed.\n\nOpen question: ${question}` },
      ],
      { id: FIRST },
    )
    const { id } = await handOff(repo, FIRST, 'make the test of sub pass in calc.js', 0)
    await goOn(repo, { 'calc.js': 'both\n' }, 'Go on with the docs.')
    const silent = await receipt(repo, id as string)
    expect(fateOf(silent, question)).toMatchObject({ kind: 'question', fate: 'cannot tell' })
    expect(silent).toMatchObject({ dropped: [] })
  })

  byNight('names a constraint that the next brief does not have', async () => {
    const { repo, id } = await handedOver()
    const { path } = await goOn(repo, { 'calc.js': 'both\n' })
    repo.commit('Lift it', { [path]: repo.read(path).replace(/- "Do not touch .*\n/, '') })
    const told = await receipt(repo, id)
    expect(told.dropped).toEqual([expect.stringContaining('Do not touch calc.test.js')])
    expect(told.text).toMatch(
      /- dropped: constraint: Do not touch calc\.test\.js.*next brief does not have it/,
    )
  })

  byNight('tells what was left as it was', async () => {
    const { repo, id } = await handedOver()
    await goOn(repo, { 'calc.js': 'both\n' })
    expect(fateOf(await receipt(repo, id), 'Do not touch calc.test.js')).toMatchObject({
      fate: 'kept',
      evidence: 'calc.test.js did not change in 1 commit since',
    })
  })

  byNight('judges nothing that the person spoke of again, nor what a merge brought', async () => {
    const { repo, id } = await handedOver()
    await goOn(repo, { 'calc.test.js': 'other\n' }, 'The QA team agrees: change calc.test.js.')
    expect(fateOf(await receipt(repo, id), 'Do not touch').fate).toBe('cannot tell')
    const second = await handedOver()
    second.repo.git(['switch', '-q', 'main'])
    second.repo.commit('QA', { 'calc.test.js': 'theirs\n' })
    second.repo.git(['switch', '-q', 'calc'])
    second.repo.git(['merge', '-q', '-m', 'Merge main', 'main'])
    expect(fateOf(await receipt(second.repo, second.id), 'Do not touch').fate).toBe('cannot tell')
  })

  byNight("judges neither another person's commit nor one that brings back what the base has", async () => {
    const fate = async (change: (repo: TempRepo) => void) => {
      const { repo, id } = await handedOver()
      change(repo)
      await goOn(repo, { 'calc.js': 'both\n' })
      return fateOf(await receipt(repo, id), 'Do not touch').fate
    }
    const write = (repo: TempRepo) => repo.commit('QA', { 'calc.test.js': 'theirs\n' })
    expect(await fate(write)).toBe('broken')
    const byKim = ['-c', 'user.name=Kim', '-c', 'user.email=kim@example.com']
    expect(
      await fate((repo) => {
        write(repo)
        repo.git([...byKim, 'commit', '-q', '--amend', '--no-edit', '--reset-author'])
      }),
    ).toBe('cannot tell')
    const { repo, id } = await handedOver({ 'calc.test.js': 'mine\n' })
    repo.git(['checkout', '-q', 'main', '--', 'calc.test.js'])
    repo.git(['commit', '-q', '-m', 'As on main'])
    await goOn(repo, { 'calc.js': 'both\n' })
    expect(fateOf(await receipt(repo, id), 'Do not touch').fate).toBe('cannot tell')
  })

  byNight('says what it cannot tell before anybody went on, and on another branch', async () => {
    const { repo, id } = await handedOver()
    const told = await receipt(repo)
    expect(told).toMatchObject({ id, successor: null, commits: 0, hasSession: false, neverOpened: [] })
    expect(told.items.map(({ fate }: Item) => fate)).not.toContain('kept')
    expect(told.text).toMatch(/, 0 commits since, .*\n(?:- .*\n)*- cannot tell: check: npm test$/m)
    repo.git(['switch', '-q', '--orphan', 'other'])
    repo.commit('alone', { 'o.txt': 'o\n' })
    const { code, json } = await cli(repo, ['receipt', id, '--json'])
    expect([code, json.errors[0].code]).toEqual([2, 'E_BAD_REVISION'])
  })
})
