import { cutAt, escapeMarkup, escapeStart, hasOpenCode } from '../text/safe-text.ts'
import { visible } from '../text/visible.ts'

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
  const end = MARKS.map((mark) => text.lastIndexOf(mark, max)).find((at) => at > max / 2)
  return text.length <= max ? text : end === undefined ? cutAt(text, max) : text.slice(0, end)
}

/** The beginning and, since a message ends with what is open, a third of it from the end. */
function cutMiddle(text: string, max: number): { head: string; tail: string; left: number } {
  if (text.length <= max) return { head: text, tail: '', left: 0 }
  const head = cutAtParagraph(text, (max * 2) / 3)
  const from = text.length - max / 3
  const start = MARKS.map((mark) => text.indexOf(mark, from)).find((at) => at !== -1)
  const tail = start === undefined ? '' : text.slice(start).trim()
  return { head, tail, left: text.length - head.length - tail.length }
}

const MARKS = ['\n\n', '\n', ' ']

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
