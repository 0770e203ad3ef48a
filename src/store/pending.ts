import { openRecords, withLock } from './private.ts'

/** One request to a running agent to write down what it knows. It is kept while it is open, so that hooks find it. */
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
  /** `delivered`: the agent has the instruction. */
  state: 'asked' | 'delivered'
  /** ISO. */
  askedAt: string
  /** When the agent said last that its turn ended, after the instruction was delivered. */
  stoppedAt: string | null
}

const records = openRecords<Pending>(
  'pending',
  ({ schemaVersion, requestId, state }) =>
    schemaVersion === 1 && typeof requestId === 'string' && (state === 'asked' || state === 'delivered'),
)

/** Writes it in one step, so that a reader never sees half of it. Throws `writeFailed`. */
export const writePending = (commonDir: string, pending: Pending): Promise<string> =>
  records.write(commonDir, pending.requestId, pending)

/** Null when it is over. */
export const readPending = (commonDir: string, { requestId }: Pick<Pending, 'requestId'>) =>
  records.read(commonDir, requestId)

/** Those that are open, oldest first. */
export const listPending = records.list

/** Ends it; of several processes that do, one gets true. */
export const closePending = (commonDir: string, { requestId }: Pick<Pending, 'requestId'>) =>
  records.remove(commonDir, requestId)

/** Changes an open one; hooks and the process that waits write in turn. Null when it is over. */
export const changePending = (
  commonDir: string,
  pending: Pick<Pending, 'requestId'>,
  change: (now: Pending) => Partial<Pending>,
): Promise<Pending | null> =>
  withLock(commonDir, `locks/${pending.requestId}`, async () => {
    const now = await readPending(commonDir, pending)
    if (now === null) return null
    const next = { ...now, ...change(now) }
    await writePending(commonDir, next)
    return next
  })
