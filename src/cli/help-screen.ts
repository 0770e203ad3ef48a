import { cells, type Painted, paint, type Row, wordSpans, wrapRow } from '../text/rows.ts'

/** Before a list of names with what they do; every other line that is set in was laid out, or is to be copied. */
const LISTS = /^(?!Examples?:).*:$/
/** Cells that are enough for words beside a name; with fewer they stand below it. */
const ROOM = 24
const BELOW = 6

/** The help of a command for a terminal: prose and lists are broken between words, what is to be copied stays. */
export function helpScreen(help: string, columns: number): Painted {
  const rows: Row[] = []
  let prose: string[] = []
  let isList = false
  const endProse = (): void => {
    rows.push(...proseRows(prose, columns))
    prose = []
  }
  for (const line of help.trimEnd().split('\n'))
    if (line === '' || line.startsWith(' ')) {
      endProse()
      rows.push(...(isList ? itemRows(line, columns) : [[{ text: line }]]))
    } else {
      isList = LISTS.test(line)
      prose.push(line)
    }
  endProse()
  return paint(rows, false)
}

/** A name and, from its column on, what it does. */
function itemRows(line: string, columns: number): Row[] {
  const [, name = '', text = ''] = /^( +\S.*? {2,})(\S.*)$/.exec(line) ?? []
  if (cells(line) <= columns || name === '') return [[{ text: line }]]
  const hang = cells(name)
  if (columns - hang >= ROOM) return wrapRow(wordSpans(text), columns, [{ text: name }], hang)
  return [[{ text: name.trimEnd() }], ...wrapRow(wordSpans(text), columns, [{ text: ' '.repeat(BELOW) }])]
}

/** The lines of a paragraph are joined again only where one of them does not fit. */
const proseRows = (lines: readonly string[], columns: number): Row[] =>
  lines.some((line) => cells(line) > columns)
    ? wrapRow([{ text: lines.join(' ') }], columns)
    : lines.map((text) => [{ text }])
