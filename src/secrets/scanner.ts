import { createHash } from 'node:crypto'
import type { SecretHit } from '../types/checks.ts'
import { isNameLike, isOtherThing, isStandIn } from './classify.ts'
import { createRawReader, type Found, findByRules, withoutOverlap } from './find.ts'

/**
 * Knows what a secret looks like and remembers those it met, so that one seen anywhere is found everywhere. Pure: texts
 * and bytes are handed in, values never leave except as `[REDACTED:rule]`, a place, or a fingerprint.
 */

export interface Scanner {
  /** Takes a raw block of a transcript, whole lines, and remembers the values in it; the block is not kept. */
  onRaw(block: Buffer): void
  collect(text: string): void
  /** Every secret in a text, in order of place: by rule, and every repeat of a value remembered. */
  find(text: string): Promise<SecretHit[]>
  /** The plain value with every secret replaced, a copy when there is one, and how many by rule. */
  redact<T>(value: T): Promise<{ value: T; counts: Record<string, number> }>
}

export interface ScannerOptions {
  /** Values that are secret by where they stand: environment variables whose name says so, at least 8 characters without spaces around. */
  values?: readonly { name: string; value: string }[]
  /** Fingerprints of reviewed false alarms. */
  allow?: readonly string[]
}

/** The rule of a value that came from the environment. */
export const ENVIRONMENT_RULE = 'environment'
export const LEAST_ENVIRONMENT_VALUE = 8
/** Nothing real needs more; an end for what nobody foresaw. */
const MOST_ROUNDS = 5
/** Between texts that are scanned in one go: no rule reaches over it. */
const BETWEEN = '\n\u{0}\n'

export function createScanner(options: ScannerOptions = {}): Scanner {
  const allow = new Set(options.allow)
  const known = createKnown(allow)
  const collect = (text: string) => {
    for (const one of findByRules(text)) known.add(one)
  }
  for (const { name, value } of options.values ?? []) {
    // A path or a word like `disabled` in such a variable is no secret, and would be torn out of every sentence; an
    // address may still hold one.
    if (value.trim().length < LEAST_ENVIRONMENT_VALUE || isStandIn(value) || isOtherThing(value))
      collect(value)
    else known.add({ rule: ENVIRONMENT_RULE, value, context: `${name}=${value}` })
  }
  const onRaw = createRawReader(collect)

  /** The finished text is searched when it is cleaned, and judged right after. */
  let last: { text: string; found: Found[] } = { text: '', found: [] }
  const findAll = (text: string): Found[] => {
    if (text !== last.text)
      last = {
        text,
        found: findByRules(text).filter(({ rule, value }) => !allow.has(fingerprintOf(rule, value))),
      }
    return last.found
  }

  return {
    onRaw,
    collect,
    async find(text) {
      const found = findAll(text)
      const local = createKnown(allow)
      for (const one of found) local.add(one)
      const repeats = [...occurrences(text, known), ...occurrences(text, local)]
      return withLines(text, withoutOverlap([...found, ...repeats]))
    },
    async redact(value) {
      const counts = new Map<string, number>()
      let clean = value
      // What stood beside a secret may show itself as one when the secret is gone.
      for (let round = 0; round < MOST_ROUNDS; round++) {
        // A plan comes again with every step of it.
        const joined = [...new Set(textsOf(clean))].join(BETWEEN)
        for (const one of findAll(joined)) known.add(one)
        const next = replaceIn(clean, known, counts)
        if (next === null) break
        clean = next.value
      }
      return { value: clean, counts: Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))) }
    },
  }
}

function withLines(
  text: string,
  found: readonly { rule: string; start: number; end: number; value: string }[],
): SecretHit[] {
  let line = 1
  let place = 0
  return found.map(({ rule, start, end, value }) => {
    for (; place < start; place++) if (text.charCodeAt(place) === 10) line++
    return { rule, start, end, line, fingerprint: fingerprintOf(rule, value) }
  })
}

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
    const counts = new Map<string, number>()
    const clean = replaceIn(value, known, counts)
    return { value: clean === null ? value : clean.value, counts: Object.fromEntries(counts) }
  }
}

interface Entry {
  rule: string
  value: string
  /** What is looked for: the value, a spelling of it, or the value with its surroundings when it is short. */
  text: string
}

type Occurrence = Pick<Found, 'rule' | 'start' | 'end' | 'value'>

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
const fingerprintOf = (rule: string, value: string): string =>
  createHash('sha256').update(`${rule}\0${value}`).digest('hex').slice(0, 12)

type Known = ReturnType<typeof createKnown>

/** Characters by which an entry is looked up; none is shorter. */
const KEY = 4
/** A place in a table for the two characters there. */
const pairAt = (text: string, place: number): number =>
  (text.charCodeAt(place) * 31 + text.charCodeAt(place + 1)) & 0xffff

/**
 * The values found so far and the ways they may be spelled. The time of a look does not grow with their number: a text may hold thousands.
 */
function createKnown(allow: ReadonlySet<string>) {
  /** By their first characters, with their lengths, the longest first: a value inside another does not break it. */
  const groups = new Map<string, { byText: Map<string, Entry>; lengths: number[] }>()
  /** By the two characters that one of them begins with: most places are passed by it. */
  const begins = new Uint8Array(1 << 16)

  const put = (rule: string, value: string, text: string) => {
    if (text.length < KEY || markOf(rule).includes(text)) return
    const key = text.slice(0, KEY)
    const group = groups.get(key) ?? { byText: new Map<string, Entry>(), lengths: [] }
    groups.set(key, group)
    if (group.byText.has(text)) return
    group.byText.set(text, { rule, value, text })
    if (!group.lengths.includes(text.length)) group.lengths.push(text.length)
    group.lengths.sort((one, other) => other - one)
    begins[pairAt(text, 0)] = 1
  }
  return {
    add({ rule, value, written = value, context }: Remembered): void {
      if (allow.has(fingerprintOf(rule, value))) return
      if (value.length < LEAST_LENGTH || isWords(value)) {
        put(rule, written, context)
        return
      }
      for (const text of [...spellings(value), written])
        for (const piece of piecesOf(text)) put(rule, value, piece)
      // A key block may be met again line by line; of what a colour tears, either part.
      if (rule === 'private-key' || written !== value)
        for (const [part] of value.matchAll(PART))
          if (written.includes(part)) for (const piece of piecesOf(part)) put(rule, value, piece)
    },
    isEmpty: () => groups.size === 0,
    /** The longest entry that stands there. */
    at(text: string, place: number): Entry | undefined {
      if (begins[pairAt(text, place)] === 0) return undefined
      const group = groups.get(text.slice(place, place + KEY))
      for (const length of group?.lengths ?? []) {
        const entry = group?.byText.get(text.slice(place, place + length))
        if (entry !== undefined) return entry
      }
      return undefined
    },
  }
}

/** A longer text is looked for in pieces, so that a look takes no more time where many values begin alike. */
const LONGEST_PIECE = 200

/** A text in pieces; the last one has the full length as well, since a short one would be met elsewhere. */
function piecesOf(text: string): string[] {
  const count = Math.ceil(text.length / LONGEST_PIECE)
  const last = Math.max(0, text.length - LONGEST_PIECE)
  return Array.from({ length: count }, (_, at) => {
    const from = Math.min(at * LONGEST_PIECE, last)
    return text.slice(from, from + LONGEST_PIECE)
  })
}

/** Every place where one of the entries stands, in order; without overlap, or also those that begin within another. */
function occurrences(text: string, known: Known, mayOverlap = false): Occurrence[] {
  const found: Occurrence[] = []
  if (known.isEmpty()) return found
  for (let place = 0; place < text.length; place++) {
    const entry = known.at(text, place)
    if (entry === undefined) continue
    const inner = entry.text.lastIndexOf(entry.value)
    const start = place + Math.max(0, inner)
    const end = inner === -1 ? start + entry.text.length : start + entry.value.length
    const last = found.at(-1)
    // The next piece of the same value.
    if (last?.value === entry.value && start <= last.end) last.end = Math.max(last.end, end)
    else found.push({ rule: entry.rule, start, end, value: entry.value })
    if (!mayOverlap) place += entry.text.length - 1
  }
  return mayOverlap ? found.sort((a, b) => a.start - b.start || b.end - a.end) : found
}

/** A copy of a plain value without what is known; null where nothing of it is there. */
function replaceIn<T>(value: T, known: Known, counts: Map<string, number>): { value: T } | null {
  let isThere = false
  const clean = mapTexts(value, (text) => {
    const ranges = rangesOf(text, known)
    isThere ||= ranges.length > 0
    return replaceRanges(text, ranges, counts)
  })
  return isThere ? { value: clean } : null
}

/**
 * Replaces what has to go and counts by rule. Of entries that share characters nothing is left: one mark, that of the first, takes the
 * place of them all.
 */
function replaceRanges(text: string, ranges: readonly Occurrence[], counts: Map<string, number>): string {
  let clean = ''
  let done = 0
  for (const { start, end, rule } of ranges) {
    clean += text.slice(done, start) + markOf(rule)
    done = end
    counts.set(rule, (counts.get(rule) ?? 0) + 1)
  }
  return clean + text.slice(done)
}

/** What has to go, in order of place; ranges that share characters are one. */
function rangesOf(text: string, known: Known): Occurrence[] {
  const merged: Occurrence[] = []
  for (const one of occurrences(text, known, true)) {
    const last = merged.at(-1)
    if (last !== undefined && one.start < last.end) last.end = Math.max(last.end, one.end)
    else merged.push(one)
  }
  return merged
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

// ---------------------------------------------------------------- homes

/** Every text in a plain value: strings, object keys, entries of arrays, sets and maps, however deep. */
export function textsOf(value: unknown): string[] {
  const texts: string[] = []
  mapTexts(value, (text) => {
    texts.push(text)
    return text
  })
  return texts
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** A copy of a plain value with every text replaced; other values (numbers, dates …) are taken over as they are. */
export function mapTexts<T>(value: T, change: (text: string) => string): T
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change))
  if (value instanceof Set) return new Set([...value].map((item: unknown) => mapTexts(item, change)))
  if (value instanceof Map) {
    return new Map(
      [...value].map(([name, item]) => [mapTexts<unknown>(name, change), mapTexts<unknown>(item, change)]),
    )
  }
  if (!isPlain(value)) return value
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const key = change(name)
    const item = mapTexts((value as Record<string, unknown>)[name], change)
    // Assigned, this one would not become a key.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: item, enumerable: true, writable: true, configurable: true })
    else copy[key] = item
  }
  return copy
}

const NAME = String.raw`[^\s/\\"'\`:;,()[\]{}<>|*?&$=]+`
const END = String.raw`(?=$|[\s/\\"'\`:;,()[\]{}<>|*?&=.])`

/**
 * Home directories of Linux, macOS and Windows with the user's name in them, in the spellings of shells, JSON and WSL. `/users/x`
 * is an address of an interface.
 */
const HOMES = new RegExp(
  [
    String.raw`(?<![\w.~-])(?:\/(?:private|var|export|mnt\/[a-z]))?\/(?:home|Users)\/(?!\.\.?(?:\/|$))${NAME}${END}`,
    String.raw`(?<![A-Za-z])[A-Za-z]:[\\/]{1,4}[Uu]sers[\\/]{1,4}${NAME}${END}`,
    String.raw`(?<![\w.~-])\/root(?=\/|$|[\s"'\`:;,)])`,
  ].join('|'),
  'g',
)

/** First folders that every system has: a user may be called like one. */
const SYSTEM = /^(?:dev|bin|sbin|usr|etc|opt|var|tmp|proc|sys|run|lib\d*|mnt|media|srv|boot|data|app)$/
const ABSOLUTE = /(?<![\w.~/\\-])(?:~|[A-Za-z]:)?[/\\][^\s"'`()[\]{}<>|;,*?]+/g

/**
 * A copy of a plain value in which every home directory, this machine's and any other's, reads `~`, so that no brief
 * tells user names or where somebody's files lie. `home`: absolute, or empty. `people`: names that read `user` where they
 * are a folder of an absolute path; inside the repository a folder may be called like its owner.
 */
export function hideHomes<T>(value: T, home: string, people: readonly string[] = []): T {
  const own = home.length > 1 ? home.replace(/[/\\]+$/, '') : ''
  const names = new Set(people.map((name) => name.toLowerCase()))
  return mapTexts(value, (text) => {
    const plain = own === '' ? text : replaceOwn(text, own)
    const hidden = plain.replace(HOMES, '~')
    return names.size === 0 ? hidden : replaceNames(hidden, names)
  })
}

function replaceOwn(text: string, own: string): string {
  if (!text.includes(own)) return text
  // `/root` may be a part of any path: `cli/root.go`.
  const isPart = (before: string, after: string): boolean =>
    /^(?:[\w-]|\.\w)/.test(after) || (SHORT.test(own) && /[\w.~-]$/.test(before))
  return text
    .split(own)
    .reduce((before, after) => (isPart(before, after) ? before + own + after : `${before}~${after}`))
}
const SHORT = /^\/[^/]*$/

function replaceNames(text: string, names: ReadonlySet<string>): string {
  return text.replace(ABSOLUTE, (path) => {
    const parts = path.split(/([/\\]+)/)
    // The first part stands before the first separator.
    const from = SYSTEM.test(parts[2] ?? '') ? 3 : 0
    return parts.map((part, at) => (at >= from && names.has(part.toLowerCase()) ? 'user' : part)).join('')
  })
}
