const COLUMNS = ['', 'median ms', 'least', 'ratio', 'cpu ms', 'peak MB', 'goal', '']

/** Prints the report as one table with a head that says under which conditions it was measured. */
export function printTable({ node, git, cpu, rounds, rows, floor = 'node -e 0' }) {
  console.log(
    `Node ${node}, ${git}, ${cpu}; ${rounds} rounds in turn; NODE_EXTRA_CA_CERTS unset; ratio to ${floor}\n`,
  )
  const lines = rows.map(({ name, median, least, ratio, cpuMs, peakMb, goal, met }) => [
    name,
    number(median, 1),
    number(least, 1),
    number(ratio, 2),
    number(cpuMs, 0),
    number(peakMb, 0),
    goal ?? '',
    met === undefined ? '' : met ? 'met' : 'MISSED',
  ])
  const widths = COLUMNS.map((head, at) => Math.max(head.length, ...lines.map((line) => line[at].length)))
  for (const line of [COLUMNS, ...lines]) {
    const cells = line.map((cell, at) =>
      at === 0 || at > 5 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]),
    )
    console.log(cells.join('  ').trimEnd())
  }
}

const number = (value, digits) => (value === undefined ? '' : value.toFixed(digits))
