/**
 * What markdown would take as more than words inside a line: a tag or comment, an image, a link with a hidden target,
 * and the two labels our own decision lines are split at.
 */
const SPECIAL = String.raw`<(?=[A-Za-z/!?])|\[(?<=!\\*\[)|\((?<=\]\\*\()|—(?= (?:why|instead of|or):(?: |$))`
const ESCAPE = new RegExp(String.raw`(?<!\\)(\\*)(${SPECIAL})`, 'g')
const UNESCAPE = new RegExp(String.raw`(?<!\\)(\\+)(${SPECIAL})`, 'g')
/**
 * What would start a block at the beginning of a line: heading, quote, list, rule (two dashes behind that of an item), underline,
 * fence, definition, table.
 */
const BLOCK = /^(?:#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|--$|(?:[-*_]\s*){3,}$|=+\s*$|`{3}|~{3}|\[|\|)/
const LEADING = /^(\\*)(?=[#>\-+*_=`~[|])/
// An optional group never matches the end of the line, which is nothing.
const NUMBER = /^(\d{1,9})(\\*)(?=[.)](?:(\s|$)|))/

/** One canonical line: hidden characters shown, line breaks folded into a space, trimmed. Idempotent. */
export function oneLine(text: string): string {
  return visible(text.replace(/\r\n?/g, '\n'))
    .split('\n')
    .map((line) => line.replace(/\t/g, ' ').trim())
    .filter((line) => line !== '')
    .join(' ')
}

/** What was too long for a key may be as long as one when it is cut: a text that held none must not seem to. */
const RUN = /(?<!\w)(\w{8})\w{24,}$/

/** As `oneLine`, cut at a word to `max` UTF-16 units and closed by `…`. */
export function clipLine(text: string, max: number): string {
  const line = oneLine(text)
  if (line.length <= max) return line
  const room = cutAt(line, max - 1)
  const end = room.lastIndexOf(' ')
  return visible(`${(end > max * 0.6 ? room.slice(0, end) : room.replace(RUN, '$1')).trimEnd()}…`)
}

/** At most `max` UTF-16 units of a text; a character of two units stays whole. */
export const cutAt = (text: string, max: number): string => text.slice(0, max).replace(/[\ud800-\udbff]$/, '')

/** A name or command that must keep its bytes, on one line: hidden characters and newlines are shown, tabs stay. */
export const exactLine = (text: string): string => visible(text).replace(/\n/g, '\\u{a}')

/** Several lines made safe for a fence: line ends become LF, hidden characters are shown. */
export const exactLines = (text: string): string => visible(text.replace(/\r\n/g, '\n'))

/** Text for the middle of a line: it cannot become a tag, comment, image, link or label. Undone by `unescapeText`. */
export const escapeText = (text: string): string => escapeSpecial(oneLine(text))

const escapeSpecial = (line: string): string => line.replace(ESCAPE, '$1$1\\$2')

export const unescapeText = (text: string): string =>
  text.replace(UNESCAPE, (_, slashes: string, special: string) => '\\'.repeat(slashes.length >> 1) + special)

/** Text for the beginning of a line: in addition it cannot start a block. Undone by `unescapeLine`. */
export const escapeLine = (text: string): string => escapeStart(escapeText(text))

export const unescapeLine = (text: string): string => unescapeText(unescapeStart(text))

/**
 * As `escapeText`, for a text that is the only one on its line: inside its code spans nothing is escaped, because a
 * backslash would be read as part of the code there. Beside other text a stray backtick could open such a span.
 */
export const escapeAlone = (text: string): string => outsideCode(oneLine(text), escapeSpecial)

export const unescapeAlone = (text: string): string => outsideCode(text, unescapeText)

/** As `escapeLine`, for a text that is the only one on its line. */
export const escapeLineAlone = (text: string): string => escapeStart(escapeAlone(text))

export const unescapeLineAlone = (text: string): string => unescapeAlone(unescapeStart(text))

/** What `escapeLine` does to the beginning of a line that is safe in the middle. */
export function escapeStart(line: string): string {
  return line
    .replace(LEADING, (slashes) => (slashes !== '' || BLOCK.test(line) ? `${slashes}${slashes}\\` : ''))
    .replace(NUMBER, (all, digits: string, slashes: string, gap: string | undefined) =>
      slashes === '' && gap === undefined ? all : `${digits}${slashes}${slashes}\\`,
    )
}

export const unescapeStart = (text: string): string =>
  text
    .replace(LEADING, (slashes) => '\\'.repeat(slashes.length >> 1))
    .replace(NUMBER, (_, digits: string, slashes: string) => digits + '\\'.repeat(slashes.length >> 1))

/** Changes what stands outside of code spans; escaping never changes a run of backticks, so that both ways see the same spans. */
export const outsideCode = (line: string, change: (text: string) => string): string =>
  codeParts(line)
    .map(({ text, code }) => (code === null ? change(text) : text))
    .join('')

/**
 * A line as what stands outside of code spans and the spans themselves, with their marks in `text` and without in `code`. Where a
 * backslash or a fence makes it doubtful what a span is, everything counts as outside. In linear time.
 */
export function codeParts(line: string): { text: string; code: string | null }[] {
  if (!line.includes('`') || /\\`|^`{3}/.test(line)) return [{ text: line, code: null }]
  const runs = [...line.matchAll(/`+/g)]
  const closing = closers(runs.map((run) => run[0].length))
  const out: { text: string; code: string | null }[] = []
  let at = 0
  for (let i = 0; i < runs.length; i++) {
    const [open, end] = [runs[i], closing[i]]
    const close = end === undefined ? undefined : runs[end]
    if (open === undefined || end === undefined || close === undefined) continue
    out.push({ text: line.slice(at, open.index), code: null })
    at = close.index + close[0].length
    const text = line.slice(open.index, at)
    out.push({ text, code: withoutPad(text.slice(open[0].length, -open[0].length)) })
    i = end
  }
  return [...out, { text: line.slice(at), code: null }]
}

/** What a code span says: one space on each side only keeps backticks apart from its marks. */
const withoutPad = (inner: string): string =>
  /^ .* $/.test(inner) && inner.trim() !== '' ? inner.slice(1, -1) : inner

/** For each run the number of the next one of the same length. */
function closers(lengths: readonly number[]): (number | undefined)[] {
  const next = new Map<number, number>()
  const out: (number | undefined)[] = []
  for (let i = lengths.length - 1; i >= 0; i--) {
    const length = lengths[i] ?? 0
    out[i] = next.get(length)
    next.set(length, i)
  }
  return out
}

/** A code span around one line, with a delimiter that the text does not hold. */
export function codeSpan(text: string): string {
  const line = exactLine(text)
  const mark = '`'.repeat(longestTicks(line) + 1)
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
    const code = withoutPad(inner)
    return { code, rest: line.slice(run.index + mark.length) }
  }
  return null
}

/** A fenced block that its content cannot close. */
export function fenced(text: string, info: string, indent = ''): string[] {
  const mark = fenceOf(text)
  const lines = [`${mark}${info}`, ...text.split('\n'), mark]
  return lines.map((line) => (line === '' ? '' : indent + line))
}

/** A fence that is longer than any run of backticks in a text. */
export const fenceOf = (text: string): string => '`'.repeat(Math.max(3, longestTicks(text) + 1))

const longestTicks = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0)

/**
 * One line of markdown that somebody wrote, as markdown: tags, images, links with a hidden target and definitions turn into
 * words. What is escaped already stays. `isOpen`: no code span is certain.
 */
export function escapeMarkup(line: string, isOpen = false): string {
  const safe = isOpen ? escapeTags(line) : outsideCode(line, escapeTags)
  return safe.includes(']:') ? safe.replace(DEFINITION, '$&\\') : safe
}

/** A backtick outside of code spans may open one on this line and close it on the next. */
export const hasOpenCode = (line: string): boolean =>
  line.includes('`') && codeParts(line).some(({ text, code }) => code === null && text.includes('`'))

const escapeTags = (text: string): string =>
  plainLinks(text).replace(MARKUP, (all, slashes: string, special: string) =>
    slashes.length % 2 === 1 ? all : `${slashes}\\${special}`,
  )

/** A link or an image as its words and its address: nobody is led where they do not see. */
const plainLinks = (text: string): string =>
  text.includes('](') ? text.replace(/!?\[([^\]\n]*)\]\(<?([^()\s>]+)>?(?: "[^"\n]*")?\)/g, linkText) : text

const linkText = (_: string, words: string, url: string): string =>
  words === '' || url.includes(words.replace(/`/g, '')) ? url : `${words} (${url})`

const MARKUP = /(?<!\\)(\\*)(<(?=[A-Za-z/!?]|[\s/]*handoff-context)|\[(?<=!\\*\[)|\((?<=\]\\*\())/gi
/** Also the second line of a label that stands on two. */
const DEFINITION = /^(?:(?:[-*+>]|\d{1,9}[.)])[ \t]*){0,8}\[?(?:[^[\]\\]|\\.)*\](?=:)/

/**
 * Code points that a reader does not see or that move a terminal: controls except newline and tab, lone surrogates,
 * line and paragraph separators, annotation marks, and everything Unicode calls default-ignorable (bidi controls, zero
 * widths, variation selectors, tags, fillers). Made when it is needed: the tables of Unicode are slow even to read.
 */
const hidden = () => /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu
/** The two that emoji are made of, where they really join an emoji. */
const emoji = () =>
  /(?<=\p{Extended_Pictographic})\ufe0f|(?<=[0-9#*])\ufe0f(?=\u20e3)|(?<=\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})/gu
/** Scripts and signs without any such code point; what they say needs no tables of Unicode, which are slow to compile. */
const PLAIN =
  /^[\n\t\x20-\x7e\xa1-\xac\xae-\u024f\u0370-\u058f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u2bff\u3001-\u3163\u3400-\u9fff\uac00-\ud7a3]*$/

/** The text with every hidden or dangerous code point shown as `\u{hex}`; newline, tab and emoji joiners stay. Idempotent. */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text
  const kept = emojiParts(text)
  return text.replace(hidden(), (char: string, offset: number) =>
    char === '\n' || char === '\t' || kept.has(offset) ? char : `\\u{${char.codePointAt(0)?.toString(16)}}`,
  )
}

/** Where hidden code points stand: offset in UTF-16 units and the code point. */
export function hiddenIn(text: string): { at: number; code: number }[] {
  if (PLAIN.test(text)) return []
  const kept = emojiParts(text)
  return [...text.matchAll(hidden())]
    .filter(([char], i, all) => char !== '\n' && char !== '\t' && !kept.has(all[i]?.index ?? -1))
    .map((match) => ({ at: match.index, code: match[0].codePointAt(0) ?? 0 }))
}

const emojiParts = (text: string): ReadonlySet<number> =>
  new Set(/[\ufe0f\u200d]/.test(text) ? [...text.matchAll(emoji())].map((match) => match.index) : [])

/** Longest line of a brief, in UTF-16 units: clients cut what they read at 2,000. */
export const MAX_LINE = 1_500
/** A line of so many is still short enough when half of its characters had to be escaped. */
export const SAFE_LINE = 980

/** A message as a markdown quote that keeps its lists, tables and code; safe as it is. Longer ones lose their middle. */
export function quoteLines(text: string, max: number): string[] {
  const { head, tail, left } = cutMiddle(text.trim(), max)
  const rest = left === 0 ? [] : ['', `[… ${left} characters left out]`, '', ...escapeLines(tail)]
  return [...escapeLines(head), ...rest].map((line) => `> ${line}`.trimEnd())
}

/** Markdown that somebody wrote, safe to stand in a section: its headings stay below those of a brief. Idempotent. */
export const escapeMarkdown = (text: string): string[] =>
  escapeLines(text.trim(), (line, before) => {
    const [, marks, words = ''] = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/.exec(line) ?? []
    if (marks !== undefined)
      return words === '' ? `\\${marks}` : `${marks.length < 3 ? '###' : marks} ${words}`
    // An underline would make a heading of the line above.
    return /^ {0,3}(?:=+|-+)[ \t]*$/.test(line) && before.trim() !== '' ? `\\${line.trim()}` : line
  })

export const unquote = (lines: readonly string[]): string =>
  lines.map((line) => line.replace(/^> ?/, '')).join('\n')

/** Breaks a line at blanks where it is too long to be read whole. */
export function wrap(line: string, max = MAX_LINE): string[] {
  const pieces: string[] = []
  let rest = line
  while (rest.length > max) {
    const end = rest.lastIndexOf(' ', max)
    const piece = end > max / 2 ? rest.slice(0, end) : cutAt(rest, max)
    pieces.push(piece)
    rest = rest.slice(piece.length).trimStart()
  }
  return [...pieces, rest]
}

/** The beginning of a text, ended at a paragraph, else a line, else a word. */
export function cutAtParagraph(text: string, max: number): string {
  const end = BREAKS.map((mark) => text.lastIndexOf(mark, max)).find((at) => at > max / 2)
  return text.length <= max ? text : end === undefined ? cutAt(text, max) : text.slice(0, end)
}

/** The beginning and, since a message ends with what is open, a third of it from the end. */
function cutMiddle(text: string, max: number): { head: string; tail: string; left: number } {
  if (text.length <= max) return { head: text, tail: '', left: 0 }
  const head = cutAtParagraph(text, (max * 2) / 3)
  const from = text.length - max / 3
  const start = BREAKS.map((mark) => text.indexOf(mark, from)).find((at) => at !== -1)
  const tail = start === undefined ? '' : text.slice(start).trim()
  return { head, tail, left: text.length - head.length - tail.length }
}

const BREAKS = ['\n\n', '\n', ' ']

type Change = (line: string, before: string) => string

function escapeLines(text: string, change: Change = (line) => line): string[] {
  const lines: string[] = []
  let paragraph: string[] = []
  let fence: { mark: string; indent: string } | null = null
  const flush = (): void => {
    lines.push(...escapeParagraph(paragraph, change))
    paragraph = []
  }
  for (const line of visible(text.replace(/\r\n?/g, '\n')).split('\n')) {
    if (fence !== null) {
      const isEnd = /^\s*(`{3,}|~{3,})\s*$/.exec(line)?.[1]?.startsWith(fence.mark) ?? false
      lines.push(...(isEnd ? [fence.indent + fence.mark] : codeLines(line, fence.indent)))
      if (isEnd) fence = null
      continue
    }
    const [, indent = '', mark] = /^( {0,3})(`{3,}(?!.*`)|~{3,})/.exec(line) ?? []
    if (mark === undefined && line.trim() !== '') paragraph.push(line)
    else {
      flush()
      if (mark !== undefined) lines.push(cutAt(line.trimEnd(), SAFE_LINE))
      // Where lines were taken out, the blank ones around them stay.
      else if (lines.at(-1) !== '') lines.push('')
      if (mark !== undefined) fence = { mark, indent }
    }
  }
  flush()
  return fence === null ? lines : [...lines, fence.indent + fence.mark]
}

/** Lines of code, exact but for their indent: one to the left of its fence would end the list item that the fence stands in. */
function codeLines(line: string, indent: string): string[] {
  // The marker of latest.md is looked for in fences too.
  const text = line.replace(/^(?=<!--\s*handoff:)/i, ' ')
  const isInside = text.trim() === '' || text.startsWith(indent)
  // Four blanks keep the rest of a line from ending the block.
  return wrap(isInside ? text : indent + text.trimStart(), SAFE_LINE).map((piece, at) =>
    at === 0 ? piece : `    ${piece}`,
  )
}

/** A code span may run over several lines: where one may, nothing counts as code. */
function escapeParagraph(paragraph: readonly string[], change: Change): string[] {
  const isOpen = paragraph.some(hasOpenCode)
  return paragraph.flatMap((line, at) => {
    const indent = /^[ \t]*/.exec(line)?.[0] ?? ''
    const text = line.slice(indent.length).trimEnd()
    const whole = change(indent.replaceAll('\t', '  ') + escapeMarkup(text, isOpen), paragraph[at - 1] ?? '')
    if (whole.length <= MAX_LINE) return [whole]
    const pieces = wrap(text, SAFE_LINE)
    return pieces.map((piece, n) => {
      const safe = escapeMarkup(piece, isOpen || pieces.some(hasOpenCode))
      return n === 0 ? change(safe, paragraph[at - 1] ?? '') : escapeStart(safe)
    })
  })
}

/** A text as one word of POSIX shell that means just that text. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The same as a person types it: in quotes only where a shell needs them. */
export const typedWord = (text: string): string => (/^[\w./@:=+%-]+$/.test(text) ? text : shellWord(text))

/** The text of a word that `shellWord` made. */
export const plainWord = (word: string): string => word.slice(1, -1).replaceAll("'\\''", "'")
