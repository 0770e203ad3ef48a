/** Prints the table of a pilot: means by view, and differences paired by task. */
import { meanOf, paired } from './statistics.mjs'

export const METRICS = [
  'solved',
  'suite',
  'calls',
  'toFirstEdit',
  'bytes',
  'tokens',
  'again',
  'bytesAgain',
  'broken',
  'dropped',
  'outside',
]
const digits = (value) =>
  value === null ? '–' : Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2)

export function printTable(rows) {
  const views = [...new Set(rows.map(({ view }) => view))].sort()
  console.log(`| view | n | ${METRICS.join(' | ')} |\n| --- |${' ---: |'.repeat(METRICS.length + 1)}`)
  for (const view of views) {
    const some = rows.filter((row) => row.view === view)
    const means = METRICS.map((metric) => digits(meanOf(some.map((row) => row[metric]))))
    console.log(`| ${view} | ${some.length} | ${means.join(' | ')} |`)
  }
  console.log(
    '\n| metric | views | tasks | difference | 95 % interval | p |\n| --- | --- | ---: | ---: | ---: | ---: |',
  )
  for (const metric of METRICS)
    for (const [n, view] of views.entries())
      for (const against of views.slice(n + 1)) {
        const found = paired(rows, metric, view, against)
        if (!found) continue
        const { n: tasks, mean, interval, p } = found
        console.log(
          `| ${metric} | ${view} − ${against} | ${tasks} | ${digits(mean)} | ${interval.map(digits).join(' to ')} | ${p.toFixed(3)} |`,
        )
      }
}
