import { createHash } from 'node:crypto'
import { orNull, reasonOf } from '../errors/handoff-error.ts'
import type { Notes } from '../types/brief.ts'
import { listPrivate, readPrivate, removePrivate, writePrivate } from './private.ts'
import { endRules } from './rules.ts'

/** Pages that wait for their brief, one for each session and branch, and those that went into one, by its id. */
const WAITING = 'notes'
const USED = 'pages'
/** Used pages that are kept. */
const KEPT = 200

const nameOf = ({ capturedBySessionId, branch }: Notes): string => {
  const key = `${capturedBySessionId ?? ''}\0${branch ?? ''}`
  return `${createHash('sha256').update(key).digest('hex').slice(0, 16)}.json`
}

const jsonOf = (notes: unknown): string => `${JSON.stringify(notes, null, 2)}\n`

/** Keeps a page for the next brief of its session and branch; a later one of the same pair replaces the earlier. */
export const writeNotesFile = (commonDir: string, notes: Notes): Promise<string> =>
  writePrivate(commonDir, `${WAITING}/${nameOf(notes)}`, jsonOf(notes))

/** Every waiting page as it stands on disk, newest capture first. What is none is given as a text that says so. */
export async function readNotesFiles(commonDir: string): Promise<{ name: string; value: unknown }[]> {
  const names = await listPrivate(commonDir, WAITING)
  const records = await Promise.all(
    names.map(async (name) => ({ name, value: await readRecord(commonDir, `${WAITING}/${name}`) })),
  )
  const time = ({ value }: { value: unknown }): string =>
    isRecord(value) && typeof value.capturedAt === 'string' ? value.capturedAt : ''
  return records.sort((a, b) => (time(a) < time(b) ? 1 : time(a) > time(b) ? -1 : 0))
}

export const removeNotesFile = (commonDir: string, name: string): Promise<boolean> =>
  removePrivate(commonDir, `${WAITING}/${name}`)

/** The page went into that brief: from now on it is history, and only the same brief finds it again. Throws `writeFailed`. */
export async function useNotes(commonDir: string, notes: Notes, briefId: string): Promise<void> {
  await writePrivate(commonDir, `${USED}/${briefId}.json`, jsonOf(notes), { flush: false })
  const waiting = await readRecord(commonDir, `${WAITING}/${nameOf(notes)}`)
  if (isRecord(waiting) && waiting.capturedAt === notes.capturedAt)
    await removeNotesFile(commonDir, nameOf(notes))
  for (const old of (await listPrivate(commonDir, USED)).slice(0, -KEPT))
    await removePrivate(commonDir, `${USED}/${old}`)
}

/** The page that went into a brief, as it stands on disk; null: none did, or not in this clone. */
export const readUsed = (commonDir: string, briefId: string): Promise<unknown> =>
  readRecord(commonDir, `${USED}/${briefId}.json`)

/** Whether some brief has this page. */
export async function isUsed(commonDir: string, page: string): Promise<boolean> {
  for (const name of await listPrivate(commonDir, USED)) {
    const record = await readRecord(commonDir, `${USED}/${name}`)
    if (isRecord(record) && record.page?.trim() === page.trim()) return true
  }
  return false
}

/** The work of a branch was closed by that record, and with it its pinned rules and the pages that were written for it. Throws `writeFailed`. */
export async function endNotes(commonDir: string, branch: string | null, endedBy: string): Promise<void> {
  await endRules(commonDir, branch)
  for (const { name, value } of await readNotesFiles(commonDir))
    if (isRecord(value) && (value.branch ?? null) === branch)
      await writePrivate(commonDir, `${WAITING}/${name}`, jsonOf({ ...value, endedBy }))
}

/** A file that cannot be read stays as it is. */
async function readRecord(commonDir: string, path: string): Promise<unknown> {
  try {
    const text = await readPrivate(commonDir, path)
    return text === null ? null : parse(text)
  } catch (error) {
    return new Error(reasonOf(error))
  }
}

const isRecord = (value: unknown): value is Partial<Notes> =>
  typeof value === 'object' && value !== null && !(value instanceof Error)

/** What is no JSON is given as it is: the notes rule names it instead of dropping it. */
const parse = (text: string): unknown => orNull(() => JSON.parse(text)) ?? text
