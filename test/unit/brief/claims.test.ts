import { describe, expect, it } from 'vitest'
import { type Known, lookedUp, verifyNotes, wordsOfUser } from '../../../src/brief/claims.ts'
import { takenBackIn } from '../../../src/text/taken-back.ts'
import type { Notes } from '../../../src/types/brief.ts'
import type { Evidence } from '../../../src/types/evidence.ts'
import { emptyEvidence, sampleNotes } from './sample.ts'

const change = (path: string) =>
  ({ path, state: 'modified', staged: false, unstaged: true }) as NonNullable<Known['git']>['changes'][number]
const commit = (sha: string) => ({ sha, subject: '', at: '', trailers: [], files: [] })
const known = (over: Partial<Known> = {}): Known => ({
  unseen: new Set(),
  checks: [
    { command: 'npm test 2>&1 | tail -5', kind: 'test', outcome: 'ok' },
    { command: 'npm run lint', kind: 'lint', outcome: 'failed' },
  ],
  git: {
    ...{ branch: 'feature/cap', head: 'aaaaaaa1', upstream: 'origin/feature/cap', ahead: 1 },
    unpushed: new Set(['aaaaaaa1']),
    changes: [change('docs/queue.md')],
    commits: [commit('aaaaaaa1'), commit('bbbbbbb2')],
  },
  said: null,
  stands: () => false,
  ...over,
})
const page = (other: string): Notes => ({ ...sampleNotes(), page: other })
const told = (line: string, over: Partial<Known> = {}, heading = 'Where it stands') =>
  verifyNotes(page(`## ${heading}\n${line}`), known(over)).notes.page.split('\n')[1]

describe('names', () => {
  it('between backticks are looked up; commands, globs and placeholders are not', () => {
    const { names } = lookedUp(
      page(
        '`src/a.ts:12` and `Queue.add()` by `npm test`, `src/*.ts`, `<id>`, `--no-verify`, `1234`, `v0.3.x`\n```\n`x.ts`\n```',
      ),
    )
    expect(names).toEqual(['src/a.ts:12', 'Queue.add', '--no-verify'])
  })
  it('that nothing holds are marked, once however often it is checked', () => {
    const unseen = new Set(['src/b.ts'])
    const once = told('- `src/a.ts` calls `src/b.ts`', { unseen }) ?? ''
    expect(once).toBe('- `src/a.ts` calls `src/b.ts` (not seen)')
    expect(told(once, { unseen })).toBe(once)
  })
  it.each([
    ['`add()` shows no `Retry.cap`.', false],
    ['It does not copy `Retry.cap`; two callers do.', false],
    ["It doesn't call `Retry.cap`.", false],
    ['Not touched: `src/a.ts`. `Retry.cap` doubles it.', true],
    ['It was never tried, but `Retry.cap` doubles it since the rewrite of the queue.', true],
  ])('that a line says to be missing are not marked: %s', (line, isMarked) => {
    const marked = told(line, { unseen: new Set(['Retry.cap']) })
    expect(marked).toBe(isMarked ? line.replace('`Retry.cap`', '$& (not seen)') : line)
  })
  it('of slots are marked as those of a page', () => {
    const notes = page(
      '- Next step: open `src/b.ts`\n- Decision: use `add()`\n- Open question: is it `src/b.ts`?',
    )
    const { notes: marked, claims } = verifyNotes(notes, known({ unseen: new Set(['src/b.ts']) }))
    expect(marked.page).toBe(notes.page.replace('`src/b.ts`', '$& (not seen)'))
    expect(claims).toEqual([
      { kind: 'name', text: 'src/b.ts', verdict: 'not seen', fact: null },
      { kind: 'name', text: 'add', verdict: 'kept', fact: null },
      { kind: 'name', text: 'src/b.ts', verdict: 'kept', fact: null },
    ])
  })
})

describe('quotes', () => {
  const QUOTE = 'never touch the billing jobs'
  it.each([
    [`- "${QUOTE}"`, true],
    [`- The user said “${QUOTE}”.`, true],
    ['- "no billing"', false],
    [`- \`"${QUOTE}\``, false],
    ['- It ends in `grep -v "{ "`, never touch the billing jobs" or so.', false],
  ])('%s', (line, isLookedUp) => {
    expect(lookedUp(page(line)).quotes).toEqual(isLookedUp ? [QUOTE] : [])
    const marked = told(line, { unseen: new Set([QUOTE]) })
    expect(marked).toBe(isLookedUp ? line.replace(/(?<=jobs["”])/, ' (not seen)') : line)
  })
})

describe('a rule that the page calls taken back', () => {
  const line = '- Taken back: "Use tabs." by "spaces are fine"'
  it('has a mark while it stands, once however often it is checked', () => {
    const once = told(line, { stands: (rule) => rule === 'Use tabs.' }, 'Constraints') ?? ''
    expect(once).toBe(`${line} (handoff: the rule stands: no later words of the user are these)`)
    expect(told(once, { stands: () => true }, 'Constraints')).toBe(once)
    expect(told(once, {}, 'Constraints')).toBe(line)
  })
  it.each([
    ['- **Taken back:** “Use "tabs"” by “fine, "spaces" it is”', 'Use "tabs"', 'fine, "spaces" it is'],
    ['Rule 3: taken back "Use tabs", by "spaces"', 'Use tabs', 'spaces'],
  ])('is read: %s', (text, rule, quote) => {
    expect(takenBackIn(`## Constraints\n${text}`)).toEqual([{ rule, quote }])
  })
})

describe('what is said to be the person’s', () => {
  const turn = (request: string, said = '', to: string | null = null) => ({
    ...{ request, to, at: null },
    steps: said === '' ? [] : [{ kind: 'said' as const, text: said, at: null }],
  })
  const evidence = (turns: Evidence['turns']) => ({ ...emptyEvidence(), turns })
  const said = wordsOfUser(
    evidence([
      turn('Cap the delay at 30 s.', 'The eviction thread could become a timer wheel. Shall I?'),
      turn('yes', 'Built. I also renamed the metrics prefix.', 'Shall I?'),
      turn('Commit it, then look into the flaky network suite on the continuous integration machine.'),
    ]),
    'document the limits',
  )
  it.each([
    ['- The delay is capped at 30 s (user).', false],
    ['- A timer wheel evicts (by the user, agreed).', false],
    ['- The limits get a document (the person).', false],
    ['- Metrics carry a new prefix (user)', true],
    ['- Metrics carry a new prefix (mine)', false],
    ['- Metrics prefix (user)', false],
  ])('%s', (line, isMarked) => {
    expect(told(line, { said }, 'Decisions')).toBe(
      isMarked ? `${line} (handoff: no words of the user tell it)` : line,
    )
    expect(told(line, { said: null }, 'Decisions')).toBe(line)
  })
  it('is not judged where a part of the session is not known', () => {
    expect(wordsOfUser({ ...evidence([]), forgotten: 1 }, '')).toBeNull()
    const summary = [{ kind: 'summary' as const, text: 'We capped it.', at: null }]
    expect(wordsOfUser(evidence([{ ...turn(''), steps: summary }]), '')).toBeNull()
  })
})

describe('states', () => {
  it.each([
    ['- All tests pass.', null],
    ['- The tests fail.', 'test passed when it ran last'],
    ['- `npm run lint` is clean.', 'lint failed when it ran last'],
    ['- The build passes.', null],
    ['- Tests, lint and build pass.', 'lint failed when it ran last'],
    ['- The user says that lint is green.', null],
    ['- Everything is pushed.', '1 commit is not pushed'],
    ['- Once it is pushed, open the pull request.', null],
    ['- All is committed.', '1 file is not committed'],
    ['- `docs/queue.md` is committed.', '`docs/queue.md` is not committed'],
    ['- The work tree is clean.', '1 file is not committed'],
    ['- `docs/queue.md` is uncommitted.', null],
    // What is not committed is beside what is.
    ['- Nothing is committed.', null],
    ['- `bbbbbbb` is not pushed.', 'a remote-tracking branch has it'],
    ['- The branch `docs` is not pushed.', null],
  ])('%s', (line, fact) => {
    expect(told(line)).toBe(fact === null ? line : `${line} (handoff: ${fact})`)
  })
  it('of a branch that is pushed, whatever its upstream, and where no remote has a branch', () => {
    const git = { branch: 'main', head: 'aaaaaaa1', upstream: null, ahead: null, changes: [], commits: [] }
    const pushed = { git: { ...git, unpushed: new Set<string>() } }
    expect(told('- Pushed.', pushed)).toBe('- Pushed.')
    expect(told('- Nothing is pushed.', pushed)).toContain('(handoff: a remote-tracking branch has it)')
    expect(told('- Pushed.', { git })).toContain('(handoff: no remote has a branch here)')
    expect(told('- Nothing is pushed.', { git })).toBe('- Nothing is pushed.')
  })
  it('of a commit that is named, whatever came after it', () => {
    expect(told('- `bbbbbbb` is pushed.')).not.toContain('handoff:')
    expect(told('- `aaaaaaa` is pushed.')).toContain('(handoff: 1 commit is not pushed)')
  })
  it('of nothing that is committed, where commits were made and the work tree is clean', () => {
    const { git } = known()
    const clean = { git: git && { ...git, changes: [] } }
    expect(told('- Nothing is committed.', clean)).toBe(
      '- Nothing is committed. (handoff: 2 commits are here, the work tree is clean)',
    )
    expect(
      told('- Nothing is committed.', { git: clean.git && { ...clean.git, commits: [] } }),
    ).not.toContain('handoff:')
  })
  it('are no claims under what is planned or past, nor where the session is of another repository', () => {
    for (const heading of ['Next step', 'Not proven', 'Tried and dropped', 'Traps'])
      expect(told('- Make `npm run lint` green.', {}, heading)).toBe('- Make `npm run lint` green.')
    expect(told('- Everything is pushed.', { git: null })).toBe('- Everything is pushed.')
  })
})
