import { cells } from '../brief/cells.ts'
import { type Painted, paint, type Row, wrapRow } from '../output/rows.ts'

/** The help of a command for a terminal: its prose is broken between words. What is set in was laid out or is to be copied, and stays. */
export function helpScreen(help: string, columns: number): Painted {
  const rows: Row[] = []
  let prose: string[] = []
  const endProse = (): void => {
    rows.push(...proseRows(prose, columns))
    prose = []
  }
  for (const line of help.trimEnd().split('\n'))
    if (line === '' || line.startsWith(' ')) {
      endProse()
      rows.push([{ text: line }])
    } else prose.push(line)
  endProse()
  return paint(rows, false)
}

/** The lines of a paragraph are joined again only where one of them does not fit. */
const proseRows = (lines: readonly string[], columns: number): Row[] =>
  lines.some((line) => cells(line) > columns)
    ? wrapRow([{ text: lines.join(' ') }], columns)
    : lines.map((text) => [{ text }])
