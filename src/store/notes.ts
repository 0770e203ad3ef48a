import { createHash } from 'node:crypto'
import type { Notes } from '../types/brief.ts'
import { listPrivate, readPrivate, removePrivate, writePrivate } from './private.ts'

const FOLDER = 'notes'

/** Keeps the notes of one session and branch; a later record of the same pair replaces the earlier. */
export async function writeNotesFile(commonDir: string, notes: Notes): Promise<string> {
  const key = createHash('sha256')
    .update(`${notes.capturedBySessionId ?? ''}\0${notes.branch ?? ''}`)
    .digest('hex')
    .slice(0, 16)
  return writePrivate(commonDir, `${FOLDER}/${key}.json`, `${JSON.stringify(notes, null, 2)}\n`)
}

/** Every stored record as it stands on disk, newest capture first; a record that is not JSON, or nested as none of ours is, is given as its text. */
export async function readNotesFiles(commonDir: string): Promise<{ name: string; value: unknown }[]> {
  const names = await listPrivate(commonDir, FOLDER)
  const records = await Promise.all(
    names.map(async (name) => {
      const text = (await readPrivate(commonDir, `${FOLDER}/${name}`)) ?? ''
      return { name, value: parse(text) }
    }),
  )
  const time = (value: unknown): string =>
    value !== null &&
    typeof value === 'object' &&
    'capturedAt' in value &&
    typeof value.capturedAt === 'string'
      ? value.capturedAt
      : ''
  return records.sort((a, b) => (time(a.value) < time(b.value) ? 1 : time(a.value) > time(b.value) ? -1 : 0))
}

export const removeNotesFile = (commonDir: string, name: string): Promise<void> =>
  removePrivate(commonDir, `${FOLDER}/${name}`)

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (isWithin(value, MAX_DEPTH)) return value
  } catch {}
  // Told as it is: the notes rule names it instead of dropping it.
  return text
}

/** Lists in slots of a record, and room; what is nested by the thousand can be read and not be written. */
const MAX_DEPTH = 16

const isWithin = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((one) => isWithin(one, depth - 1)))
