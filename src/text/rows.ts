import pc from 'picocolors'
import { cells, isWide } from './cells.ts'
import { visible } from './visible.ts'

/** A piece of a line and what it is; how that looks is decided when it is painted. */
export interface Span {
  text: string
  is?: 'heading' | 'code' | 'faint' | 'strong' | 'good' | 'bad' | 'warn'
  /** Never broken, not even where it is longer than a row. */
  isWhole?: boolean
}

export type Row = readonly Span[]

declare const painted: unique symbol
/** Text that may go to a terminal as it is: every piece was made visible before colours were put around it. */
export type Painted = string & { readonly [painted]: true }

/** Lines for a terminal. Nothing in a piece is obeyed; the only control characters are our own colours and line breaks. */
export function paint(rows: readonly Row[], color: boolean): Painted {
  const { bold, cyan, dim, green, red, yellow } = pc.createColors(color)
  const of = {
    heading: (text: string) => bold(text),
    code: cyan,
    faint: dim,
    strong: bold,
    good: green,
    bad: red,
    warn: yellow,
  }
  const spanText = ({ text, is }: Span): string => {
    const safe = visible(text).replace(/\n/g, '\\u{a}')
    return is === undefined || safe === '' ? safe : of[is](safe)
  }
  return rows.map((row) => `${joinAlike(row).map(spanText).join('')}\n`).join('') as Painted
}

/** Pieces of one kind beside one another are one, so that colours are set once. */
function joinAlike(row: Row): Span[] {
  const out: Span[] = []
  for (const span of row) {
    const last = out.at(-1)
    if (last !== undefined && last.is === span.is) last.text += span.text
    else out.push({ ...span })
  }
  return out
}

/** A word with what it is made of, and the space before it. */
interface Word {
  gap: Span | null
  parts: Span[]
  cells: number
}

/**
 * Rows of at most `width` cells, broken at spaces, between wide characters, and inside what is longer than a row. The first
 * begins with `first`, the others with as many spaces as `hang` says.
 */
export function wrapRow(spans: Row, width: number, first: Row = [], hang = rowCells(first)): Row[] {
  const margin: Row = hang === 0 ? [] : [{ text: ' '.repeat(hang) }]
  // A margin that leaves no room for words is none.
  if (width - hang < 8 && hang > 0) return wrapRow([...first, ...spans], width)
  const rows: Span[][] = []
  let row: Span[] = [...first]
  let used = rowCells(first)
  let isEmpty = true
  const next = () => {
    rows.push(row)
    row = [...margin]
    used = hang
    isEmpty = true
  }
  for (const word of wordsOf(spans)) {
    const gap = isEmpty || word.gap === null ? null : word.gap
    const room = width - used - (gap === null ? 0 : cells(gap.text))
    const mustStart = word.cells <= width - hang || room < 8 || word.parts.some(({ isWhole }) => isWhole)
    if (word.cells > room && !isEmpty && mustStart) next()
    else if (gap !== null) {
      row.push(gap)
      used += cells(gap.text)
    }
    for (const part of word.parts)
      for (const piece of part.isWhole ? [part.text] : piecesOf(part.text, width - used, width - hang)) {
        const size = cells(piece)
        if (used + size > width && !isEmpty) next()
        row.push({ ...part, text: piece })
        used += size
        isEmpty = false
      }
  }
  rows.push(row)
  return rows
}

/**
 * Lines of a message in rows of `width` cells, the later rows of a line set in by two more than the first. What stands in backticks
 * and what has no space in it, as a path or an id, is to be copied: it is in one piece, whatever its length.
 */
export const wrapMessage = (text: string, width: number): string =>
  text
    .split('\n')
    .flatMap((line) => {
      if (cells(line) <= width) return [line]
      const [margin = ''] = /^ */.exec(line) ?? []
      return wrapText(line.trimStart(), width, margin, margin.length + 2)
    })
    .join('\n')

/** A text in lines of `width` cells, in pieces as of `wrapMessage`: the first behind `margin`, the others behind `hang` spaces; none of nothing. */
export const wrapText = (text: string, width: number, margin = '', hang = margin.length): string[] =>
  text === ''
    ? []
    : wrapRow(wordSpans(text), width, [{ text: margin }], hang).map((row) =>
        row.map((span) => span.text).join(''),
      )

/** A text in lines of at most `width` cells, the later ones set in by two; what is longer than a line is broken inside. */
export function wrapPlain(text: string, width: number): string[] {
  if (cells(text) <= width) return [text]
  return (
    asciiLines(text, width) ??
    wrapRow([{ text }], width, [], 2).map((row) => row.map((span) => span.text).join(''))
  )
}

/** The same for words of ASCII that fit a line, several times as fast: ten thousand briefs may be drawn. Null for all others. */
function asciiLines(text: string, width: number): string[] | null {
  if (width < 10 || !/^[!-~][ -~]*$/.test(text) || text.split(' ').some(({ length }) => length > width - 2))
    return null
  const line = (most: number) => new RegExp(`[!-~](?:[ -~]{0,${most - 2}}[!-~])?(?= |$)`, 'g')
  const [first = ''] = line(width).exec(text) ?? []
  const others = text.slice(first.length).match(line(width - 2)) ?? []
  return [first, ...others.map((other) => `  ${other}`)]
}

/** Words, and what stands in backticks, each in one piece, with the spaces between them. */
export const wordSpans = (text: string): Span[] =>
  [...text.matchAll(/(\s*)((?:[^\s`]|`[^`]*`|`)+)/g)].flatMap(([, gap = '', word = '']) => [
    { text: gap },
    { text: word, isWhole: !WIDE_TEXT.test(word) },
  ])

export const rowCells = (row: Row): number => row.reduce((sum, { text }) => sum + cells(visible(text)), 0)

function wordsOf(spans: Row): Word[] {
  const words: Word[] = []
  let gap: Span | null = null
  let isOpen = false
  // Wide characters are words of their own: scripts that have them write no spaces.
  for (const span of spans)
    for (const text of piecesAtSpaces(span)) {
      if (text === '') continue
      if (text.startsWith(' ')) {
        gap = { ...span, text }
        isOpen = false
        continue
      }
      const last = words.at(-1)
      const wide = isWide(text.codePointAt(0) ?? 0)
      const part = { ...span, text }
      if (isOpen && last !== undefined && !wide) {
        last.parts.push(part)
        last.cells += cells(text)
      } else words.push({ gap, parts: [part], cells: cells(text) })
      gap = null
      isOpen = true
    }
  return words
}

function piecesAtSpaces({ text, isWhole }: Span): string[] {
  const line = visible(text).replace(/[\t\n]/g, ' ')
  return isWhole ? [line] : line.split(/( +)/).flatMap(splitWide)
}

/** Of a script that writes no spaces. */
const WIDE_TEXT = /[\u2e80-\uffef]/

/** A text before each of its wide characters that follows another one; emoji and their joiners stay in one piece. */
function splitWide(text: string): string[] {
  if (!WIDE_TEXT.test(text)) return [text]
  const out: string[] = []
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    const isCharacter = code >= 0x2e80 && code <= 0xffef && isWide(code) && !CLOSING.has(char)
    if (isCharacter || out.length === 0) out.push(char)
    else out[out.length - 1] += char
  }
  return out
}

/** Never first in a line. */
const CLOSING = new Set('、。，．：；！？）」』】〉》〕］｝ー々')

/** A part cut where a row is full: the first piece fits `room`, the others `width`. */
function piecesOf(text: string, room: number, width: number): string[] {
  if (cells(text) <= Math.max(room, width)) return [text]
  const out: string[] = []
  let piece = ''
  let most = room < 2 ? width : room
  // The segmenter takes 25 µs for each of its pieces.
  if (/^[\x20-\x7e]*$/.test(text)) {
    for (let at = 0; at < text.length; at += at === 0 ? most : width)
      out.push(text.slice(at, at + (at === 0 ? most : width)))
    return out
  }
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (piece !== '' && cells(piece + segment) > most) {
      out.push(piece)
      piece = ''
      most = width
    }
    piece += segment
  }
  return [...out, piece]
}
