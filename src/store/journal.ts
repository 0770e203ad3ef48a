import { existsSync } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Invocation } from '../command.ts'
import { orNull, reasonOf } from '../errors/handoff-error.ts'
import { appendPrivate, openRecords, privateFolder, readPrivate } from './private.ts'

/** One thing that happened unseen: in a hook, or in a cycle that went on by itself. */
export interface JournalEntry {
  /** ISO. */
  at: string
  /** What it is about: `hook`, `request`, `pick-up` … */
  kind: string
  [key: string]: unknown
}

const JOURNAL = 'journal'
/** Bytes after which the journal is put aside; the one before it is kept. */
const MOST = 256 * 1024

/** Adds one line. Throws `writeFailed`. */
export async function writeJournal(commonDir: string, entry: JournalEntry): Promise<void> {
  const path = join(privateFolder(commonDir), JOURNAL)
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  )
  // Two writers may both put it aside; then the older half is gone, which nobody reads any more.
  if (size > MOST) await rename(path, `${path}.1`).catch(() => undefined)
  await appendPrivate(commonDir, JOURNAL, JSON.stringify(entry))
}

/** All entries still kept, oldest first; a line of another shape is passed over. */
export async function readJournal(commonDir: string): Promise<JournalEntry[]> {
  const texts = await Promise.all([readPrivate(commonDir, `${JOURNAL}.1`), readPrivate(commonDir, JOURNAL)])
  return texts.flatMap((text) =>
    (text ?? '').split('\n').flatMap((line) => {
      const entry = orNull(() => JSON.parse(line) as JournalEntry)
      return typeof entry?.at === 'string' && typeof entry.kind === 'string' ? [entry] : []
    }),
  )
}

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

/**
 * Writes down who was told of a brief, or acts on it: then the journal has it, too. Who acts keeps it from who is told. What nobody has any
 * more is forgotten. Throws `writeFailed`.
 */
export async function recordPickUp(commonDir: string, seen: Omit<PickUp, 'version'>): Promise<void> {
  const { id, at, agent, sessionId, root } = seen
  const before = await readPickUp(commonDir, id, Date.parse(at))
  const isStarted = before !== null && isJustStarted(before, { agent, root }, Date.parse(at))
  const isActing = seen.isActing || isStarted || (before?.isActing === true && before.sessionId === sessionId)
  if (before?.isActing && !isActing) return
  await records.write(commonDir, id, { version: 1, ...seen, isActing }, { flush: false })
  if (isActing && !(before?.isActing && before.sessionId === sessionId))
    await writeJournal(commonDir, { at, kind: 'pick-up', id, agent, sessionId })
  // Hooks and `status` read all of them.
  for (const old of await records.list(commonDir))
    if (!isFresh(old, Date.parse(at))) await records.remove(commonDir, old.id)
}

/** Ms in which a session that was started with a brief tells of itself: at its first prompt, which may wait for a dialog of the agent. */
const STARTS = 3_600_000

/** An agent was started in this worktree with the brief, and no session of it has told of itself yet: the one that does is that. */
export const isJustStarted = (
  found: PickUp,
  { agent, root }: Pick<PickUp, 'agent' | 'root'>,
  now: number,
): boolean =>
  found.isActing &&
  found.sessionId === null &&
  found.agent === agent &&
  found.root === root &&
  now - Date.parse(found.at) < STARTS

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

/** An agent that was started with a brief has ended, and whatever session it was with it. */
export async function endStarted(
  commonDir: string,
  { id, agent, root }: Pick<PickUp, 'id' | 'agent' | 'root'>,
): Promise<void> {
  const found = await records.read(commonDir, id)
  if (found?.agent === agent && found.root === root) await records.remove(commonDir, id)
}

/** Ids of the briefs that a session in another worktree acts on. */
export async function takenElsewhere(
  { commonDir, root }: { commonDir: string; root: string },
  now: number,
): Promise<Set<string>> {
  const all = (await records.list(commonDir)).filter((one) => isFresh(one, now))
  return new Set(all.flatMap((one) => (one.isActing && one.root !== root ? [one.id] : [])))
}

/** Keeps what went wrong in a hook in the private journal: what a hook prints may reach a model or stop a prompt. */
export async function noteFailure(
  { place }: Invocation,
  { commonDir }: { commonDir: string },
  [agent, event]: readonly [agent: string, event: string],
  error: unknown,
): Promise<null> {
  const at = place.now().toISOString()
  // A disk that takes no journal has said so to everybody else.
  await writeJournal(commonDir, { at, kind: 'hook', agent, event, failed: reasonOf(error) }).catch(() => {})
  return null
}
