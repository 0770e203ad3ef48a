import { listPrivate, readPrivate, removePrivate, writePrivate } from './private.ts'

/** Where a request, or the cycle it begins, stands. `noted` ends a request, `started` a cycle; `failed` and `cancelled` end both. */
export type PendingState =
  | 'asked'
  | 'delivered'
  | 'stopped'
  | 'noted'
  | 'committed'
  | 'ending'
  | 'starting'
  | 'started'
  | 'failed'
  | 'cancelled'

/** One request to a running agent to write down what it knows; it survives restarts. */
export interface Pending {
  schemaVersion: 1
  /** `<time>-<hex>`, unlike every other. */
  requestId: string
  /** The agent that is asked; its session when that is known. */
  agent: string
  sessionId: string | null
  /** Top of the worktree it works in. */
  root: string
  branch: string | null
  head: string | null
  reason: string
  /** Repository-relative and absolute path of the document. */
  file: string
  path: string
  /** How the instruction is brought to it, and into which pane. */
  via: 'tmux' | 'hook' | 'print'
  pane: string | null
  state: PendingState
  /** ISO times. */
  askedAt: string
  changedAt: string
  /** When the agent said last that its turn ended, after the instruction was delivered. */
  stoppedAt: string | null
  /** Why it failed: a code and a sentence. */
  failure: { code: string; message: string } | null
  /** The rest of the cycle; null for a mere request. */
  cycle: Cycle | null
}

/** What `switch` does when the document is there. */
export interface Cycle {
  goal: string
  to: string
  persona: string | null
  skills: string[]
  allowVague: boolean
  endOutgoing: boolean
  /** Where the successor is started: in a window of tmux, in this terminal, or for one turn without any. */
  where: 'tmux' | 'here' | 'headless'
  /** `TMUX` of whoever asked, by which the server is found. */
  tmux: string | null
  /** Ms from the request to the document, and from each prompt of the successor to the end of its turn. */
  timeout: number
  /** Process that goes on with it; null: none does. */
  pid: number | null
  briefId: string | null
  successor: PendingSuccessor | null
}

/** The agent that goes on, as far as it has been started. */
export interface PendingSuccessor {
  agent: string
  /** Its pane; null: it runs in none, or has not said so yet. */
  pane: string | null
  sessionId: string | null
  /** Sessions of that agent that were known before it was started. */
  known: string[]
  /** How many of its prompts have been sent, and when the last one was (ISO). */
  sent: number
  sentAt: string | null
  /** Why it could not be started, as its window told it. */
  failure: string | null
}

const FOLDER = 'pending'
const ENDS: ReadonlySet<PendingState> = new Set(['noted', 'started', 'failed', 'cancelled'])

/** Nothing more will happen to it. */
export const isEnded = ({ state, cycle }: Pick<Pending, 'state' | 'cycle'>): boolean =>
  ENDS.has(state) && !(state === 'noted' && cycle !== null)

/** Writes it in one step, so that a reader never sees half of it. Throws `writeFailed`. */
export async function writePending(commonDir: string, pending: Pending): Promise<void> {
  await writePrivate(
    commonDir,
    `${FOLDER}/${pending.requestId}.json`,
    `${JSON.stringify(pending, null, 2)}\n`,
  )
}

export const readPending = async (commonDir: string, requestId: string): Promise<Pending | null> =>
  /^[\w-]+$/.test(requestId) ? parse(await readPrivate(commonDir, `${FOLDER}/${requestId}.json`)) : null

/** All that are kept, oldest first; what another version wrote is passed over. */
export async function listPending(commonDir: string): Promise<Pending[]> {
  const names = await listPrivate(commonDir, FOLDER)
  const found = await Promise.all(names.map((name) => readPrivate(commonDir, `${FOLDER}/${name}`)))
  return found.map(parse).filter((pending) => pending !== null)
}

export const removePending = (commonDir: string, requestId: string): Promise<void> =>
  removePrivate(commonDir, `${FOLDER}/${requestId}.json`)

function parse(text: string | null): Pending | null {
  try {
    const value = JSON.parse(text ?? 'null') as Pending | null
    return value?.schemaVersion === 1 && typeof value.requestId === 'string' ? value : null
  } catch {
    return null
  }
}
