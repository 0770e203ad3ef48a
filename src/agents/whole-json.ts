import { constants } from 'node:buffer'
import { open } from 'node:fs/promises'
import { sessionTorn, sessionUnreadable } from '../errors/session.ts'
import type { ReadOptions } from '../types/session.ts'
import { type Fields, fieldsOf, recordOf } from './fields.ts'

/** Bytes; one JSON value has to become one string (512 MB, V8's longest). */
const LARGEST = constants.MAX_STRING_LENGTH
const MB = 2 ** 20

/** The text of a session that is one JSON value. Throws `sessionUnreadable`, also when it is larger than one string may be. */
export async function readWhole(path: string, options: ReadOptions): Promise<string> {
  try {
    const file = await open(path, 'r')
    try {
      const { size } = await file.stat()
      const { largest = LARGEST } = options
      if (size > largest)
        throw new Error(
          `one JSON file can be read up to ${Math.ceil(largest / MB)} MB, this one has ${Math.ceil(size / MB)} MB`,
        )
      const bytes = await file.readFile(options.signal ? { signal: options.signal } : {})
      options.onRaw?.(bytes, { path, offset: 0 })
      return bytes.toString('utf8')
    } finally {
      await file.close()
    }
  } catch (cause) {
    options.signal?.throwIfAborted()
    throw sessionUnreadable(path, cause)
  }
}

/**
 * One object with a list of records under `key`, or, with null, such a list; of a torn file its whole records. Throws `sessionUnreadable`,
 * `sessionTorn`.
 */
export async function readRecords(
  path: string,
  key: string | null,
  options: ReadOptions,
): Promise<{ header: Fields; records: Fields[] }> {
  const text = await readWhole(path, options)
  let header: Fields
  try {
    const whole: unknown = JSON.parse(text)
    header = key === null ? { '': whole } : fieldsOf(whole)
  } catch {
    options.onSkip?.('torn')
    const records = wholeRecords(text, key)
    if (records.length === 0) throw sessionTorn(path, 'its JSON is cut off or damaged')
    return { header: {}, records }
  }
  const records = header[key ?? '']
  if (!Array.isArray(records)) throw sessionTorn(path, `it holds no ${key ?? 'list'}`)
  return { header, records: records.map(fieldsOf) }
}

function wholeRecords(text: string, key: string | null): Fields[] {
  const found: Fields[] = []
  // Braces within a text are none.
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/gs
  token.lastIndex = Math.max(0, text.indexOf('[', key === null ? 0 : text.indexOf(`"${key}"`))) + 1
  let [depth, from] = [0, 0]
  for (let next = token.exec(text); next !== null && depth >= 0; next = token.exec(text)) {
    const [mark] = next
    if (mark === '{' || mark === '[') {
      if (depth++ === 0) from = next.index
    } else if ((mark === '}' || mark === ']') && --depth === 0) {
      const record = recordOf(text.slice(from, token.lastIndex))
      if (Object.keys(record).length > 0) found.push(record)
    }
  }
  return found
}

/** The fields that stand before the list under `key`, from the first bytes of a file; empty when the list does not begin in them. */
export function headerIn(head: string, key: string): Fields {
  const at = head.indexOf(`"${key}"`)
  return at === -1 ? {} : recordOf(`${head.slice(0, at).replace(/,\s*$/, '')}}`)
}
