import { describe, expect, it } from 'vitest'
import type { QuestionFact, TextFact } from '../../../src/types/evidence.ts'
import { edit, extract, gitState, prompt, reply, run, type Step } from './session.ts'

const PARENT = '20260101T000000-00000001'
const CREATED = '2026-01-01T00:00:00.000Z'
const fact = (text: string, from?: string): TextFact => ({
  text,
  source: 'user',
  at: '2026-01-01T00:00:00.000Z',
  ...(from ? { from } : {}),
})
const question = (kind: QuestionFact['kind'], text: string): QuestionFact => ({
  kind,
  text,
  source: 'agent',
  at: null,
})
const run6 = (steps: Step[], constraints: TextFact[], questions: QuestionFact[] = []) =>
  extract(steps, { inherited: { id: PARENT, createdAt: CREATED, constraints, questions } })

describe('what the parent hands down', () => {
  it('keeps its constraints with their brief, oldest first', () => {
    expect(
      run6([prompt('Never push.')], [fact('Do NOT touch src/api.'), fact('Use pnpm.', 'older')]).constraints,
    ).toMatchObject([
      { text: 'Do NOT touch src/api.', from: PARENT },
      { text: 'Use pnpm.', from: 'older' },
      { text: 'Never push.' },
    ])
  })

  it('does not repeat what the session says again', () => {
    const constraints = run6([prompt('do not touch src/api')], [fact('Do NOT touch src/api.')]).constraints
    expect(constraints).toMatchObject([{ text: 'Do NOT touch src/api.', from: PARENT }])
    expect(constraints).toHaveLength(1)
  })

  it('over a chain of six the first constraint is quoted once, under its first brief', () => {
    let constraints = extract([prompt('Do NOT touch src/api.')]).constraints
    for (let i = 1; i < 6; i++)
      constraints = extract([prompt(i % 2 ? 'Do NOT touch src/api.' : 'Go on with the work please')], {
        inherited: { id: `brief-${i}`, createdAt: CREATED, constraints, questions: [] },
      }).constraints
    expect(constraints).toMatchObject([{ text: 'Do NOT touch src/api.', from: 'brief-1' }])
    expect(constraints).toHaveLength(1)
  })

  it('keeps open questions until they are answered', () => {
    const open = [question('question', 'Which database should the retry queue use?')]
    expect(run6([], [], open).questions).toMatchObject([{ text: open[0]?.text, from: PARENT }])
    expect(
      run6([prompt('Always use SQLite as the database of the retry queue.')], [], open).questions,
    ).toEqual([])
    expect(run6([prompt('Fix the typo in the readme please.')], [], open).questions).toHaveLength(1)
    const sub = [question('question', 'Should sub be renamed to subtract?')]
    expect(run6([prompt('Yes, rename sub to subtract.')], [], sub).questions).toEqual([])
    expect(run6([prompt('Was sub renamed to subtract?')], [], sub).questions).toHaveLength(1)
  })

  it('keeps failing checks until the command ran again', () => {
    const failing = extract([run('npm test', 1, 'Error: boom')]).questions
    expect(run6([reply('Nothing was run.')], [], failing).questions).toMatchObject([
      { kind: 'failing', from: PARENT },
    ])
    expect(run6([run('npm test')], [], failing).questions).toEqual([])
    const again = run6([run('npm test', 1, 'Error: other')], [], failing).questions
    expect(again).toMatchObject([{ kind: 'failing', text: '`npm test` failed (exit 1): Error: other' }])
    expect(again[0]?.from).toBeUndefined()
  })

  it('drops a failing test of one file once the suite passed', () => {
    const failing = extract([run('node --test a.test.js', 1, 'not ok 1 - a')]).questions
    expect(failing).toMatchObject([{ kind: 'failing' }])
    expect(run6([run('npm test')], [], failing).questions).toEqual([])
    expect(run6([run('npm run lint')], [], failing).questions).toMatchObject([{ kind: 'failing' }])
  })

  it('does not say that a check fails after code was edited or committed', () => {
    const failing = extract([run('npm test', 1, 'Error: boom')]).questions
    const earlier = [{ kind: 'risk', text: 'Failed earlier, not run whole since: `npm test`', from: PARENT }]
    expect(run6([edit('src/a.ts')], [], failing).questions).toMatchObject(earlier)
    expect(run6([edit('README.md')], [], failing).questions).toMatchObject([{ kind: 'failing' }])
    const commit = (file: string) => ({
      git: gitState([], {
        commits: [
          { sha: 'c'.repeat(40), subject: 's', at: '2026-01-02T00:00:00.000Z', trailers: [], files: [file] },
        ],
      }),
    })
    const inherited = { id: PARENT, createdAt: CREATED, constraints: [], questions: failing }
    expect(extract([], { inherited, ...commit('a.js') }).questions).toMatchObject(earlier)
    expect(extract([], { inherited, ...commit('a.md') }).questions).toMatchObject([{ kind: 'failing' }])
  })

  it('keeps an earlier failure until the command ran again', () => {
    const failing = extract([run('npm test', 1, 'Error: boom')]).questions
    const earlier = run6([edit('src/a.ts')], [], failing).questions
    expect(run6([reply('Nothing was run.')], [], earlier).questions).toMatchObject([
      { kind: 'risk', from: PARENT },
    ])
    expect(run6([run('npm test')], [], earlier).questions).toEqual([])
  })

  it('forgets that the parent session itself failed', () => {
    const failed = extract([prompt('Fix it all, please'), { kind: 'failure', text: 'rate limit' }]).questions
    expect(run6([reply('Going on.')], [], failed).questions).toEqual([])
  })
})
