import { KEYWORDS } from './keyword.ts'
import { createRawFilter } from './raw-filter.ts'
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
  let filter: ReturnType<typeof createRawFilter> | null = null

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
