import { visible } from './visible.ts'

/**
 * What markdown would take as more than words inside a line: a tag or comment, an image, a link with a hidden target,
 * and the two labels our own decision lines are split at.
 */
const SPECIAL = String.raw`<(?=[A-Za-z/!?])|\[(?<=!\\*\[)|\((?<=\]\\*\()|—(?= (?:why|instead of|or):(?: |$))`
const ESCAPE = new RegExp(String.raw`(?<!\\)(\\*)(${SPECIAL})`, 'g')
const UNESCAPE = new RegExp(String.raw`(?<!\\)(\\+)(${SPECIAL})`, 'g')
/** What would start a block at the beginning of a line: heading, quote, list, rule, underline, fence, definition, table. */
const BLOCK = /^(?:#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|(?:[-*_]\s*){3,}$|=+\s*$|`{3}|~{3}|\[|\|)/
const LEADING = /^(\\*)(?=[#>\-+*_=`~[|])/
const NUMBER = /^(\d{1,9})(\\*)(?=[.)](\s|$)?)/

/** One canonical line: hidden characters shown, line breaks folded into a space, trimmed. Idempotent. */
export function oneLine(text: string): string {
  return visible(text.replace(/\r\n?/g, '\n'))
    .split('\n')
    .map((line) => line.replace(/\t/g, ' ').trim())
    .filter((line) => line !== '')
    .join(' ')
}

/** As `oneLine`, cut at a word to `max` UTF-16 units and closed by `…`. */
export function clipLine(text: string, max: number): string {
  const line = oneLine(text)
  if (line.length <= max) return line
  const room = line.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')
  const end = room.lastIndexOf(' ')
  return visible(`${(end > max * 0.6 ? room.slice(0, end) : room).trimEnd()}…`)
}

/** A name or command that must keep its bytes, on one line: hidden characters and newlines are shown, tabs stay. */
export const exactLine = (text: string): string => visible(text).replace(/\n/g, '\\u{a}')

/** Several lines made safe for a fence: line ends become LF, hidden characters are shown. */
export const exactLines = (text: string): string => visible(text.replace(/\r\n/g, '\n'))

/** Text for the middle of a line: it cannot become a tag, comment, image, link or label. Undone by `unescapeText`. */
export const escapeText = (text: string): string => oneLine(text).replace(ESCAPE, '$1$1\\$2')

export const unescapeText = (text: string): string =>
  text.replace(UNESCAPE, (_, slashes: string, special: string) => '\\'.repeat(slashes.length >> 1) + special)

/** Text for the beginning of a line: in addition it cannot start a block. Undone by `unescapeLine`. */
export function escapeLine(text: string): string {
  const line = escapeText(text)
  return line
    .replace(LEADING, (slashes) => (slashes !== '' || BLOCK.test(line) ? `${slashes}${slashes}\\` : ''))
    .replace(NUMBER, (all, digits: string, slashes: string, gap: string | undefined) =>
      slashes === '' && gap === undefined ? all : `${digits}${slashes}${slashes}\\`,
    )
}

export function unescapeLine(text: string): string {
  const line = text
    .replace(LEADING, (slashes) => '\\'.repeat(slashes.length >> 1))
    .replace(NUMBER, (_, digits: string, slashes: string) => digits + '\\'.repeat(slashes.length >> 1))
  return unescapeText(line)
}

/** A code span around one line, with a delimiter that the text does not hold. */
export function codeSpan(text: string): string {
  const line = exactLine(text)
  const mark = '`'.repeat(longestRun(line, '`') + 1)
  const pad = /^`|`$|^ .* $/.test(line) && line.trim() !== '' ? ' ' : ''
  return `${mark}${pad}${line}${pad}${mark}`
}

/** The code span at the start of a line and what follows it, or null. */
export function readCodeSpan(line: string): { code: string; rest: string } | null {
  const mark = /^`+/.exec(line)?.[0]
  if (mark === undefined) return null
  for (const run of line.matchAll(/`+/g)) {
    if (run.index === 0 || run[0].length !== mark.length) continue
    const inner = line.slice(mark.length, run.index)
    const code = /^ .* $/.test(inner) && inner.trim() !== '' ? inner.slice(1, -1) : inner
    return { code, rest: line.slice(run.index + mark.length) }
  }
  return null
}

/** A fenced block that its content cannot close: its fence is longer than any run of backticks in it. */
export function fenced(text: string, info: string, indent = ''): string[] {
  const mark = '`'.repeat(Math.max(3, longestRun(text, '`') + 1))
  const lines = [`${mark}${info}`, ...text.split('\n'), mark]
  return lines.map((line) => (line === '' ? '' : indent + line))
}

function longestRun(text: string, char: string): number {
  let longest = 0
  let run = 0
  for (const c of text) {
    run = c === char ? run + 1 : 0
    if (run > longest) longest = run
  }
  return longest
}
