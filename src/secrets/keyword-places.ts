/** A word that makes the value behind it a secret, where it stands. */
export interface KeywordPlace {
  from: number
  end: number
}

/** How the words begin, and how each may go on; a key is one only with a word of `KEY_OF` before it. */
const ROOTS: readonly (readonly [string, readonly string[]])[] = [
  ['pass', ['word', 'wd', 'phrase']],
  ['pwd', ['']],
  ['secret', ['']],
  ['credential', ['s', '']],
  ['token', ['']],
  ['key', ['']],
]
const KEY_OF = [
  'api',
  'access',
  'auth',
  'account',
  'private',
  'secret',
  'signing',
  'encryption',
  'master',
  'service',
]
/** Letters of the longest word of `KEY_OF` and the `_` or `-` behind it. */
const KEY_REACH = 11

/**
 * Every keyword of a text, which is given in lower case, in order of place. Looked for word by word: one expression for
 * all of them takes longer to compile than everything else that a common brief needs of this room.
 */
export function keywordPlaces(lower: string): KeywordPlace[] {
  const places: KeywordPlace[] = []
  for (const [root, endings] of ROOTS) {
    for (let at = lower.indexOf(root); at !== -1; at = lower.indexOf(root, at + 1)) {
      const ending = endings.find((one) => lower.startsWith(one, at + root.length))
      if (ending === undefined) continue
      const from = root === 'key' ? keyStart(lower, at) : at
      if (from !== null) places.push({ from, end: at + root.length + ending.length })
    }
  }
  return places.sort((a, b) => a.from - b.from)
}

/** Lower case with the same offsets; one capital letter of Turkish becomes two units. */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replaceAll('\u0130', 'I').toLowerCase()
}

function keyStart(lower: string, at: number): number | null {
  const before = lower.slice(Math.max(0, at - KEY_REACH), at)
  const words = /[_-]$/.test(before) ? before.slice(0, -1) : before
  const word = KEY_OF.find((one) => words.endsWith(one))
  return word === undefined ? null : at - before.length + words.length - word.length
}

/** What `shape`, a sticky expression for sign and value, fits behind a keyword; what one value holds begins no other. */
export function* assignments(
  text: string,
  places: readonly KeywordPlace[],
  shape: RegExp,
): Generator<{ match: RegExpExecArray; from: number; to: number; word: string }> {
  let to = 0
  for (const { from, end } of places) {
    if (from < to || !isSignNear(text, end)) continue
    shape.lastIndex = end
    const match = shape.exec(text)
    if (match === null) continue
    to = end + match[0].length
    yield { match, from, to, word: text.slice(from, end) }
  }
}

/** A value without quotes ends before the next field of a query and before the marks that end a sentence. */
export const unquoted = (raw: string): string => raw.replace(/&[\w.-]+=.*$|(?<![.:!?&|])[.:!?&|]+$/, '')

/** True unless what follows a keyword rules out a `=` or `:` behind a quote, backslashes and blanks. */
export function isSignNear(text: string, end: number): boolean {
  for (let at = end; at < end + FILLERS; at++) {
    const unit = text.charCodeAt(at)
    if (unit === EQUALS || unit === COLON) return true
    if (unit > SPACE && unit < 0x80 && !QUOTES.includes(text.charAt(at))) return false
  }
  return false
}

/** True unless what stands around a keyword rules out that it ends a command's option and a value follows. */
export function isOption(text: string, { from, end }: KeywordPlace): boolean {
  const next = text.charCodeAt(end)
  if (next !== EQUALS && next > SPACE && next < 0x80) return false
  let at = from - 1
  // `_pwd` is a word of its own.
  if (text.charCodeAt(at) === UNDERSCORE) at--
  while (isLetter(text.charCodeAt(at))) at--
  return text.charCodeAt(at) === DASH
}

const isLetter = (unit: number): boolean => (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a
const QUOTES = '\\"\'`'
/** Three backslashes, a quote, three blanks, and the sign itself. */
const FILLERS = 8
const SPACE = 0x20
const DASH = 0x2d
const COLON = 0x3a
const EQUALS = 0x3d
const UNDERSCORE = 0x5f
