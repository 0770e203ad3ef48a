import { orNull } from '../errors/handoff-error.ts'
import { listPrivate, openRecords, removePrivate } from './private.ts'

/** Where a request, or the cycle it begins, stands. `noted` ends a request, `started` a cycle; `failed` and `cancelled` end both. */
export type PendingState =
  | 'asked'
  | 'delivered'
  | 'noted'
  | 'committed'
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
  /** What the page is asked for; null or absent: nobody has said it yet. */
  goal?: string | null
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
  /** Ms from the request to the document, and from each prompt of the successor to the end of its turn. */
  timeout: number
  /** The process that runs it. */
  pid: number | null
  briefId: string | null
  /** The agent that goes on, where it runs in a pane; `sessionId` null: its hooks told of none. */
  successor: { agent: string; pane: string; sessionId: string | null } | null
}

const ENDED = 'ended'
/** Ended ones that are kept, to be told of. */
const KEPT = 20
const ENDS: ReadonlySet<PendingState> = new Set(['noted', 'started', 'failed', 'cancelled'])

const isPending = ({ schemaVersion, requestId }: Partial<Pending>): boolean =>
  schemaVersion === 1 && typeof requestId === 'string'
/** What is open has a folder of its own: at the start of a session its being empty spares the start of Node. */
const open = openRecords<Pending>('pending', isPending)
const ended = openRecords<Pending>(ENDED, isPending)

/** Nothing more will happen to it. */
export const isEnded = ({ state, cycle }: Pick<Pending, 'state' | 'cycle'>): boolean =>
  ENDS.has(state) && !(state === 'noted' && cycle !== null)

/** Writes it in one step, so that a reader never sees half of it. What has ended stays so. Throws `writeFailed`. */
export async function writePending(commonDir: string, pending: Pending): Promise<void> {
  const { requestId } = pending
  if (!isEnded(pending)) return void (await open.write(commonDir, requestId, pending))
  await ended.write(commonDir, requestId, pending)
  await open.remove(commonDir, requestId)
  for (const old of (await listPrivate(commonDir, ENDED)).slice(0, -KEPT))
    await removePrivate(commonDir, `${ENDED}/${old}`)
}

export async function readPending(commonDir: string, requestId: string): Promise<Pending | null> {
  if (!/^[\w-]+$/.test(requestId)) return null
  // In this order: one that ends in between is found all the same.
  const found = await open.read(commonDir, requestId)
  return (await ended.read(commonDir, requestId)) ?? found
}

/** Those that are open, oldest first. */
export const listOpen = open.list

/** All that are kept, oldest first. */
export async function listPending(commonDir: string): Promise<Pending[]> {
  const all = [...(await open.list(commonDir)), ...(await ended.list(commonDir))]
  const byId = new Map(all.map((pending) => [pending.requestId, pending]))
  return [...byId.values()].sort((a, b) => (a.requestId < b.requestId ? -1 : 1))
}

/** The process of a switch is gone, so nobody goes on with it. */
export const isStalled = (pending: Pending): boolean =>
  !isEnded(pending) &&
  pending.cycle !== null &&
  (pending.cycle.pid === null || orNull(() => process.kill(pending.cycle?.pid ?? 0, 0)) === null)
