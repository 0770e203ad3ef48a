import { PLAIN } from '../text/visible.ts'
import { KEY, WORDS } from './canonical-matter.ts'

/** What YAML gives a meaning at the start, in the middle or at the end of a text without quotes. */
const MEANT = /^[ ,[\]{}#&*!|>'"%@`]|^[?-](?: |$)|: | #|[ :]$/
/** A moment as `toISOString` writes it, which readers of YAML 1.1 take for a date. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/
/** A version, an id of a brief, or what begins as a number does and holds a character that no number, date or time of YAML 1.1 or 1.2 holds. */
const NO_NUMBER = /^\d+\.\d+\.\d|^\d{8}T\d{6}-|^\d(?!x).*[^\d._:+\-eEtTzZxobB ]/
/** A longer text is folded by the engine. */
const MAX_PLAIN = 1400
/** Words that YAML 1.1 reads as something else, besides those that YAML 1.2 does. */
const OLD_WORDS: ReadonlySet<string> = new Set(['y', 'yes', 'on', 'n', 'no', 'off'])

/**
 * The lines that the YAML engine writes for plain front matter, without it: loading it and its first document take
 * 8 ms. Undefined for whatever holds a value that is not plain; the engine writes that.
 */
export function writeCanonical(data: object): string | undefined {
  const lines: string[] = []
  return writeMap(data, '', lines) && lines.length > 0 ? `${lines.join('\n')}\n` : undefined
}

function writeMap(map: object, indent: string, lines: string[]): boolean {
  return Object.entries(map).every(([key, value]) => {
    if (!KEY.test(`${key}:`) || isWord(key)) return false
    const line = `${indent}${key}:`
    const scalar = written(value)
    if (scalar !== undefined) return lines.push(`${line} ${scalar}`) > 0
    if (typeof value !== 'object' || value === null) return false
    lines.push(line)
    return Array.isArray(value)
      ? value.every((item) => {
          const text = typeof item === 'object' ? undefined : written(item)
          return text !== undefined && lines.push(`${indent}  - ${text}`) > 0
        })
      : writeMap(value, `${indent}  `, lines)
  })
}

/** A value that stands on one line; undefined for others and for those that are not plain. */
function written(value: unknown): string | undefined {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined
  if (typeof value === 'string') return writtenText(value)
  if (typeof value !== 'object' || Object.keys(value).length > 0) return undefined
  return Array.isArray(value) ? '[]' : '{}'
}

function writtenText(text: string): string | undefined {
  if (text === '' || text.length > MAX_PLAIN || !PLAIN.test(text) || /[\n\t]/.test(text)) return undefined
  if (MEANT.test(text) || MOMENT.test(text)) return quoted(text)
  const isPlain = /^[A-Za-z]/.test(text) ? !isWord(text) : text.charCodeAt(0) > 0xa0 || NO_NUMBER.test(text)
  return isPlain ? text : undefined
}

/** Double quotes, unless the text holds those and no single ones. */
const quoted = (text: string): string =>
  text.includes('"') && !text.includes("'") ? `'${text}'` : JSON.stringify(text)

function isWord(text: string): boolean {
  const word = text.toLowerCase()
  return WORDS.has(word) || OLD_WORDS.has(word)
}
