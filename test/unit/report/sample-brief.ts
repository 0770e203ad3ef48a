import { inflateRawSync } from 'node:zlib'
import { notesFrom, readSlots } from '../../../src/brief/notes.ts'
import { type ParsedBrief, parseBrief } from '../../../src/brief/parse.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import type { Brief, FrontMatter, NoteSlots, Notes } from '../../../src/types/brief.ts'
import type { TextFact } from '../../../src/types/evidence.ts'

export const said = (text: string, source: TextFact['source'], from?: string): TextFact => ({
  text,
  source,
  at: null,
  ...(from === undefined ? {} : { from }),
})

/** A brief with nothing but these parts. */
export function sampleBrief(
  meta: Partial<FrontMatter> & { id: string; goal: string },
  parts: Partial<Brief> = {},
): Brief {
  const whole: FrontMatter = {
    schemaVersion: 1,
    reason: 'manual',
    createdAt: '2026-07-16T15:19:45.000Z',
    branch: 'main',
    head: null,
    dirty: false,
    agent: { id: 'claude-code', label: 'Claude Code', model: 'claude-opus-4-5' },
    parents: [],
    extraction: { mode: 'none', attempts: 0 },
    tokens: 640,
    ...meta,
  }
  return {
    status: [`Branch \`${whole.branch}\``, 'Work tree clean'],
    notes: null,
    closing: [],
    trail: [],
    information: [],
    constraints: [],
    decisions: [],
    progress: { done: [], inProgress: [], pending: [] },
    files: [],
    limitation: null,
    commands: [],
    questions: [],
    nextSteps: [],
    previous: null,
    cuts: {},
    ...parts,
    meta: whole,
  }
}

export const notes = (slots: Partial<NoteSlots>): Notes =>
  notesFrom(readSlots(slots), {
    capturedAt: '2026-07-14T09:14:00.000Z',
    capturedBySessionId: null,
    branch: null,
    head: null,
  })

export const idOf = (n: number): string => `20261122T1000${String(n).padStart(2, '0')}-000abc00`

/** The n-th brief of a chain, with something in every section that is compared or told. */
export function textOf(change: (brief: Brief) => void = () => undefined, n = 1): string {
  const brief = sampleBrief(
    {
      id: idOf(n),
      parents: n === 0 ? [] : [idOf(n - 1)],
      goal: 'cap the retry backoff at 30 s including jitter, make the queue tests pass, document it',
      branch: 'feature/retry-scheduler',
    },
    {
      status: ['Last check: `npm test -- queue` failed (exit 1): expected 45000 to be 30000 at `3f9c2ab1`'],
      closing: [
        '> The cap is applied before the jitter is added.',
        '>',
        '> - move it',
        '>   - then run the tests',
      ],
      trail: [
        '- "now cap the backoff at 30 s"',
        '  - Moved the cap.',
        '  - Refused by the user: no new dependency',
      ],
      constraints: [
        said('keep the public API of src/queue/index.ts exactly as it is', 'user', idOf(99)),
        said('use vitest, not jest', 'user'),
      ],
      decisions: [
        {
          what: 'Backoff is exponential and capped at 30 s',
          why: 'the gateway drops clients after 45 s',
          alternatives: ['linear'],
          by: 'user',
          source: 'transcript',
          at: null,
        },
      ],
      progress: {
        done: [said('`77aa10b2` Give the scheduler a clock', 'git')],
        inProgress: [],
        pending: [said('Update docs/queue.md', 'transcript')],
      },
      questions: [
        { ...said('Should a cancelled job still count as an attempt?', 'agent'), kind: 'question' },
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
      notes: notes({ abandonedApproaches: ['Capping in the scheduler: breaks the billing jobs.'] }),
    },
  )
  change(brief)
  return renderBrief(brief)
}

export const brief = (change?: (brief: Brief) => void, n?: number): ParsedBrief =>
  parseBrief(textOf(change, n))

/** What the script of a page of `log --html` draws. */
export const dataOf = (page: string) =>
  JSON.parse(
    inflateRawSync(
      Buffer.from(/<script type="text\/plain" id="data">(.*)<\/script>/.exec(page)?.[1] ?? '', 'base64'),
    ).toString(),
  )
