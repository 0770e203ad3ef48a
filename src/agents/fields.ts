/** Reading untyped JSON: every function answers with an empty value when a field is missing or of another type. */
export type Fields = Readonly<Record<string, unknown>>

const NONE: Fields = {}

/** The value as an object; empty for anything else, so that chains of look-ups need no guards. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : NONE

/** A line of JSON as an object; empty when it is blank, cut off, still being written, or of another format. */
export function recordOf(line: string): Fields {
  // Thousands of blank lines take half a second to be refused.
  return line.trim() === '' ? {} : fieldsOf(jsonOf(line))
}

/** A value of JSON; null when it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** The elements of a list as objects; those of another type are empty. */
export const itemsOf = (value: unknown): Fields[] => listOf(value).map(fieldsOf)

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** An id, which some agents write as a text and some as a number; empty for anything that has no word of its own. */
export const idOf = (value: unknown): string => (typeof value === 'object' ? '' : String(value))

export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

/** Largest distance of an ECMAScript date from 1970, in ms. */
const MAX_TIME = 8.64e15

/** A time as it is told here, in nearly all sessions: to read and write it again takes ten times as long. */
const TOLD = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** ISO 8601 in UTC from an ISO text or from milliseconds since 1970; null when it is neither. */
export function timeOf(value: unknown): string | null {
  if (typeof value === 'string' && TOLD.test(value)) return value
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) || Math.abs(ms) > MAX_TIME ? null : new Date(ms).toISOString()
}

/** The same where a number may be of seconds: less than ten thousand million, as Goose has it (`MILLISECOND_TIMESTAMP_THRESHOLD`). */
export const instantOf = (value: unknown): string | null =>
  timeOf(typeof value === 'number' && value < 10_000_000_000 ? value * 1000 : value)

/** A number that a text holds; null for none. */
export const numberIn = (text: string | undefined): number | null =>
  text === undefined ? null : Number(text)

export const sumOf = (...values: unknown[]): number =>
  values.reduce<number>((sum, value) => sum + (numberOf(value) ?? 0), 0)
