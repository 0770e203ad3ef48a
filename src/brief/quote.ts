import { escapeAlone, exactLine } from './safe-text.ts'

/** A link or an image as its words and its address: nobody is led where they do not see. */
export const plainLinks = (text: string): string =>
  text.includes('](') ? text.replace(/!?\[([^\]\n]*)\]\(<?([^()\s>]+)>?(?: "[^"\n]*")?\)/g, linkText) : text

const linkText = (_: string, words: string, url: string): string =>
  words === '' || url.includes(words.replace(/`/g, '')) ? url : `${words} (${url})`

/** Longest line of a brief, in UTF-16 units: clients cut what they read at 2,000. */
export const MAX_LINE = 1_500

/** A message as a markdown quote that keeps its lists, tables and code; safe as it is. Longer ones lose their middle. */
export function quoteLines(text: string, max: number): string[] {
  const { head, tail, left } = cutMiddle(text.trim(), max)
  const rest = left === 0 ? [] : ['', `[… ${left} characters left out]`, '', ...escapeLines(tail)]
  return [...escapeLines(head), ...rest].map((line) => `> ${line}`.trimEnd())
}

/** Markdown that somebody wrote, safe to stand in a section: its headings stay below those of a brief. */
export const escapeMarkdown = (text: string): string[] =>
  escapeLines(text.trim(), (line, before) => {
    const heading = /^ {0,3}#{1,2}([ \t].*)?$/.exec(line)
    if (heading !== null) return `###${heading[1] ?? ''}`
    // An underline would make a heading of the line above.
    return /^ {0,3}(?:=+|-+)[ \t]*$/.test(line) && before.trim() !== '' ? `\\${line.trim()}` : line.trimEnd()
  })

function escapeLines(text: string, outside: (line: string, before: string) => string = (line) => line): string[] {
  let fence: string | null = null
  let before = ''
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    const isCode = fence !== null || mark !== undefined
    if (mark !== undefined) fence = fence === null ? mark : mark.startsWith(fence) ? null : fence
    const safe = isCode ? exactLine(line) : outside(escapeIndented(line), before)
    before = isCode ? '' : line
    return wrap(safe)
  })
  return fence === null ? lines : [...lines, fence]
}

/** The text of a quote. */
export const unquote = (lines: readonly string[]): string =>
  lines.map((line) => line.replace(/^> ?/, '')).join('\n')

/** Blanks at the beginning of a line carry the depth of a list. */
function escapeIndented(line: string): string {
  const indent = /^[ \t]*/.exec(line)?.[0] ?? ''
  const text = escapeAlone(plainLinks(line.slice(indent.length)))
  // A definition would not be shown, and a folded-away block not be read.
  return `${indent.replaceAll('\t', '  ')}${/^\[[^\]]+\]:/.test(text) ? `\\${text}` : text}`
}

/** Breaks a line at blanks where it is too long to be read whole. */
export function wrap(line: string, max = MAX_LINE): string[] {
  if (line.length <= max) return [line]
  const end = line.lastIndexOf(' ', max)
  const at = end > max / 2 ? end : max
  return [line.slice(0, at), ...wrap(line.slice(at).trimStart(), max)]
}

/** The beginning and, since a message ends with what is open, a third of it from the end. */
function cutMiddle(text: string, max: number): { head: string; tail: string; left: number } {
  if (text.length <= max) return { head: text, tail: '', left: 0 }
  const place = (mark: string, from: number): number => text.lastIndexOf(mark, from)
  const headEnd = ['\n\n', '\n', ' '].map((mark) => place(mark, (max * 2) / 3)).find((at) => at > max / 3)
  const from = text.length - max / 3
  const tailStart = ['\n\n', '\n', ' '].map((mark) => text.indexOf(mark, from)).find((at) => at !== -1)
  const head = text.slice(0, headEnd ?? (max * 2) / 3)
  const tail = tailStart === undefined ? '' : text.slice(tailStart).trim()
  return { head, tail, left: text.length - head.length - tail.length }
}
