import { createHash } from 'node:crypto'
import type { Notes } from '../types.ts'
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

/** Every stored record as it stands on disk, newest capture first; a record that is not JSON is given as its text. */
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
    return JSON.parse(text) as unknown
  } catch {
    // Told as it is: the notes rule names it instead of dropping it.
    return text
  }
}
