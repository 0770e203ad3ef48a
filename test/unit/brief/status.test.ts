import { expect, it } from 'vitest'
import { commitFacts, statusLines, workTree } from '../../../src/brief/status.ts'
import type { CheckFact, Evidence, SessionWork } from '../../../src/types/evidence.ts'
import type { GitChange, GitState } from '../../../src/types/git.ts'
import { emptyEvidence, sampleEvidence, sampleGit } from './sample.ts'

const status = (git: Partial<GitState> | null, evidence: Partial<Evidence> = {}): string[] =>
  statusLines(git === null ? null : { ...sampleGit(), ...git }, { ...emptyEvidence(), ...evidence })
const change = (path: string, more: Partial<GitChange> = {}): GitChange => ({
  path,
  staged: false,
  unstaged: true,
  state: 'modified',
  ...more,
})
const HERE = 'Branch `feature/retry-scheduler` at `3f9c2ab1d0e4`'
const UPSTREAM = '`origin/feature/retry-scheduler`'

it.each([
  [{ upstream: null, ahead: null, behind: null }, `${HERE}, no upstream: not pushed`],
  [{ ahead: null }, `${HERE}, upstream ${UPSTREAM}`],
  [{ ahead: 0 }, `${HERE}, level with ${UPSTREAM}: pushed`],
  [{}, `${HERE}, 2 ahead of ${UPSTREAM}: not pushed`],
  [{ ahead: 0, behind: 3 }, `${HERE}, 3 behind ${UPSTREAM}: pushed`],
  [{ behind: 3 }, `${HERE}, 2 ahead and 3 behind ${UPSTREAM}: not pushed`],
  [{ branch: null }, 'Detached HEAD at `3f9c2ab1d0e4`'],
  [
    { head: null, upstream: null },
    'Branch `feature/retry-scheduler`, no commits yet, no upstream: not pushed',
  ],
] as const)('says whether it was pushed: %j', (git, line) => expect(status(git)[0]).toBe(line)) // prettier-ignore

it('counts changes by kind and folder, the fullest folders first', () => {
  expect(workTree([])).toBe('Work tree clean')
  expect(workTree([change('a', { state: 'conflicted' })])).toBe(
    'Work tree: 1 uncommitted change (1 conflicted): 1 in `./`',
  )
  const changes = ['src/a/1', 'src/a/2', 'src/b/1', 'test/1', 'z/1', 'y/1', 'top'].map((path) => change(path))
  changes.push(change('src/a/3', { staged: true, unstaged: false }), change('new', { state: 'untracked' }))
  expect(workTree(changes)).toBe(
    'Work tree: 9 uncommitted changes (1 staged, 7 not staged, 1 untracked): 3 in `src/a/`, 2 in `./`, 1 in `src/b/`, 1 in `test/`, 2 more folders',
  )
})

it('says what commits did to files that the list of files does not tell so, with few names', () => {
  const many = Array.from({ length: 8 }, (_, n) => ({ path: `gen/${n}.ts`, kind: 'created' as const }))
  const effect = [
    ...many,
    { path: 'old.ts', kind: 'deleted' as const },
    { path: 'now.ts', from: 'was.ts', kind: 'renamed' as const },
    { path: 'told.ts', kind: 'changed' as const },
  ]
  const told = { path: 'told.ts', reason: '', evidence: ['edited' as const], source: 'transcript' as const }
  const names = many.slice(0, 6).map(({ path }) => `\`${path}\``)
  const line = `created ${names.join(', ')} and 2 more; deleted \`old.ts\`; renamed \`was.ts\` → \`now.ts\``
  expect(status({ changes: [], effect }, { files: [told] })[2]).toBe(
    `Commits since \`main\`, besides the files below: ${line}`,
  )
  expect(status({ changes: [], effect: effect.slice(-1), base: null })[2]).toBe('Commits: changed `told.ts`')
  expect(status({ changes: [], effect: effect.slice(-1) }, { files: [told] })).toHaveLength(2)
  // Commits of another repository's time say nothing of this session.
  const work = { branch: null, commits: [], isEdited: false, worktree: null, isElsewhere: true as const }
  expect(status({ changes: [], effect, base: null }, { work })).toHaveLength(2)
})

it('tells an operation and stashes', () => {
  expect(status({ changes: [], operation: 'rebase', stashes: 2 }).slice(1)).toEqual([
    'Work tree clean',
    'Operation in progress: rebase, neither finished nor aborted',
    '2 stashes kept aside',
  ])
})

it('names what was referred to last, with the address where it is known', () => {
  expect(status({}, { references: sampleEvidence().references }).at(-1)).toBe(
    'Named last: PR #48 (https://example.com/pull/48), issue #12',
  )
})

const check = (more: Partial<CheckFact> = {}): CheckFact => ({
  command: 'npm test',
  outcome: 'ok',
  exitCode: 0,
  firstError: null,
  at: null,
  ...more,
})
// The commits of the sample are of 08:20 and 08:51.
it.each([
  [check(), '`npm test` passed'],
  [check({ outcome: 'unknown' }), '`npm test` ended with an unknown outcome'],
  [check({ outcome: 'failed', exitCode: 2, firstError: 'a <b>' }), '`npm test` failed (exit 2): a \\<b>'],
  [check({ command: 'a\nb', stale: true }), '`a …` passed; files were edited since'],
  [check({ at: '2026-07-14T09:00:00Z' }), '`npm test` passed at `3f9c2ab1`'],
  [check({ at: '2026-07-14T08:30:00Z' }), '`npm test` passed at `77aa10b2`; 1 commit since'],
  [
    check({ at: '2026-07-14T08:00:00Z', stale: true }),
    '`npm test` passed; 2 commits since; files were edited since',
  ],
])('tells the last check with its commit and age: %j', (lastCheck, line) => {
  expect(status({}, { lastCheck }).at(-1)).toBe(`Last check: ${line}`)
}) // prettier-ignore

it('takes what a check ran on for HEAD when the session then committed it', () => {
  const lastCheck = check({ at: '2026-07-14T08:30:00Z' })
  const own = work([made('Cap it', { sha: '3f9c2ab' })])
  expect(status({}, { lastCheck, work: own }).at(-1)).toBe('Last check: `npm test` passed')
  const stale = { ...lastCheck, stale: true }
  expect(status({}, { lastCheck: stale, work: own }).at(-1)).toContain('1 commit since; files were')
})

it('tells nothing of the commits here where the session worked elsewhere', () => {
  const lastCheck = check({ at: '2026-07-14T08:30:00Z' })
  const elsewhere = work([], { isElsewhere: true })
  expect(status({ changes: [] }, { lastCheck, work: elsewhere }).slice(2)).toEqual([
    'Last check: `npm test` passed',
  ])
  expect(commitFacts({ ...sampleGit(), base: null }, elsewhere)).toEqual([])
  expect(commitFacts(sampleGit(), elsewhere)).toHaveLength(2)
})

it('tells nothing of what there is not', () => {
  expect(status({}, { agent: sampleEvidence().agent })).toHaveLength(2)
  expect(status(null)).toEqual(['No git repository here: git facts are left out.'])
})

const made = (subject: string, more: Partial<SessionWork['commits'][number]> = {}) => ({
  branch: null,
  sha: null,
  subject,
  isPushed: false,
  ...more,
})
const work = (commits: SessionWork['commits'], more: Partial<SessionWork> = {}): SessionWork => ({
  branch: null,
  commits,
  isEdited: false,
  worktree: null,
  ...more,
})
it.each([
  [work([made('Cap it', { sha: 'abcd1234' })]), 'The session made 1 commit: `abcd1234` Cap it (not pushed)'],
  [
    work([made('Port it'), made('Cap it')], { isEdited: true }),
    'The session made 2 commits, the last: Cap it (not pushed); files were edited since',
  ],
  [
    work([made('Port it', { branch: 'topic', isPushed: true }), made('Cap it', { branch: 'main' })]),
    'The session made 2 commits: Port it on branch topic (pushed); Cap it on branch main (not pushed)',
  ],
  [
    work(['a', 'b', 'c', 'd', 'd'].map((branch) => made(`Do ${branch}`, { branch, isPushed: true }))),
    'The session made 5 commits, the last of 3 branches: Do b on branch b (pushed); Do c on branch c (pushed); Do d on branch d (pushed)',
  ],
  [work([made('x', { sha: '3f9c2ab1' })]), null],
  [work([], { isEdited: true }), null],
])('tells commits of the session that are not here: %j', (done, line) => {
  expect(status({}, { work: done }).slice(2)).toEqual(line === null ? [] : [line])
}) // prettier-ignore

it.each([
  [work([], { branch: 'topic' }), 'The session was last on branch `topic`, which is not checked out here'],
  // Commits that git told nothing of.
  [
    work([{ branch: null, sha: null, subject: '', isPushed: false }], { branch: 'topic' }),
    'The session was last on branch `topic`, which is not checked out here',
  ],
  // Picked, not committed, and here already.
  [work([made('x', { sha: '3f9c2ab1' })], { isEdited: true }), null],
  [work([]), null],
])('tells the branch that a session without a commit was on last: %j', (done, line) => {
  expect(status({ changes: [] }, { work: done }).slice(2)).toEqual(line === null ? [] : [line])
}) // prettier-ignore
