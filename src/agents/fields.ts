import { fileURLToPath } from 'node:url'
import { orNull } from '../errors/handoff-error.ts'

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

export const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** An id, which some agents write as a text and some as a number; empty for anything that has no word of its own. */
export const idOf = (value: unknown): string => (typeof value === 'object' ? '' : String(value))

/** The id of the first, second … question of a call: the first goes by the call's own. */
export const numbered = (id: string, index: number, mark = '#'): string =>
  index === 0 ? id : `${id}${mark}${index + 1}`

export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

/** Largest distance of an ECMAScript date from 1970, in ms. */
const MAX_TIME = 8.64e15

/** ISO 8601 in UTC from an ISO text or from milliseconds since 1970; null when it is neither. */
export function timeOf(value: unknown): string | null {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) || Math.abs(ms) > MAX_TIME ? null : new Date(ms).toISOString()
}

export const sumOf = (...values: unknown[]): number =>
  values.reduce<number>((sum, value) => sum + (numberOf(value) ?? 0), 0)

/** The text of each part of a content, empty where it has none; a content that is a plain string is one part. */
export const partTexts = (content: unknown): string[] =>
  typeof content === 'string' ? [content] : listOf(content).map((part) => textOf(fieldsOf(part).text))

/** The `text` blocks of a message's content; thoughts and calls of tools are none. */
export const textBlocks = (content: unknown): string[] =>
  partTexts(listOf(content).filter((block) => fieldsOf(block).type === 'text'))

/** Texts of a message's content: a plain string, or its text blocks joined by newlines. */
export const contentText = (content: unknown): string =>
  typeof content === 'string' ? content : textBlocks(content).join('\n')

export const labelsOf = (options: unknown): string[] =>
  listOf(options).map((option) => textOf(option) || textOf(fieldsOf(option).label))

/** The paths that stand under these keys of an input, alone or in lists. */
export const pathsUnder = (input: Fields, keys: readonly string[]): string[] =>
  keys
    .flatMap((key) => [input[key], ...listOf(input[key])])
    .map(textOf)
    .filter((path) => path !== '' && !/\n|:\/\//.test(path))

/** A path, which some agents write as a URL; empty for one of another machine. */
export function pathOf(value: string): string {
  if (!value.includes('://')) return value
  if (!value.startsWith('file://')) return ''
  // Some write a path behind `file://` as it is.
  return orNull(() => fileURLToPath(value)) ?? value.slice('file://'.length)
}

/** A tag of the clients, which have more than one word: `<system_reminder>`; those of the person's own markup rarely do. */
const OPEN = /^\s*<([A-Za-z]+(?:_[A-Za-z]+)+|timestamp)(?: [^<>]*)?>/

/** A text without what a client puts before the person's words, each piece in a tag of its own; one that never ends is left. */
export function withoutLeadingBlocks(text: string): string {
  let rest = text
  for (;;) {
    const name = OPEN.exec(rest)?.[1]
    const end = name === undefined ? -1 : rest.indexOf(`</${name}>`)
    if (name === undefined || end === -1) return rest.trim()
    rest = rest.slice(end + name.length + 3)
  }
}

/** A text without the elements of one name, and without the blanks around them; `instead` takes the place of each. */
export function withoutElements(text: string, name: string, instead: string): string {
  const close = `</${name}>`
  let [clean, rest] = ['', text]
  for (;;) {
    const at = rest.indexOf(`<${name}>`)
    const end = at === -1 ? -1 : rest.indexOf(close, at)
    if (end === -1) return clean + rest
    const before = rest.slice(0, at)
    clean += (instead === '' ? before : before.trimEnd()) + instead
    rest = rest.slice(end + close.length).trimStart()
  }
}
