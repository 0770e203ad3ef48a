import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { briefPath } from '../../src/brief/id.ts'
import { renderBrief, renderClosing } from '../../src/brief/render.ts'
import type { Brief, FrontMatter } from '../../src/types/brief.ts'
import { said, sampleBrief } from '../unit/report/sample-brief.ts'

/** A neutral history: two agents on one branch, a fork that was closed, a chain whose beginning is gone. */
export function writeSampleChain(root: string, env: Readonly<Record<string, string>>): SampleChain {
  mkdirSync(root, { recursive: true })
  let clock = Date.parse('2026-07-13T09:00:00Z')
  const git = (...args: string[]): string => {
    clock += 60_000
    const date = new Date(clock).toISOString()
    return execFileSync('git', args, {
      cwd: root,
      env: { ...env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  }
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const commit = (subject: string, files: Record<string, string>): void => {
    for (const [path, text] of Object.entries(files)) put(path, text)
    git('add', '-A')
    git('commit', '-q', '-m', subject)
  }
  const hand = (
    meta: Partial<FrontMatter> & { id: string; goal: string },
    parts: Partial<Brief> = {},
  ): string => {
    const at = meta.id
    const createdAt = `${at.slice(0, 4)}-${at.slice(4, 6)}-${at.slice(6, 11)}:${at.slice(11, 13)}:${at.slice(13, 15)}.000Z`
    const brief = sampleBrief({ ...meta, createdAt, head: git('rev-parse', 'HEAD') }, parts)
    const text =
      meta.kind === 'done'
        ? renderClosing(brief.meta, 'documented in docs/retry.md, merged')
        : renderBrief(brief)
    commit(`chore(handoff): ${meta.goal.slice(0, 50)}`, { [briefPath(meta.id, meta.goal)]: text })
    return meta.id
  }
  git('init', '-q', '-b', 'main')
  commit('Queue with fixed delays', {
    'package.json': '{ "scripts": { "test": "node --test", "build": "node build.mjs" } }\n',
    'src/queue/retry.ts': 'export const delays = [1, 5, 30]\n',
    'src/queue/index.ts': "export * from './retry.ts'\n",
    'src/scheduler/wheel.ts': 'export const slots = 512\n',
  })
  git('switch', '-q', '-c', 'feature/retry-scheduler')
  const first = hand({ id: '20260713T174502-2ab09c1d', goal: PORT, agent: claude, branch: RETRY }, port)
  commit('Give the scheduler a clock that tests can set', {
    'src/scheduler/clock.ts': 'export const now = Date.now\n',
  })
  git('switch', '-q', '-c', 'docs/retry', 'HEAD')
  const docs = hand(
    {
      id: '20260714T071100-11840e21',
      goal: 'write docs/retry.md: delays, cap, how to turn it off',
      agent: pi,
      branch: 'docs/retry',
      parents: [first],
      persona: 'writer',
    },
    { constraints: port.constraints ?? [], nextSteps: [said('Show one example per delay table.', 'agent')] },
  )
  const closed = hand({
    id: '20260714T160230-0c24d1f0',
    goal: 'write docs/retry.md: delays, cap, how to turn it off',
    kind: 'done',
    agent: pi,
    branch: 'docs/retry',
    parents: [docs],
    persona: 'writer',
  })
  git('switch', '-q', RETRY)
  const cap = hand(
    {
      id: '20260714T091522-01c40e9b',
      goal: CAP,
      agent: claude,
      branch: RETRY,
      parents: [first],
      reason: 'context_limit',
    },
    capped,
  )
  commit('Schedule retries on the timer wheel', {
    'src/queue/retry.ts': 'export const delays = [1, 5, 25]\n',
  })
  git('switch', '-q', '-c', 'fix/invoice-rounding', 'main')
  const invoices = hand(
    {
      id: '20260715T101010-2f0ac210',
      goal: 'find out why invoices in CHF are rounded twice',
      agent: gemini,
      branch: 'fix/invoice-rounding',
      parents: ['20260601T080000-0aa11b22'],
    },
    {
      questions: [
        {
          ...said('Is the second rounding in the exporter or in the ledger?', 'transcript'),
          kind: 'question',
        },
      ],
    },
  )
  const rounding = hand(
    {
      id: '20260716T083000-3b1c9d7e',
      goal: 'round invoices once, in the ledger; add a test with CHF and JPY',
      agent: gemini,
      branch: 'fix/invoice-rounding',
      parents: [invoices],
      persona: 'reviewer',
    },
    {
      decisions: [
        {
          what: 'Round in the ledger only',
          why: 'the exporter sees sums of rounded lines',
          alternatives: ['round in the exporter'],
          by: 'user',
          source: 'transcript',
          at: null,
        },
      ],
    },
  )
  git('switch', '-q', RETRY)
  const last = hand(
    {
      id: '20260716T151945-08d1e5a4',
      goal: FINISH,
      agent: codex,
      branch: RETRY,
      parents: [cap],
      focus: 'the order of cap and jitter',
    },
    finish,
  )
  commit('Move the delay table', { 'src/queue/backoff.ts': 'export const cap = 30\n' })
  git('mv', 'src/scheduler/wheel.ts', 'src/scheduler/timer-wheel.ts')
  commit('Name the wheel for what it is', {})
  return {
    ids: [last, rounding, invoices, closed, cap, docs, first],
    last,
    closed,
    first,
    cap,
    docs,
    rounding,
  }
}

export interface SampleChain {
  /** Newest first. */
  ids: string[]
  last: string
  closed: string
  first: string
  cap: string
  docs: string
  rounding: string
}

const RETRY = 'feature/retry-scheduler'
const PORT = 'port the retry queue to the new scheduler, keep the public API'
const CAP = 'cap the retry backoff at 30 s including jitter, make the queue tests pass'
const FINISH =
  'move the cap behind the jitter in nextDelay(), make `npm test` pass, then delete the old delay table'

const claude = {
  id: 'claude-code',
  label: 'Claude Code',
  version: '2.1.9',
  model: 'claude-opus-4-5',
} as const
const codex = { id: 'codex', label: 'Codex', version: '0.169.0', model: 'gpt-5.2-codex' } as const
const pi = { id: 'pi', label: 'Pi', version: '1.5.0' } as const
const gemini = { id: 'gemini-cli', label: 'Gemini CLI', version: '0.61.0' } as const

export const port: Partial<Brief> = {
  constraints: [
    said('keep the public API of src/queue/index.ts exactly as it is', 'user'),
    said('use vitest, not jest', 'user'),
  ],
  decisions: [
    {
      what: 'Keep the old delay table',
      why: 'two callers still import it',
      alternatives: [],
      by: 'agent',
      source: 'agent',
      at: null,
    },
  ],
  questions: [
    { ...said('Should a cancelled job still count as an attempt?', 'transcript'), kind: 'question' },
  ],
  files: [
    {
      path: 'src/queue/retry.ts',
      reason: 'the loop that is ported',
      evidence: ['goal', 'edited'],
      source: 'transcript',
    },
    {
      path: 'src/queue/index.ts',
      reason: 'the public API',
      evidence: ['goal', 'read'],
      source: 'transcript',
    },
  ],
}

const capped: Partial<Brief> = {
  ...port,
  constraints: (port.constraints ?? []).map((fact) => ({ ...fact, from: '20260713T174502-2ab09c1d' })),
  decisions: [
    {
      what: 'Backoff is exponential and capped at 30 s',
      why: 'the gateway drops clients after 45 s',
      alternatives: ['linear', 'jitter only'],
      by: 'user',
      source: 'transcript',
      at: null,
    },
    ...(port.decisions ?? []),
  ],
  files: [
    {
      path: 'src/queue/retry.ts',
      reason: 'holds the retry loop, moved onto `Scheduler.at`',
      evidence: ['edited', 'uncommitted'],
      source: 'transcript',
    },
    {
      path: 'src/scheduler/wheel.ts',
      reason: 'read for the order of `tick` and `flush`',
      evidence: ['read'],
      source: 'transcript',
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
      at: null,
    },
  ],
}

const finish: Partial<Brief> = {
  status: [
    'Branch `feature/retry-scheduler`, 2 ahead of `origin/feature/retry-scheduler`',
    'Work tree: 2 uncommitted changes (1 staged, 1 not staged)',
    'Last check: `npm test -- queue` failed (exit 1): AssertionError: expected 45000 to be 30000',
  ],
  constraints: [
    ...(capped.constraints ?? []).slice(0, 1),
    said('do NOT touch the <Scheduler> component, that is another team', 'user'),
  ],
  information: [
    said('`tick()` runs before `flush()`: a retry queued inside a flush waits a whole tick', 'transcript'),
    said('imports need the .ts extension', 'transcript'),
  ],
  decisions: [
    ...(capped.decisions ?? []).slice(0, 1),
    {
      what: 'Delete the old delay table',
      why: 'its two callers are ported',
      alternatives: ['keep it as an alias'],
      by: 'user',
      source: 'transcript',
      at: null,
    },
  ],
  progress: {
    done: [
      said('`77aa10b2` Give the scheduler a clock that tests can set', 'git'),
      said('`3f9c2ab1` Schedule retries on the timer wheel', 'git'),
    ],
    inProgress: [said('2 modified: `src/queue/retry.ts`, `test/queue/retry.test.ts`', 'git')],
    pending: [
      said('Cap the backoff (in progress)', 'transcript'),
      said('Update docs/retry.md (blocked by: Cap the backoff)', 'transcript'),
    ],
  },
  files: [
    {
      path: 'src/queue/retry.ts',
      reason: 'the cap is applied before the jitter is added',
      evidence: ['edited', 'uncommitted'],
      source: 'transcript',
    },
    {
      path: 'src/scheduler/wheel.ts',
      reason: 'read for the order of `tick` and `flush`',
      evidence: ['read'],
      source: 'transcript',
    },
    {
      path: 'src/queue/backoff.ts',
      reason: 'where the delay table goes',
      evidence: ['planned'],
      source: 'transcript',
      mark: 'planned',
    },
  ],
  limitation: '2 files outside the repository are left out.',
  commands: [
    {
      command: 'npm test -- queue',
      outcome: 'failed',
      exitCode: 1,
      cwd: null,
      kind: 'test',
      runs: 6,
      source: 'transcript',
      at: null,
    },
    {
      command: 'npm run build',
      outcome: 'ok',
      exitCode: 0,
      cwd: null,
      kind: 'build',
      runs: 2,
      source: 'transcript',
      at: null,
    },
  ],
  questions: [
    {
      ...said('`npm test -- queue` fails: AssertionError: expected 45000 to be 30000', 'transcript'),
      kind: 'failing',
    },
    { ...said('No access to the staging gateway.', 'agent'), kind: 'blocker' },
  ],
  notes: {
    schemaVersion: 1,
    capturedAt: '2026-07-16T15:18:00.000Z',
    capturedBySessionId: null,
    branch: null,
    head: null,
    page: [
      '- Current line of attack: Moving the cap behind the jitter in nextDelay(), then the last failing test should pass.',
      '- Active hypothesis: The wheel rounds up to its slot width, which is where the extra 15 s come from.',
      '- Abandoned: Capping in the scheduler: breaks the billing jobs, which rely on longer delays.',
      '- Open question: Is the slot width of 512 ms documented anywhere?',
      '\n### Fails now\n\n- `npm test -- queue`: the sum is 45 s\n\n### Names\n\n- `nextDelay()` in `src/queue/retry.ts`',
    ].join('\n'),
  },
  closing: [
    '> The cap is applied **before** the jitter is added:',
    '>',
    '> - move it behind the jitter',
    '>   - then run the queue tests',
    '>',
    '> Shall I?',
  ],
  trail: [
    '- "now cap the backoff at 30 s"',
    '  - Capped in nextDelay(), one test fails.',
    '  - Refused by the user: no second timer',
  ],
  nextSteps: [
    said('Move the cap behind the jitter.', 'agent'),
    said('Run the queue tests, then update docs/retry.md.', 'agent'),
  ],
}
