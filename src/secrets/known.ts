import { createHash } from 'node:crypto'
import type { Found } from './find.ts'
import { isNameLike } from './public-value.ts'

interface Entry {
  rule: string
  value: string
  /** What is looked for: the value, a spelling of it, or the value with its surroundings when it is short. */
  text: string
}

export interface Occurrence {
  rule: string
  start: number
  end: number
  value: string
}

/** Values shorter than this are common; they are only replaced where they were told, as those that read as words. */
const LEAST_LENGTH = 8

/** A slug or a word: it means other things elsewhere, too; several words do not. Letters in a row as long as these are no one word. */
const LONGEST_WORD = 16
const isWords = (value: string): boolean =>
  !/[\d\s]/.test(value) && isNameLike(value) && (/[^A-Za-z]/.test(value) || value.length < LONGEST_WORD)

/** So many characters in a row are told by no chance. */
const PART = /[A-Za-z0-9+/=_-]{24,}/g

type Remembered = Pick<Found, 'rule' | 'value' | 'context'> & Partial<Pick<Found, 'written'>>

const markOf = (rule: string): string => `[REDACTED:${rule}]`

/** First 12 hex of sha256 of rule and value: names a finding without telling the value. */
export const fingerprintOf = (rule: string, value: string): string =>
  createHash('sha256').update(`${rule}\0${value}`).digest('hex').slice(0, 12)

/** The values found so far and the ways they may be spelled. */
export function createKnown(allow: ReadonlySet<string>) {
  const entries = new Map<string, Entry>()

  const put = (rule: string, value: string, text: string) => {
    if (!entries.has(text) && !markOf(rule).includes(text)) entries.set(text, { rule, value, text })
  }
  return {
    add({ rule, value, written = value, context }: Remembered): void {
      if (allow.has(fingerprintOf(rule, value))) return
      if (value.length < LEAST_LENGTH || isWords(value)) {
        put(rule, written, context)
        return
      }
      for (const text of spellings(value)) put(rule, value, text)
      if (written !== value) put(rule, value, written)
      // A key block may be met again line by line; of what a colour tears, either part.
      if (rule === 'private-key' || written !== value)
        for (const [part] of value.matchAll(PART)) if (written.includes(part)) put(rule, value, part)
    },
    /** The entries that a text holds, longest first, so that a value inside another does not break it. */
    within: (text: string): Entry[] =>
      [...entries.values()]
        .filter((entry) => text.includes(entry.text))
        .sort((a, b) => b.text.length - a.text.length || (a.text < b.text ? -1 : 1)),
  }
}

/** Every place where one of the entries stands, in order; without overlap, or also those that begin within another. */
export function occurrences(text: string, entries: readonly Entry[], mayOverlap = false): Occurrence[] {
  const found: Occurrence[] = []
  const pattern = patternOf(entries)
  if (pattern === null) return found
  const byText = new Map(entries.map((entry) => [entry.text, entry]))
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (mayOverlap) pattern.lastIndex = match.index + 1
    const entry = byText.get(match[0])
    if (entry === undefined) continue
    const inner = match[0].lastIndexOf(entry.value)
    const start = match.index + Math.max(0, inner)
    const end = inner === -1 ? start + match[0].length : start + entry.value.length
    found.push({ rule: entry.rule, start, end, value: entry.value })
  }
  return mayOverlap ? found.sort((a, b) => a.start - b.start || b.end - a.end) : found
}

/**
 * Replaces every entry in a text and counts by rule. Of entries that share characters nothing is left: one mark, that of the first, takes
 * the place of them all.
 */
export function replaceAll(text: string, entries: readonly Entry[], counts: Map<string, number>): string {
  let clean = ''
  let done = 0
  for (const { start, end, rule } of rangesOf(text, entries)) {
    clean += text.slice(done, start) + markOf(rule)
    done = end
    counts.set(rule, (counts.get(rule) ?? 0) + 1)
  }
  return clean + text.slice(done)
}

/** What has to go, in order of place; ranges that share characters are one. */
function rangesOf(text: string, entries: readonly Entry[]): Occurrence[] {
  const merged: Occurrence[] = []
  for (const one of occurrences(text, entries, true)) {
    const last = merged.at(-1)
    if (last !== undefined && one.start < last.end) last.end = Math.max(last.end, one.end)
    else merged.push(one)
  }
  return merged
}

function patternOf(entries: readonly Entry[]): RegExp | null {
  if (entries.length === 0) return null
  return new RegExp(entries.map(({ text }) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g')
}

/** The value as it is, in JSON once and twice, and in addresses. */
function spellings(value: string): Set<string> {
  const json = JSON.stringify(value).slice(1, -1)
  const all = new Set([value, json, JSON.stringify(json).slice(1, -1), json.replaceAll('/', '\\/')])
  // A lone surrogate cannot be written in an address.
  if (!/\p{Surrogate}/u.test(value)) {
    const encoded = encodeURIComponent(value)
    all.add(encoded)
    all.add(encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))
    all.add(encoded.replaceAll('%20', '+'))
    all.add(encodeURI(value))
  }
  return all
}
