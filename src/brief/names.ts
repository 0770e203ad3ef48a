import { oneLine } from '../text/safe-text.ts'

/** UTF-16 units of one name; names of one kind, and their bytes. A session that says more must not fill the front matter (16 KB). */
const LONGEST_NAME = 200
const MOST_NAMES = 100
const MOST_BYTES = 3000

/** One name under its key; nothing when it is none: blank, or too long to be one. */
export const given = (key: string, value: string | null): Record<string, string> =>
  value === null || !isName(oneLine(value)) ? {} : { [key]: oneLine(value) }

/** The names that are some under their key, the last of too many; nothing when none is left. */
export function named(key: string, names: readonly string[]): Record<string, string[]> {
  let room = MOST_BYTES
  const kept = names
    .map(oneLine)
    .filter(isName)
    .slice(-MOST_NAMES)
    .reverse()
    .filter((name) => {
      room -= Buffer.byteLength(name)
      return room >= 0
    })
    .reverse()
  return kept.length === 0 ? {} : { [key]: kept }
}

const isName = (text: string): boolean => text !== '' && text.length <= LONGEST_NAME
