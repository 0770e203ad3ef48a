import { appendFileSync, readFileSync } from 'node:fs'
import type { Row } from './part.ts'

/** A row as it stands in the file of cases. */
interface RowLine {
  part: string
  row: Row
}

/** How long a part took. */
interface TimeLine {
  part: string
  /** In seconds. */
  took: number
}

/** Adds one JSON line to the file of cases. */
export const addLine = (file: string, line: object): void => appendFileSync(file, `${JSON.stringify(line)}\n`)

/** Rows and times of a file of cases, in the order in which they were written. */
export function readReport(file: string): { rows: RowLine[]; times: TimeLine[] } {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Partial<RowLine & TimeLine>)
  return {
    rows: lines.filter((line): line is RowLine => line.row !== undefined),
    times: lines.filter((line): line is TimeLine => line.took !== undefined),
  }
}

/** One line: how long each part took on this machine. */
export const renderTimes = (times: readonly TimeLine[]): string =>
  times.map(({ part, took }) => `${part} ${took} s`).join(', ')

/** The table fault × operation × count × result, as text. */
export function renderTable(lines: readonly RowLine[]): string {
  const head = ['part', 'fault', 'operation', 'count', 'result', '']
  const cells = lines.map(({ part, row }) => [
    part,
    row.fault,
    row.operation,
    String(row.count),
    row.result,
    row.detail,
  ])
  const widths = head.map((title, at) => Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) =>
        at === 3 ? cell.padStart(widths[at] ?? 0) : cell.padEnd(at === 5 ? 0 : (widths[at] ?? 0)),
      )
      .join('  ')
      .trimEnd()
  return [line(head), line(widths.slice(0, 5).map((width) => '-'.repeat(width))), ...cells.map(line)].join(
    '\n',
  )
}

/** One line that says how many cases there were and whether all is well. */
export function renderSum(lines: readonly RowLine[]): string {
  const sum = (result: Row['result']) => lines.filter(({ row }) => row.result === result).length
  const cases = lines.reduce((all, { row }) => all + (row.result === 'not run' ? 0 : row.count), 0)
  return `${cases} cases; rows: ${sum('ok')} ok, ${sum('FAILED')} FAILED, ${sum('not run')} not run`
}
