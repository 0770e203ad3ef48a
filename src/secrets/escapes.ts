/**
 * A text as whoever reads it sees it: `%3A` is a colon, `\u003d` and `&#61;` are an equals sign, a colour is nothing. Rules look at this,
 * so that an escape in any notation is a boundary and never part of a value; what they find is named by its place in the written text.
 */
export interface Reading {
  text: string
  /** Where in the written text a stretch of this one stands. */
  placeOf(start: number, end: number): { start: number; end: number }
}

const BACKSLASHES = '\\\\{1,15}'
const PERCENT = '%(?:25){0,3}'
/** The ways in which logs, programs, browsers and this program write the escape character. */
const ESC = `(?:\\u{1b}|${BACKSLASHES}(?:x1[bB]|u001[bB]|u\\{1[bB]\\}|0{0,2}33|27|e)|\\^\\[|␛|<ESC>|\\bESC|&#(?:27|x1[bB]);|${PERCENT}1[bB])`
const C1 = `(?:\\u{9b}|${BACKSLASHES}(?:x9[bB]|u009[bB]|u\\{9[bB]\\}))`
/** Control sequences of ECMA-48, other escape sequences, and colours whose escape character was lost. */
const TERMINAL = [
  `(?:${ESC}(?:\\[|${PERCENT}5[bB])|${C1})(?:[0-?]|${PERCENT}3[0-9a-fA-F]){0,20}[ -/]{0,2}[@-~]`,
  `${ESC}[()*+][AB0-2]`,
  '\\u{1b}[78=>\\\\\\]]?',
  '\\[[0-9;:]{1,20}[mK](?:\\[K)?',
  '\\[m\\[K',
  // What a page or markdown marks within a word.
  '(?<=[\\w.+/-])</?(?:wbr|mark|span|em|strong|b)(?: class="[\\w -]{0,80}")?>(?=[\\w.+/-])',
  '(?<=[\\w.+/-])\\*\\*(?=[\\w.+/-])(?<!/\\*\\*(?=/))',
].join('|')
const HEX = '[0-9a-fA-F]'
/** Characters of no width, those that turn a line around among them. */
const NO_WIDTH =
  '\\u{ad}\\u{34f}\\u{180e}\\u{200b}-\\u{200f}\\u{202a}-\\u{202e}\\u{2060}-\\u{2064}\\u{2066}-\\u{2069}\\u{fe00}-\\u{fe0f}\\u{feff}\\u{e0000}-\\u{e007f}'
/** Blanks of other widths, hyphens that do not break, and characters of no width. */
const UNSEEN = `\\u{a0}\\u{2000}-\\u{200a}\\u{2010}\\u{2011}\\u{202f}\\u{3000}${NO_WIDTH}`
/** A character as JSON, programs, addresses, HTML and markdown write it, or one that nobody sees. */
const CHARACTER = [
  `${BACKSLASHES}(?:x${HEX}{2}|u${HEX}{4}|u\\{${HEX}{1,6}\\}|U${HEX}{8}|[0-7]{3}|[nrt]|[!-/:-@[\\]-\`{-~])`,
  `${PERCENT}[0-7]${HEX}`,
  '&(?:amp;){0,2}(?:#\\d{1,6}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,6});',
  `[${UNSEEN}]`,
].join('|')
/** What one of them begins with is looked for first: most characters begin none, and the search takes a third of the time. */
const ESCAPE = new RegExp(`(?=[\\u{1b}\\u{9b}\\\\^␛<E&%*[${UNSEEN}])(?:(${TERMINAL})|${CHARACTER})`, 'gu')

/**
 * The text as it reads, an escape of the terminal as a blank. Where one tears a word, as `grep --color` does, also the text without
 * any: that reading comes first.
 */
export function readingsOf(written: string): Reading[] {
  let isTorn = false
  const read = (blank: string): Reading => {
    const parts: string[] = []
    /** By escape: where it begins and ends as it reads, and as it is written. */
    const places: [number, number, number, number][] = []
    let [done, length] = [0, 0]
    for (const match of written.matchAll(ESCAPE)) {
      const { 0: code, 1: order, index } = match
      const end = index + code.length
      const plain = order === undefined ? meaningOf(code) : blank
      if (plain === null) continue
      isTorn ||= order !== undefined && isInWord(written, index, end)
      parts.push(written.slice(done, index), plain)
      length += index - done
      places.push([length, length + plain.length, index, end])
      length += plain.length
      done = end
    }
    if (places.length === 0) return { text: written, placeOf: (start, end) => ({ start, end }) }
    parts.push(written.slice(done))
    return { text: parts.join(''), placeOf: placer(places) }
  }
  const whole = read(' ')
  return isTorn ? [read(''), whole] : [whole]
}

const TOKEN = /[A-Za-z0-9_+/.-]/
const isInWord = (text: string, start: number, end: number): boolean =>
  TOKEN.test(text.charAt(start - 1)) && TOKEN.test(text.charAt(end))

function placer(places: readonly (readonly [number, number, number, number])[]): Reading['placeOf'] {
  /** The last escape that begins at a place or before it. */
  const before = (at: number) => {
    let [low, high] = [0, places.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((places[middle]?.[0] ?? 0) <= at) low = middle + 1
      else high = middle
    }
    return places[low - 1] ?? ([0, 0, 0, 0] as const)
  }
  const startOf = (at: number): number => {
    const [, end, index, behind] = before(at)
    return at < end ? index : behind + at - end
  }
  return (start, end) => {
    const [from, to, , behind] = before(end - 1)
    return { start: startOf(start), end: end - 1 < to && end > from ? behind : startOf(end - 1) + 1 }
  }
}

const LETTERS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }
/** Names of HTML, each before its character. */
const NAMED = new Map(
  'quot" apos\' amp& lt< gt> nbsp\u{a0} lowbar_ colon: equals= sol/ num#'
    .split(' ')
    .map((one) => [one.slice(0, -1), one.slice(-1)]),
)

/** The character that an escape stands for: a blank for one that shows nothing, null where it is no escape. */
function meaningOf(code: string): string | null {
  if (code.startsWith('%')) return characterOf(Number.parseInt(code.slice(-2), 16))
  if (code.startsWith('&')) {
    const name = code.slice(1, -1).split(';').at(-1) ?? ''
    if (!name.startsWith('#')) return NAMED.get(name)?.replace('\u{a0}', ' ') ?? null
    const isHex = name.charAt(1).toLowerCase() === 'x'
    return characterOf(Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10))
  }
  if (!code.startsWith('\\')) return characterOf(code.codePointAt(0) ?? 0)
  const rest = code.slice(code.lastIndexOf('\\') + 1)
  const first = rest.charAt(0)
  if (rest.length === 1) return LETTERS[rest] ?? rest
  if (!'xuU'.includes(first)) return characterOf(Number.parseInt(rest, 8))
  return characterOf(Number.parseInt(rest.charAt(1) === '{' ? rest.slice(2) : rest.slice(1), 16))
}

const WIDTHLESS = new RegExp(`^[${NO_WIDTH}]$`, 'u')

function characterOf(code: number): string {
  if (code === 10 || code === 13 || code === 9) return String.fromCharCode(code)
  if (code < 33 || (code > 126 && code < 161) || code > 0x10ffff || code === 0x3000 || code === 0x202f)
    return ' '
  if (code === 0x2010 || code === 0x2011) return '-'
  if (code > 0x1fff && code < 0x200b) return ' '
  const character = String.fromCodePoint(code)
  return WIDTHLESS.test(character) ? '' : character
}
