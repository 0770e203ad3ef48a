import { type Found, findByRules } from './find.ts'
import { KEYWORDS } from './keyword.ts'
import { mayMatchPreset } from './preset.ts'
import type { SecretRule } from './rule.ts'
import { secretRules } from './rules.ts'

/** How many bytes around a mark are looked at closely. */
const BEFORE = 96
const REACH = 400
/** Fewer characters in a row, mark included, are no key. */
const LEAST_RUN = 20
const LEAST_VALUE = 8
/** A session token or a signed address has so many characters at most. */
const LONGEST_VALUE = 20_000
/** Without a digit, shorter values are names. */
const LEAST_LETTERS = 16
const NEWLINE = 10
const BACKSLASH = 0x5c

const bytesOf = (characters: string): Uint8Array => {
  const table = new Uint8Array(256)
  for (const byte of Buffer.from(characters, 'latin1')) table[byte] = 1
  return table
}
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Characters of keys and of escapes between their lines. */
const RUN = bytesOf(`${LETTERS}0123456789_-.+/=~:%\\`)
/** What may stand between a keyword, its `=` or `:`, and the value. */
const BETWEEN = '\\"\'` \t'
const FILLER = bytesOf(BETWEEN)
const AFTER_KEYWORD = `${BETWEEN}=:`
const VALUE_END = bytesOf(' \t\r\n"\'`\\,;<>{}()[]')
const LETTER = bytesOf(LETTERS)
const DIGIT = bytesOf('0123456789')

/**
 * Returns a function that takes the raw blocks of a transcript, whole lines each, and hands every stretch that may hold
 * a secret to `inspect`, once per different stretch, decoded from JSON once and, where that changes it, twice.
 */
export function createRawReader(inspect: (text: string) => void): (block: Buffer) => void {
  const marks = [
    ...secretRules.flatMap((rule) =>
      rule.raw
        ? rule.needles.map((text) => ({
            text,
            fold: false,
            reach: rule.reach ?? REACH,
            ...placeOf(rule, text),
          }))
        : [],
    ),
    ...KEYWORDS.map((text) => ({ text, fold: true, follow: AFTER_KEYWORD, reach: REACH })),
  ]
  const seen = new Set<string>()
  let filter: RawFilter | null = null

  return (block) => {
    filter ??= createRawFilter(marks)
    filter(block, (needle, at) => {
      const mark = marks[needle]
      if (mark === undefined) return
      const stretch = mark.fold ? assignment(block, at, at + mark.text.length) : run(block, at, mark)
      if (stretch === null) return
      const key = block.toString('latin1', stretch.start, stretch.end)
      if (seen.has(key)) return
      seen.add(key)
      // Never further than a key reaches: a block may be one line of many megabytes.
      const before = block.subarray(Math.max(0, at - BEFORE), at)
      const behind = block.subarray(at, Math.max(at + mark.reach, stretch.end))
      const start = at - before.length + before.lastIndexOf(NEWLINE) + 1
      const newline = behind.indexOf(NEWLINE)
      const end = at + (newline === -1 ? behind.length : newline)
      const once = decodeJson(block.toString('utf8', start, end))
      inspect(once)
      const twice = decodeJson(once)
      if (twice !== once) inspect(twice)
    })
  }
}

interface Stretch {
  start: number
  end: number
}

/** A mark leads when no shape of its rule has it further inside. */
const placeOf = ({ shapes }: SecretRule, needle: string) => ({
  isLeading: !shapes.some((shape) => shape.lastIndexOf(needle) > 0),
})

/** The characters of a key around a mark, or null when they are too few or the mark is the middle of a word. */
function run(
  block: Buffer,
  at: number,
  { reach, isLeading }: { reach: number; isLeading?: boolean },
): Stretch | null {
  const before = block[at - 1] ?? 0
  if (isLeading === true && (LETTER[before] === 1 || DIGIT[before] === 1) && block[at - 2] !== BACKSLASH)
    return null
  let start = at
  let end = at
  while (start > at - BEFORE && RUN[block[start - 1] ?? 0] === 1) start--
  while (end < at + reach && RUN[block[end] ?? 0] === 1) end++
  return end - start < LEAST_RUN ? null : { start, end }
}

/** Keyword and value where `=` or `:` stands between them and the value has a letter and a digit, or is long; else null. */
function assignment(block: Buffer, at: number, keywordEnd: number): Stretch | null {
  let place = skip(block, keywordEnd, FILLER, 6)
  if (block[place] !== 0x3d && block[place] !== 0x3a) return null
  place = skip(block, place + 1, FILLER, 6)
  // `==`, `=>` and `:=`
  if (block[place] === 0x3d || block[place] === 0x3e) place = skip(block, place + 1, FILLER, 6)
  let end = place
  let letter = 0
  let digit = 0
  while (end < block.length && end - place < LONGEST_VALUE && VALUE_END[block[end] ?? 0] === 0) {
    letter |= LETTER[block[end] ?? 0] ?? 0
    digit |= DIGIT[block[end] ?? 0] ?? 0
    end++
  }
  const least = digit === 0 ? LEAST_LETTERS : LEAST_VALUE
  return end - place < least || letter === 0 ? null : { start: at, end }
}

function skip(block: Buffer, from: number, table: Uint8Array, most: number): number {
  let place = from
  while (place - from < most && table[block[place] ?? 0] === 1) place++
  return place
}

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** The text that a piece of a JSON string stands for; a piece may begin or end anywhere. */
const decodeJson = (text: string): string =>
  text.replace(
    /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g,
    (_, code: string | undefined, mark: string | undefined) =>
      code === undefined
        ? (ESCAPES[mark ?? ''] ?? mark ?? '')
        : String.fromCharCode(Number.parseInt(code, 16)),
  )

/** What the bytes of a transcript hold. */
export interface RawFinds {
  /** Secrets by our own rules, in the order they were met. */
  found: Pick<Found, 'rule' | 'value' | 'context'>[]
  /** Texts that only the preset can judge. */
  texts: string[]
}

/** Takes raw blocks, whole lines each, on a thread of its own; what it finds a scanner learns (`Scanner.learn`). */
export function createRawFinder(): { onRaw(block: Buffer): void; finds: RawFinds } {
  const finds: RawFinds = { found: [], texts: [] }
  const seen = new Set<string>()
  const onRaw = createRawReader((text) => {
    for (const { rule, value, context } of findByRules(text)) {
      const key = `${rule}\0${value}\0${context}`
      if (seen.has(key)) continue
      seen.add(key)
      finds.found.push({ rule, value, context })
    }
    if (mayMatchPreset(text)) finds.texts.push(text)
  })
  return { onRaw, finds }
}

/** A short text in ASCII to look for, of three characters at least. */
export interface Mark {
  text: string
  /** Upper and lower case count as the same. */
  fold: boolean
  /** Characters of which one must follow; any may when absent. */
  follow?: string
}

/** Reports every place of a mark in a block: its number and its first byte. */
export type RawFilter = (block: Buffer, report: (mark: number, at: number) => void) => void

/** The bytes that fit each place of a mark. */
type Pattern = readonly (readonly number[])[]

/** Finds marks by a table of their first three bytes: no regular expression for so many is as fast. */
export function createRawFilter(marks: readonly Mark[]): RawFilter {
  const heads: ({ mark: number; pattern: Pattern }[] | undefined)[] = new Array(HEADS)
  const isHead = new Uint8Array(HEADS)
  for (const [mark, one] of marks.entries()) {
    const pattern = patternOf(one)
    const [first = [], second = [], third = []] = pattern
    for (const a of first)
      for (const b of second)
        for (const c of third) {
          const head = headOf(a, b, c)
          isHead[head] = 1
          heads[head] = [...(heads[head] ?? []), { mark, pattern }]
        }
  }
  return (block, report) => {
    let [first, second] = [block[0] ?? 0, block[1] ?? 0]
    const { length } = block
    for (let at = 2; at < length; at++) {
      const third = block[at] as number
      const head = headOf(first, second, third)
      if (isHead[head] === 1)
        for (const { mark, pattern } of heads[head] ?? [])
          if (isAt(block, at - 2, pattern)) report(mark, at - 2)
      first = second
      second = third
    }
  }
}

const HEADS = 1 << 16
const headOf = (first: number, second: number, third: number): number =>
  ((first << 9) ^ (second << 5) ^ third) & (HEADS - 1)

function patternOf({ text, fold, follow }: Mark): Pattern {
  const bytes = Array.from(Buffer.from(text, 'latin1'), (byte): number[] => {
    const letter = byte | 0x20
    return fold && letter >= 0x61 && letter <= 0x7a ? [letter, letter & ~0x20] : [byte]
  })
  return follow === undefined ? bytes : [...bytes, [...Buffer.from(follow, 'latin1')]]
}

const isAt = (block: Buffer, at: number, pattern: Pattern): boolean =>
  pattern.every((choices, place) => choices.includes(block[at + place] ?? -1))
