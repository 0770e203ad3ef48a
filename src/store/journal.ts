import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import { appendPrivate, privateFolder, readPrivate } from './private.ts'

/** One thing that happened unseen: in a hook, or in a cycle that went on by itself. */
export interface JournalEntry {
  /** ISO. */
  at: string
  /** What it is about: `hook`, `request`, `pick-up` … */
  kind: string
  [key: string]: unknown
}

const FILE = 'journal'
/** Bytes after which the journal is put aside; the one before it is kept. */
const MOST = 256 * 1024

/** Adds one line. Throws `writeFailed`. */
export async function writeJournal(commonDir: string, entry: JournalEntry): Promise<void> {
  const path = join(privateFolder(commonDir), FILE)
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  )
  // Two writers may both put it aside; then the older half is gone, which nobody reads any more.
  if (size > MOST) await rename(path, `${path}.1`).catch(() => undefined)
  await appendPrivate(commonDir, FILE, JSON.stringify(entry))
}

/** All entries still kept, oldest first; a line of another shape is passed over. */
export async function readJournal(commonDir: string): Promise<JournalEntry[]> {
  const texts = await Promise.all([readPrivate(commonDir, `${FILE}.1`), readPrivate(commonDir, FILE)])
  return texts.flatMap((text) =>
    (text ?? '').split('\n').flatMap((line) => {
      const entry = orNull(() => JSON.parse(line) as JournalEntry)
      return typeof entry?.at === 'string' && typeof entry.kind === 'string' ? [entry] : []
    }),
  )
}
