import fastStringWidth from 'fast-string-width'
import pc from 'picocolors'
import { visible } from './safe-text.ts'

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

/** Of a script that writes no spaces. */
const WIDE = '\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\uff60\uffe0-\uffe6'
/** Never first in a line. */
const CLOSING = '、。，．：；！？）」』】〉》〕］｝ー々'
/** The spaces before it, and what is not broken: a word, or a wide character with what closes a sentence behind it. */
const WORD = new RegExp(`(?<! )( *)([^ ](?:[^ ${WIDE}]|[${CLOSING}])*)`, 'gu')
/** Fewer cells are no room to begin what is longer than a row, nor for words beside a margin. */
const LEAST_ROOM = 8
/** Stands for a space in what is never broken: a code point that is no character. */
const HELD = '\ufdd0'

/**
 * Rows of at most `width` cells, broken at spaces, between wide characters, and inside what is longer than a row. The first
 * begins with `first`, the others with as many spaces as `hang` says.
 */
export function wrapRow(spans: Row, width: number, first: Row = [], hang = rowCells(first)): Row[] {
  // A margin that leaves no room for words is none.
  if (width - hang < LEAST_ROOM && hang > 0) return wrapRow([...first, ...spans], width)
  const shown = spans.map((span): Span => {
    const line = visible(span.text).replace(/[\t\n]/g, ' ')
    return { ...span, text: span.isWhole ? line.replaceAll(' ', HELD) : line }
  })
  const text = shown.map((span) => span.text).join('')
  const owners = shown.flatMap((span) => Array.from({ length: span.text.length }, () => span))
  const rows: Row[] = []
  let lead = first
  let used = rowCells(first)
  // Where the words of the row begin and end in the text.
  let [start, end] = [0, 0]
  const endRow = (): void => {
    rows.push([...lead, ...spansOf(text.slice(start, end), owners.slice(start, end))])
    lead = hang === 0 ? [] : [{ text: ' '.repeat(hang) }]
    used = hang
    start = end
  }
  for (const { 1: gap = '', 2: word = '', index } of text.matchAll(WORD)) {
    const at = index + gap.length
    const size = cells(word)
    const isWhole = owners[at]?.isWhole === true
    const room = width - used - gap.length
    if (end > start && size > room && (isWhole || size <= width - hang || room < LEAST_ROOM)) endRow()
    if (end > start) used += gap.length
    else start = at
    if (!isWhole && used + size > width) {
      let place = at
      for (const character of charactersOf(word)) {
        const one = cells(character)
        if (end > start && used + one > width) endRow()
        if (end === start) start = place
        place += character.length
        end = place
        used += one
      }
    } else {
      end = at + word.length
      used += size
    }
  }
  endRow()
  return rows
}

/** What a reader takes for one character each; the segmenter takes 25 µs for one, so it is not asked about ASCII. */
const charactersOf = (word: string): Iterable<string> =>
  /^[\x20-\x7e]*$/.test(word)
    ? word
    : Array.from(new Intl.Segmenter().segment(word), ({ segment }) => segment)

/** A piece of a text as spans; `owners`: of each of its units, the span that it came from. */
function spansOf(text: string, owners: readonly Span[]): Span[] {
  const out: Span[] = []
  for (let at = 0; at < text.length; ) {
    const owner = owners[at]
    let end = at
    while (end < text.length && owners[end] === owner) end++
    out.push({ ...owner, text: text.slice(at, end).replaceAll(HELD, ' ') })
    at = end
  }
  return out
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
  text === '' ? [] : wrapRow(wordSpans(text), width, [{ text: margin }], hang).map(textOf)

/** A text in lines of at most `width` cells, the later ones set in by two; what is longer than a line is broken inside. */
export const wrapPlain = (text: string, width: number): string[] =>
  cells(text) <= width ? [text] : wrapRow([{ text }], width, [], 2).map(textOf)

const textOf = (row: Row): string => row.map(({ text }) => text).join('')

/** Words, and what stands in backticks, each in one piece, with the spaces between them. */
export const wordSpans = (text: string): Span[] =>
  [...text.matchAll(/(\s*)((?:[^\s`]|`[^`]*`|`)+)/g)].flatMap(([, gap = '', word = '']) => [
    { text: gap },
    { text: word, isWhole: !HAS_WIDE.test(word) },
  ])
const HAS_WIDE = new RegExp(`[${WIDE}]`)

export const rowCells = (row: Row): number => row.reduce((sum, { text }) => sum + cells(visible(text)), 0)

/**
 * Cells a terminal gives a text: two for East Asian wide characters and for emoji, none for marks that stand on the character before and
 * for what is joined to an emoji.
 */
export const cells = (text: string): number => fastStringWidth(text)

/** The beginning of a line that takes at most `width` cells; what is cut off is replaced by `end`. */
export function clipCells(line: string, width: number, end: string): string {
  if (cells(line) <= width) return line
  const room = width - cells(end)
  let kept = ''
  for (const char of line) {
    if (cells(kept + char) > room) break
    kept += char
  }
  return `${kept.trimEnd()}${end}`
}

/** The width of the person's terminal as its shell tells it; 80 when it does not. */
export const widthOf = (env: Readonly<Record<string, string | undefined>>): number => {
  const told = Number(env.COLUMNS)
  return Number.isInteger(told) && told > 0 ? told : 80
}
