/**
 * Measures what a brief is worth: recorded sessions are cut, the brief is built from what lies before the cut with the goal
 * that the person typed next, and the scorers of the corpus count what the brief tells.
 *
 *   npm run bench:quality -- [--corpus <dir>] [--facts | --files] [--set dev] [--sample <n>] [--jobs 2] [--out <dir>]
 *                            [--program <handoff.cjs>] [--format claude]
 *
 * The folder holds `tools/` (facts.py, score.py) and one folder per set (dev, dev2) with cuts.jsonl, the gzipped sessions that it names,
 * repos/<owner>+<name>.files.txt and, for facts, facts.jsonl. Nothing of it is copied into this repository. Facts: what
 * careful readers say that a successor needs, found in the brief (sets with facts.jsonl). Files: what the continuation used,
 * found among the first files of the list, beside the trivial lists. `--out` keeps the predictions. `npm run gates` compares
 * the same figures with the limits; those of record are in bench/quality.md.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runAll } from './corpus/run.mjs'
import { readTable, runPython, scoreCuts } from './corpus/scorers.mjs'
import { readCuts, spread } from './corpus/sessions.mjs'
import { HANDOFF } from './runs.mjs'

/** Where the corpora are when no option says it: beside the repository. */
export const CORPORA = fileURLToPath(new URL('../../shared/corpora', import.meta.url))
export const COLUMNS = ['R@5', 'P@5', 'R@10', 'edit@5']
const TRIVIAL = ['most recent', 'most frequent', 'simple mix']

/** The folder of a set, if it is there with the scorers. @param {string} corpora @param {string} set */
export function setIn(corpora, set) {
  const root = join(corpora, set)
  return existsSync(join(root, 'cuts.jsonl')) && existsSync(join(corpora, 'tools', 'score.py')) ? root : null
}

/** Recall, must, misled and median tokens over the labelled cuts of a set; with `formats` only of cuts in one of these formats. */
export function measureFacts({ corpora, set, folder, out = folder, program = HANDOFF, formats }) {
  const root = join(corpora, set)
  const tool = join(corpora, 'tools', 'facts.py')
  const labels = join(root, 'facts.jsonl')
  const known = new Map(readCuts(root).map(({ id, cut }) => [id, cut.format]))
  const wanted = linesOf(labels).filter(
    (line) => formats === undefined || formats.includes(known.get(JSON.parse(line).id)),
  )
  const chosen = join(folder, `${set}-labels.jsonl`)
  writeFileSync(chosen, wanted.map((line) => `${line}\n`).join(''))
  const predictions = join(out, `${set}-facts.jsonl`)
  const failed = runPython(tool, 'run', root, chosen, program, predictions)
  const text = `${failed}${runPython(tool, 'score', root, chosen, predictions).trimEnd()}`
  const [, recall, must, misled] = /^brief +recall ([\d.]+) +must ([\d.]+) +misled ([\d.]+)/m.exec(text) ?? []
  if (misled === undefined) throw new Error(`facts.py printed no row for the briefs: ${text}`)
  const tokens = tokensOf(linesOf(predictions).map((line) => JSON.parse(line)))
  return { recall: Number(recall), must: Number(must), misled: Number(misled), tokens, text }
}

/**
 * Rows `all`, `hard` and `pairs`, each with the figures of the briefs and, column by column, of the best trivial list; ghosts (listed files
 * that nothing ever named) and crashes over all cuts, or over a sample spread over the repositories.
 */
export async function measureFiles({ corpora, set, folder, out = folder, program = HANDOFF, jobs, sample }) {
  const root = join(corpora, set)
  const all = readCuts(root)
  const items = spread(all, sample ?? all.length)
  const place = mkdtempSync(join(folder, `${set}-`))
  const results = await runAll(items, { corpus: root, folder: place, program, jobs })
  const predictions = join(out, `${set}-cuts.jsonl`)
  writeFileSync(predictions, results.map((result) => `${JSON.stringify(result)}\n`).join(''))
  const scorer = join(corpora, 'tools', 'score.py')
  const rows = [
    ['all', items],
    ['hard', items.filter(({ cut }) => cut.hard)],
    ['pairs', items.filter(({ id }) => id.startsWith('pair:'))],
  ]
    .filter(([, some]) => some.length > 0)
    .map(([name, some]) => {
      const table = readTable(scoreCuts(some, { corpus: root, scorer, predictions, folder }))
      const figures = (row) => COLUMNS.map((column) => table.get(row)?.[column] ?? Number.NaN)
      const best = COLUMNS.map((_, at) => Math.max(...TRIVIAL.map((row) => figures(row)[at])))
      return { name, cuts: some.length, brief: figures('handoff'), best }
    })
  const crashed = results.filter(({ state }) => state === 'crashed')
  const ghosts = results.filter((result) => result.ghosts.length > 0)
  return { rows, cuts: items.length, crashed, ghosts, tokens: tokensOf(results) }
}

function tokensOf(results) {
  const tokens = results.map((result) => result.tokens ?? 0).sort((a, b) => a - b)
  const at = (share) => tokens[Math.min(tokens.length - 1, Math.floor(tokens.length * share))]
  return { median: at(0.5), p90: at(0.9), most: tokens.at(-1) }
}

function linesOf(path) {
  return readFileSync(path, 'utf8').trimEnd().split('\n')
}

async function main() {
  const { values } = parseArgs({
    options: {
      corpus: { type: 'string', default: CORPORA },
      facts: { type: 'boolean', default: false },
      files: { type: 'boolean', default: false },
      set: { type: 'string', multiple: true, default: ['dev', 'dev2'] },
      sample: { type: 'string' },
      jobs: { type: 'string', default: '2' },
      out: { type: 'string' },
      format: { type: 'string', multiple: true },
      program: { type: 'string', default: HANDOFF },
    },
  })
  const corpora = resolve(values.corpus)
  const sets = values.set.filter((set) => setIn(corpora, set) !== null)
  if (sets.length === 0)
    throw new Error(`No sets and tools in ${corpora}. Usage: npm run bench:quality -- --corpus <dir>`)
  const both = values.facts === values.files
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-quality-')))
  const out = values.out === undefined ? folder : resolve(values.out)
  const sample = values.sample === undefined ? undefined : Number(values.sample)
  const common = { corpora, folder, out, program: resolve(values.program) }
  mkdirSync(out, { recursive: true })
  try {
    for (const set of sets) {
      if ((both || values.facts) && existsSync(join(corpora, set, 'facts.jsonl'))) {
        const { text, tokens } = measureFacts({ ...common, set, formats: values.format })
        console.log(`\n${set}, facts\n${text}`)
        printTokens(tokens)
      }
      if (both || values.files)
        printFiles(set, await measureFiles({ ...common, set, jobs: Number(values.jobs), sample }))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function printFiles(set, { rows, cuts, crashed, ghosts, tokens }) {
  const row = (name, cells) => console.log(name.padEnd(22) + cells.map((one) => one.padStart(8)).join(''))
  const figures = (all) => all.map((figure) => figure.toFixed(3))
  console.log(`\n${set}, files of ${cuts} cuts`)
  row('', COLUMNS)
  for (const { name, cuts: some, brief, best } of rows) {
    row(`${name} (${some})`, figures(brief))
    row('  best trivial list', figures(best))
  }
  printTokens(tokens)
  console.log(`crashed ${crashed.length}, with ghosts ${ghosts.length}`)
  for (const { id, error } of crashed) console.log(`  ${id}: ${error}`)
  for (const { id, ghosts: names } of ghosts) console.log(`  ${id}: ghosts ${names.join(', ')}`)
  if (crashed.length > 0 || ghosts.length > 0) process.exitCode = 1
}

function printTokens({ median, p90, most }) {
  console.log(`tokens: median ${median}, p90 ${p90}, most ${most}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
