/**
 * Measures what a brief is worth: real sessions are cut, the brief is built from what lies before the cut with the goal
 * the person typed next, and the corpus's own scorer compares it with what the continuation then used.
 *
 *   npm run bench:quality -- --corpus <dir> [--sample <n>] [--jobs 2] [--out <file>] [--program <handoff.cjs>]
 *                            [--tools <dir>] [--only <repository>]
 *
 * One pass of predictions, one table each for all, hard and pair cuts, with the trivial lists beside ours; then, per
 * repository, our row minus the simple mix, so that no gain in one hides a loss in another. A sample of the same size
 * holds the same cuts, spread over the repositories and the real handoffs in them. `--out` keeps the predictions; but
 * for `ms` the same program writes the same bytes. The folder is described in corpus.mjs.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runAll } from './corpus/run-all.mjs'
import { readTable, scoreCuts, scorerOf } from './corpus/score.mjs'
import { readCuts, spread } from './corpus/sessions.mjs'
import { printResults } from './corpus/table.mjs'

const { values } = parseArgs({
  options: {
    corpus: { type: 'string' },
    sample: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    out: { type: 'string' },
    tools: { type: 'string' },
    only: { type: 'string' },
    program: { type: 'string', default: fileURLToPath(new URL('../bin/handoff.cjs', import.meta.url)) },
  },
})
if (!values.corpus)
  throw new Error('Usage: npm run bench:quality -- --corpus <dir> [--sample <n>] [--jobs 2] [--out <file>]')

/** Columns whose difference to the trivial list says something. */
const COMPARED = ['R@5', 'P@5', 'R@10', 'edit@5']
const OURS = 'handoff'
const TRIVIAL = 'simple mix'

const corpus = resolve(values.corpus)
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-quality-')))
const predictions = resolve(values.out ?? join(folder, 'predictions.jsonl'))
try {
  const isPair = ({ id }) => id.startsWith('pair:')
  const all = readCuts(corpus)
    .filter(({ repo }) => values.only === undefined || repo === values.only)
    .map((item) => ({ ...item, group: `${item.repo} ${isPair(item)}` }))
  const items = spread(all, Number(values.sample ?? all.length), 'group')
  if (items.length === 0) throw new Error(`nothing to run in ${corpus}`)
  const start = performance.now()
  const results = await runAll(items, {
    corpus,
    folder,
    program: resolve(values.program),
    jobs: Number(values.jobs),
    commit: false,
  })
  writeFileSync(predictions, results.map((result) => `${JSON.stringify(result)}\n`).join(''))
  printResults(results)
  const score = (some) =>
    scoreCuts(some, { corpus, scorer: scorerOf(corpus, values.tools), predictions, folder })
  const parts = [
    ['all', items],
    ['inside a session', items.filter((item) => !isPair(item))],
    ['hard', items.filter(({ cut }) => cut.hard)],
    ['pairs', items.filter(isPair)],
  ]
  for (const [name, some] of parts)
    console.log(`\n${name}: ${some.length === 0 ? 'none among these cuts' : score(some).trimEnd()}`)
  printRepositories(items, score)
  console.log(
    `\n${items.length} cuts in ${Math.round((performance.now() - start) / 1000)} s; predictions: ${values.out ? predictions : 'not kept (--out <file> keeps them)'}`,
  )
  if (results.some(({ state }) => state === 'crashed' || state === 'wrong')) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Per repository our row minus the trivial one, the largest loss of recall first. */
function printRepositories(items, score) {
  const names = [...new Set(items.map(({ repo }) => repo))].sort()
  const rows = names.map((repo) => {
    const own = items.filter((item) => item.repo === repo)
    const table = readTable(score(own))
    const [ours, trivial] = [OURS, TRIVIAL].map((name) => table.get(name) ?? {})
    const differences = COMPARED.map(
      (column) => (ours[column] ?? Number.NaN) - (trivial[column] ?? Number.NaN),
    )
    return { repo, count: own.length, recall: ours['R@5'], precision: ours['P@5'], differences }
  })
  rows.sort((a, b) => a.differences[0] - b.differences[0] || (a.repo < b.repo ? -1 : 1))
  const width = Math.max(...names.map((name) => name.length))
  const signed = (figure) => (Number.isNaN(figure) ? '-' : `${figure < 0 ? '' : '+'}${figure.toFixed(3)}`)
  console.log(`\nper repository, ${OURS} minus ${TRIVIAL}:`)
  console.log(
    ['', 'cuts', 'our R@5', 'our P@5', ...COMPARED.map((column) => `Δ ${column}`)]
      .map((head, at) => (at === 0 ? head.padEnd(width) : head.padStart(10)))
      .join(''),
  )
  for (const { repo, count, recall, precision, differences } of rows)
    console.log(
      repo.padEnd(width) +
        [String(count), recall.toFixed(3), precision.toFixed(3), ...differences.map(signed)]
          .map((cell) => cell.padStart(10))
          .join(''),
    )
}
