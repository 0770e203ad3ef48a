/** What was seen on the way from one agent to another; null: it was not. */
export interface Pair {
  from: string
  to: string
  /** Id of the brief. */
  created: string | null
  /** How the successor was started. */
  started: string | null
  /** In which request of the successor's model the goal, and the person's demand, stood in the text of the brief. */
  marker: string | null
  constraint: string | null
  /** Id of the successor's own brief, which names the first one and quotes the demand from it. */
  linked: string | null
  /** From the start of the successor to its own brief. */
  ms: number | null
}

const COLUMNS = ['from', 'to', 'created', 'started', 'marker', 'constraint', 'linked', 'ms'] as const
const TITLES = [
  'from',
  'to',
  'created',
  'started',
  'marker seen by its model',
  'constraint seen by its model',
  'parent linked, constraint kept',
  'ms',
]

/** The cells of a pair that stayed empty. */
export const missingIn = (pair: Pair): string[] => COLUMNS.filter((name) => pair[name] === null)

/** A row per pair, to be read by people. */
export const matrixText = (pairs: readonly Pair[]): string =>
  tableText(
    TITLES,
    pairs.map((pair) => COLUMNS.map((name) => String(pair[name] ?? 'MISSING'))),
  )

/** Columns as wide as their widest cell. */
export function tableText(titles: readonly string[], cells: readonly (readonly string[])[]): string {
  const rows = [titles, ...cells]
  const widths = titles.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
