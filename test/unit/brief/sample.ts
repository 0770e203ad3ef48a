import type { DraftInput } from '../../../src/brief/draft.ts'
import { notesFrom } from '../../../src/brief/notes.ts'
import { defaultConfig } from '../../../src/config/keys.ts'
import type { NoteSlots, Notes } from '../../../src/types/brief.ts'
import type { Evidence } from '../../../src/types/evidence.ts'
import type { GitState } from '../../../src/types/git.ts'

const HEAD = '3f9c2ab1d0e47788990aabbccddeeff001122334'
const BASE = '9d1e8f70c2b34455667788990aabbccddeeff001'

export const emptyEvidence = (): Evidence => ({
  files: [],
  commands: [],
  constraints: [],
  information: [],
  decisions: [],
  questions: [],
  heard: { said: [], changed: [], isEdited: false },
  plan: [],
  lastCheck: null,
  checks: [],
  closing: null,
  turns: [],
  forgotten: 0,
  work: null,
  references: [],
  skills: [],
  agent: null,
  messages: 0,
  endedAt: null,
  limitations: [],
})

export const sampleGit = (): GitState => ({
  root: '/home/dev/repo',
  worktrees: ['/home/dev/repo'],
  branch: 'feature/retry-scheduler',
  head: HEAD,
  upstream: 'origin/feature/retry-scheduler',
  ahead: 2,
  behind: 0,
  base: { ref: 'main', sha: BASE },
  operation: null,
  changes: [
    { path: 'src/queue/retry.ts', staged: false, unstaged: true, state: 'modified' },
    { path: 'test/queue/retry.test.ts', staged: true, unstaged: true, state: 'modified' },
    { path: 'src/queue/backoff.ts', staged: false, unstaged: false, state: 'untracked' },
  ],
  commits: [
    {
      sha: HEAD,
      subject: 'Schedule retries on the timer wheel',
      at: '2026-07-14T08:51:10Z',
      trailers: [],
      files: ['src/queue/retry.ts'],
    },
    {
      sha: '77aa10b2c3d4e5f60718293a4b5c6d7e8f901234',
      subject: 'Give the scheduler a clock that tests can set',
      at: '2026-07-14T08:20:41Z',
      trailers: [],
      files: ['src/scheduler/clock.ts'],
    },
  ],
  commitCount: 2,
  effect: [],
  stashes: 0,
  shallow: false,
  sparse: false,
  files: new Set([
    'docs/queue.md',
    'package.json',
    'src/queue/backoff.ts',
    'src/queue/index.ts',
    'src/queue/retry.ts',
    'src/scheduler/clock.ts',
    'src/scheduler/wheel.ts',
    'test/queue/retry.test.ts',
  ]),
  renames: new Map([['src/queue/delay.ts', 'src/queue/backoff.ts']]),
  identity: { name: 'Dev', email: 'dev@example.com' },
  setUp: new Set(),
})

export const sampleEvidence = (): Evidence => ({
  ...emptyEvidence(),
  files: [
    {
      path: 'src/queue/retry.ts',
      reason: 'holds the retry loop, moved onto `Scheduler.at`',
      evidence: ['edited', 'uncommitted', 'committed'],
      source: 'transcript',
    },
    {
      path: 'src/queue/backoff.ts',
      reason: 'new: delays between attempts',
      evidence: ['created', 'uncommitted'],
      source: 'transcript',
    },
    {
      path: 'test/queue/retry.test.ts',
      reason: 'its test for the cap fails',
      evidence: ['edited', 'uncommitted', 'failing'],
      source: 'transcript',
    },
    {
      path: 'docs/queue.md',
      reason: 'to be updated by the plan',
      evidence: ['planned'],
      source: 'transcript',
      mark: 'planned',
    },
    {
      path: 'src/queue/index.ts',
      reason: 'the public API',
      evidence: ['goal', 'read'],
      source: 'transcript',
    },
    {
      path: 'src/scheduler/wheel.ts',
      reason: 'read for the order of `tick` and `flush`',
      evidence: ['read'],
      source: 'transcript',
    },
    {
      path: 'src/queue/timers.ts',
      reason: 'replaced by the scheduler',
      evidence: ['deleted', 'committed'],
      source: 'git',
      mark: 'gone',
    },
  ],
  commands: [
    {
      command: 'npm test -- queue',
      outcome: 'failed',
      exitCode: 1,
      cwd: null,
      kind: 'test',
      runs: 4,
      source: 'transcript',
      at: '2026-07-14T09:12:00Z',
    },
    {
      command: 'npm run build',
      outcome: 'ok',
      exitCode: 0,
      cwd: null,
      kind: 'build',
      runs: 2,
      source: 'transcript',
      at: '2026-07-14T08:49:00Z',
    },
    {
      command: 'cat <<\'EOF\' > wheel.json\n{ "slots": 512 }\nEOF\nnode bench/wheel.mjs `cat wheel.json`',
      outcome: 'ok',
      exitCode: 0,
      cwd: 'bench',
      kind: 'run',
      runs: 1,
      source: 'transcript',
      at: null,
    },
  ],
  constraints: [
    {
      text: 'keep the public API of src/queue/index.ts exactly as it is',
      source: 'user',
      at: '2026-07-14T08:02:00Z',
      from: '20260713T174502-2ab09c1d',
    },
    { text: 'use vitest, not jest', source: 'user', at: '2026-07-14T08:02:00Z' },
    {
      text: 'do NOT touch the <Scheduler> component, that is another "team"',
      source: 'user',
      at: '2026-07-14T08:40:00Z',
    },
  ],
  information: [
    {
      text: '`tick()` runs before `flush()`: a retry queued inside a flush waits a whole tick',
      source: 'model',
      at: null,
    },
    { text: 'imports need the .ts extension', source: 'model', at: null },
  ],
  decisions: [
    {
      what: 'Backoff is exponential and capped at 30 s',
      why: 'the gateway drops clients after 45 s',
      alternatives: ['linear', 'jitter only'],
      by: 'user',
      source: 'transcript',
      at: '2026-07-14T08:31:00Z',
    },
  ],
  questions: [
    {
      text: '`npm test -- queue` fails: AssertionError: expected 45000 to be 30000',
      source: 'transcript',
      at: null,
      kind: 'failing',
    },
    {
      text: 'Should a cancelled job still count as an attempt?',
      source: 'transcript',
      at: null,
      kind: 'question',
    },
  ],
  plan: [
    { text: 'Port the retry queue', status: 'done' },
    { text: 'Cap the backoff', status: 'in_progress' },
    { text: 'Update docs/queue.md', status: 'pending', blockedBy: ['Cap the backoff'] },
  ],
  lastCheck: {
    command: 'npm test -- queue',
    outcome: 'failed',
    exitCode: 1,
    firstError: 'AssertionError: expected 45000 to be 30000',
    at: null,
  },
  closing: {
    text: 'The cap is applied before the jitter is added, so the sum still exceeds 30 s. I will move it next.\n\n| attempt | delay |\n| --- | --- |\n| 1 | 2 s |\n| 6 | 45 s |',
    at: null,
    after: ['`npm test -- queue` ran after it and failed.'],
  },
  turns: [
    {
      request: 'Port the retry queue to the new scheduler, keep the public API.',
      to: null,
      at: '2026-07-14T08:02:00Z',
      steps: [
        { kind: 'said', text: 'The queue runs on `Scheduler.at` now; the old timers are gone.', at: null },
        { kind: 'commit', text: 'Schedule retries on the timer wheel', at: null },
      ],
    },
    {
      request: 'yes, the first one',
      to: 'Cap the backoff (1) behind the jitter or (2) before it?',
      at: null,
      steps: [{ kind: 'answer', text: '(1) behind the jitter', at: null }],
    },
    { request: 'now cap the backoff at 30 s', to: null, at: null, steps: [] },
  ],
  references: [
    { name: 'PR #48', url: 'https://example.com/pull/48' },
    { name: 'issue #12', url: null },
  ],
  skills: ['test-driven-development'],
  agent: {
    id: 'claude-code',
    label: 'Claude Code',
    version: '2.1.9',
    model: 'claude-opus-4-5',
    thinking: 'high',
    session: '0b8f2f0e-5f0e-4f0a-9f55-0c7a8f1f7a11',
  },
  messages: 42,
  endedAt: '2026-07-14T09:14:40Z',
  limitations: ['2 files outside the repository are left out.'],
})

export const sampleNotes = (): Notes =>
  notesFrom(sampleSlots(), {
    capturedAt: '2026-07-14T09:14:00.000Z',
    capturedBySessionId: '0b8f2f0e-5f0e-4f0a-9f55-0c7a8f1f7a11',
    branch: 'feature/retry-scheduler',
    head: HEAD,
  })

export const sampleSlots = (): NoteSlots => ({
  currentLineOfAttack:
    'Moving the cap behind the jitter in nextDelay(), then the last failing test should pass.',
  activeHypothesis: 'The wheel rounds up to its slot width, which is where the extra 15 s come from.',
  abandonedApproaches: ['Capping in the scheduler: breaks the billing jobs, which rely on longer delays.'],
  openQuestions: ['Is the slot width of 512 ms documented anywhere?'],
  decisions: [{ what: 'Keep the old delay table', why: 'two callers still import it', alternatives: [] }],
  blockers: ['No access to the staging gateway.'],
  nextSteps: ['Move the cap behind the jitter.', 'Run the queue tests, then update docs/queue.md.'],
  information: [],
  files: [
    { path: './src/queue/delay.ts:12', reason: 'the delay table two callers still import' },
    { path: 'src/nowhere.ts', reason: 'imagined' },
  ],
  other: null,
})

export const sampleInput = (): DraftInput => {
  const { limits, budget, include, mission } = defaultConfig()
  return {
    id: '20260714T091522-01c40e9b',
    createdAt: '2026-07-14T09:15:22.028Z',
    goal: 'cap the retry backoff at 30 s including jitter, make the queue tests pass, document it in docs/queue.md',
    vague: false,
    focus: null,
    reason: 'context_limit',
    git: sampleGit(),
    evidence: sampleEvidence(),
    notes: sampleNotes(),
    notesAge: null,
    notesChecked: false,
    parent: {
      id: '20260713T174502-2ab09c1d',
      createdAt: '2026-07-13T17:45:02.683Z',
      goal: 'port the retry queue to the new scheduler, keep the public API',
      skills: [],
      persona: null,
    },
    persona: null,
    skills: [],
    resumedFrom: null,
    extraction: { mode: 'none', attempts: 0 },
    config: { limits, budget, include, mission },
    missionFile: null,
    defaults: { limits, budget },
  }
}
