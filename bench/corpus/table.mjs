const COLUMNS = [
  'format',
  'n',
  'ok',
  'refused',
  'crashed',
  'wrong',
  'ghosts',
  'tokens',
  'largest',
  'ms',
  'slowest',
]

/** Prints a row per format and one for all, then every session that did not go well with the reason. */
export function printResults(results) {
  const formats = [...new Set(results.map(({ format }) => format))].sort()
  const rows = formats.map((format) =>
    row(
      format,
      results.filter((result) => result.format === format),
    ),
  )
  if (rows.length > 1) rows.push(row('all', results))
  const widths = COLUMNS.map((head, at) =>
    Math.max(...[head, ...rows.map((cells) => cells[at])].map((cell) => cell.length)),
  )
  for (const cells of [COLUMNS, ...rows]) {
    console.log(
      cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  '),
    )
  }
  for (const { id, format, state, error, problems } of results.filter((result) => result.state !== 'ok')) {
    console.log(
      `\n${state}  ${format}  ${id}\n  ${[error, ...problems].filter(Boolean).join('\n  ').slice(0, 600)}`,
    )
  }
}

function row(name, results) {
  const count = (state) => String(results.filter((result) => result.state === state).length)
  const made = results.filter(({ tokens }) => tokens !== null)
  const [tokens, times] = [made.map((result) => result.tokens), results.map(({ ms }) => ms)]
  const ghosts = results.reduce((sum, result) => sum + result.ghosts.length, 0)
  const states = ['ok', 'refused', 'crashed', 'wrong'].map(count)
  const figures = [median(tokens), Math.max(...tokens), median(times), Math.max(...times)].map((figure) =>
    Number.isFinite(figure) ? String(Math.round(figure)) : '-',
  )
  return [name, String(results.length), ...states, String(ghosts), ...figures]
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
