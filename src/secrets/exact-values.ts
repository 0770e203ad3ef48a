import { createKnown, replaceAll } from './known.ts'
import { ENVIRONMENT_RULE, LEAST_ENVIRONMENT_VALUE } from './scanner.ts'
import { mapTexts, textsOf } from './walk.ts'

/** A copy of a plain value without the values that it was made for, and how many were replaced, by rule. */
export type ExactFilter = <T>(value: T) => { value: T; counts: Record<string, number> }

/**
 * Replaces just these values, whatever they look like: the scanner leaves out what reads as a word or a name, and a key may be one. Each
 * is found in every spelling, and a value with line breaks in it also line by line, since whoever complains about it may have folded
 * them. Fewer than 8 characters stay, spaces around them not counted, as everywhere in this room: they are words or indentation, and
 * would be torn out of sentences; no service gives out a key so short. `allow`: fingerprints of reviewed false alarms.
 */
export function createExactFilter(
  values: readonly string[],
  allow: readonly string[] | undefined,
): ExactFilter {
  const known = createKnown(new Set(allow))
  for (const value of values)
    for (const part of new Set([value, value.trim(), ...value.split(/[\r\n]+/).map((line) => line.trim())]))
      if (part.trim().length >= LEAST_ENVIRONMENT_VALUE)
        known.add({ rule: ENVIRONMENT_RULE, value: part, context: part })
  return (value) => {
    const entries = known.within(textsOf(value).join('\n'))
    if (entries.length === 0) return { value, counts: {} }
    const counts = new Map<string, number>()
    const clean = mapTexts(value, (text) => replaceAll(text, entries, counts))
    return { value: clean, counts: Object.fromEntries(counts) }
  }
}
