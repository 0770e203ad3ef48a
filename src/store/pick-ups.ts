import { existsSync } from 'node:fs'
import { writeJournal } from './journal.ts'
import { openRecords } from './private.ts'

/** The session that a brief was told to, or that acts on it. */
export interface PickUp {
  version: 1
  id: string
  /** ISO. */
  at: string
  agent: string
  sessionId: string | null
  /** Top of the worktree. */
  root: string
  /** It read the brief, or was started with it; else it was only told that there is one. */
  isActing: boolean
}

const records = openRecords<PickUp>(
  'picked-up',
  ({ version, id, at, root }) => version === 1 && [id, at, root].every((one) => typeof one === 'string'),
)

/** Ms after which nobody has a brief any more who did not say so again: three days. */
const LASTS = 3 * 86_400_000

const isFresh = ({ at, root }: PickUp, now: number): boolean =>
  now - Date.parse(at) < LASTS && existsSync(root)

/** Writes down who was told of a brief, or acts on it: then the journal has it, too. Who acts keeps it from who is told. Throws `writeFailed`. */
export async function recordPickUp(commonDir: string, seen: Omit<PickUp, 'version'>): Promise<void> {
  const { id, at, agent, sessionId, root } = seen
  const before = await readPickUp(commonDir, id, Date.parse(at))
  // What was started with it tells of itself a moment later.
  const isStarted = before?.isActing === true && before.sessionId === null && before.root === root
  const isActing = seen.isActing || isStarted || (before?.isActing === true && before.sessionId === sessionId)
  if (before?.isActing && !isActing) return
  await records.write(commonDir, id, { version: 1, ...seen, isActing }, { flush: false })
  if (isActing && !(before?.isActing && before.sessionId === sessionId))
    await writeJournal(commonDir, { at, kind: 'pick-up', id, agent, sessionId })
}

/** Null when nobody was told, that is long ago (`now`: ms since 1970), or the worktree is gone. */
export async function readPickUp(commonDir: string, id: string, now: number): Promise<PickUp | null> {
  const found = await records.read(commonDir, id)
  return found !== null && isFresh(found, now) ? found : null
}

/** A session has ended: whoever comes next may have its brief. */
export async function endPickUps(commonDir: string, sessionId: string): Promise<void> {
  for (const found of await records.list(commonDir))
    if (found.sessionId === sessionId) await records.remove(commonDir, found.id)
}

/** Ids of the briefs that a session in another worktree acts on. */
export async function takenElsewhere(
  { commonDir, root }: { commonDir: string; root: string },
  now: number,
): Promise<Set<string>> {
  const all = (await records.list(commonDir)).filter((one) => isFresh(one, now))
  return new Set(all.flatMap((one) => (one.isActing && one.root !== root ? [one.id] : [])))
}
