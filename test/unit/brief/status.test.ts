import { expect, it } from 'vitest'
import { statusLines, workTree } from '../../../src/brief/status.ts'
import type { CheckFact, Evidence, GitChange, GitState, SessionWork } from '../../../src/types.ts'
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
    'Work tree: 1 uncommitted change (1 conflicted): `./` 1',
  )
  const changes = ['src/a/1', 'src/a/2', 'src/b/1', 'test/1', 'z/1', 'y/1', 'top'].map((path) => change(path))
  changes.push(change('src/a/3', { staged: true, unstaged: false }), change('new', { state: 'untracked' }))
  expect(workTree(changes)).toBe(
    'Work tree: 9 uncommitted changes (1 staged, 7 not staged, 1 untracked): `src/a/` 3, `./` 2, `src/b/` 1, `test/` 1, 2 more folders',
  )
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
  [check({ at: '2026-07-14T08:30:00Z' }), '`npm test` passed at `77aa10b2`, 1 commit before HEAD'],
  [
    check({ at: '2026-07-14T08:00:00Z', stale: true }),
    '`npm test` passed, 2 commits before HEAD; files were edited since',
  ],
])('tells the last check with its commit and age: %j', (lastCheck, line) => {
  expect(status({}, { lastCheck }).at(-1)).toBe(`Last check: ${line}`)
}) // prettier-ignore

it('says when no check ran, and nothing about checks without a session', () => {
  const { agent } = sampleEvidence()
  expect(status({}, { agent }).at(-1)).toBe('Last check: none with a known outcome')
  expect(status({})).toHaveLength(2)
  expect(status(null)).toEqual(['No git repository here: git facts are left out.'])
})

const work = (more: Partial<SessionWork> = {}): SessionWork => ({
  branch: null,
  commits: [{ sha: 'abcd1234', subject: 'Cap it' }],
  isPushed: false,
  isEdited: false,
  ...more,
})
it.each([
  [work(), 'The session made 1 commit, the last one `abcd1234` Cap it; not pushed'],
  [work({ branch: 'topic', isPushed: true, isEdited: true }), 'The session made 1 commit on branch `topic`, the last one `abcd1234` Cap it; pushed; files were edited since'],
  [work({ commits: [{ sha: null, subject: 'Cap it' }] }), 'The session made 1 commit, the last one Cap it; not pushed'],
  [work({ commits: [{ sha: '3f9c2ab1', subject: 'x' }] }), null],
  [work({ commits: [], isEdited: true }), null],
])('tells commits of the session that are not here: %j', (done, line) => {
  expect(status({}, { work: done }).slice(2)).toEqual(line === null ? [] : [line])
}) // prettier-ignore

it.each([
  [work({ commits: [], branch: 'topic', isEdited: true }), 'The session edited files and made no commit on branch `topic`'],
  [work({ commits: [], branch: 'topic' }), 'The session worked on branch `topic`'],
  [work({ commits: [] }), null],
])('tells work without a commit where the tree does not: %j', (done, line) => {
  expect(status({ changes: [] }, { work: done }).slice(2)).toEqual(line === null ? [] : [line])
}) // prettier-ignore
