/**
 * Measures what a brief is worth: recorded sessions are cut, the brief is built from what lies before the cut with the goal
 * that the person typed next, and the scorers of the corpus count what the brief tells.
 *
 *   npm run bench:quality -- [--corpus <dir>] [--facts | --files] [--set dev] [--sample <n>] [--jobs 2] [--out <dir>]
 *                            [--program <handoff.cjs>] [--format claude]
 *
 * The folder holds `tools/` (facts.py, score.py) and one folder per set (dev, dev2), as corpus.mjs describes them. Facts: what
 * careful readers say that a successor needs, found in the brief (sets with facts.jsonl). Files: what the continuation used,
 * found among the first files of the list, beside the trivial lists. `--out` keeps the predictions. The figures of record
 * stand in bench/quality.md.
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
import { runPython } from './corpus/python.mjs'
import { runAll } from './corpus/run-all.mjs'
import { readTable, scoreCuts } from './corpus/score.mjs'
import { readCuts, spread } from './corpus/sessions.mjs'

const { values } = parseArgs({
  options: {
    corpus: { type: 'string', default: fileURLToPath(new URL('../../shared/corpora', import.meta.url)) },
    facts: { type: 'boolean', default: false },
    files: { type: 'boolean', default: false },
    set: { type: 'string', multiple: true },
    sample: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    out: { type: 'string' },
    format: { type: 'string', multiple: true },
    program: { type: 'string', default: fileURLToPath(new URL('../bin/handoff.cjs', import.meta.url)) },
  },
})

const TRIVIAL = ['most recent', 'most frequent', 'simple mix']
const COLUMNS = ['R@5', 'P@5', 'R@10', 'edit@5']
const corpus = resolve(values.corpus)
const tools = join(corpus, 'tools')
const program = resolve(values.program)
const sets = values.set ?? ['dev', 'dev2'].filter((name) => existsSync(join(corpus, name, 'cuts.jsonl')))
if (sets.length === 0 || !existsSync(tools))
  throw new Error(`No sets and tools in ${corpus}. Usage: npm run bench:quality -- --corpus <dir>`)
const both = values.facts === values.files
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-quality-')))
const out = values.out === undefined ? folder : resolve(values.out)
mkdirSync(out, { recursive: true })
try {
  for (const set of sets) {
    const root = join(corpus, set)
    if ((both || values.facts) && existsSync(join(root, 'facts.jsonl'))) measureFacts(set, root)
    if (both || values.files) await measureFiles(set, root)
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** The labels of a set; with `--format` only of cuts in one of these formats. */
function labelsOf(set, root) {
  const all = join(root, 'facts.jsonl')
  if (values.format === undefined) return all
  const formats = new Map(readCuts(root).map(({ id, cut }) => [id, cut.format]))
  const kept = linesOf(all).filter((line) => values.format.includes(formats.get(JSON.parse(line).id)))
  const path = join(folder, `${set}-labels.jsonl`)
  writeFileSync(path, kept.map((line) => `${line}\n`).join(''))
  return path
}

function measureFacts(set, root) {
  const labels = labelsOf(set, root)
  const predictions = join(out, `${set}-facts.jsonl`)
  const failed = runPython(join(tools, 'facts.py'), 'run', root, labels, program, predictions)
  const scored = runPython(join(tools, 'facts.py'), 'score', root, labels, predictions)
  console.log(`\n${set}, facts\n${failed}${scored.trimEnd()}`)
  printTokens(linesOf(predictions).map((line) => JSON.parse(line)))
}

function linesOf(path) {
  return readFileSync(path, 'utf8').trimEnd().split('\n')
}

async function measureFiles(set, root) {
  const all = readCuts(root)
  const items = spread(all, Number(values.sample ?? all.length), 'repo')
  const results = await runAll(items, {
    corpus: root,
    folder: mkdtempSync(join(folder, `${set}-`)),
    program,
    jobs: Number(values.jobs),
    commit: false,
  })
  const predictions = join(out, `${set}-cuts.jsonl`)
  writeFileSync(predictions, results.map((result) => `${JSON.stringify(result)}\n`).join(''))
  const isPair = ({ id }) => id.startsWith('pair:')
  const parts = [
    ['all', items],
    ['hard', items.filter(({ cut }) => cut.hard)],
    ['pairs', items.filter(isPair)],
  ].filter(([, some]) => some.length > 0)
  console.log(`\n${set}, files of ${items.length} cuts\n${['', ...COLUMNS].map(cell).join('')}`)
  for (const [name, some] of parts) {
    const table = readTable(
      scoreCuts(some, { corpus: root, scorer: join(tools, 'score.py'), predictions, folder }),
    )
    const figures = (row) => COLUMNS.map((column) => table.get(row)?.[column] ?? Number.NaN)
    const best = COLUMNS.map((_, at) => Math.max(...TRIVIAL.map((row) => figures(row)[at])))
    printRow(`${name} (${some.length})`, figures('handoff'))
    printRow('  best trivial list', best)
  }
  printTokens(results)
  const crashed = results.filter(({ state }) => state === 'crashed' || state === 'wrong')
  const ghosts = results.reduce((sum, result) => sum + result.ghosts.length, 0)
  console.log(`crashed ${crashed.length}, ghosts ${ghosts}`)
  for (const { id, error, problems } of crashed) console.log(`  ${id}: ${[error, ...problems].join('; ')}`)
  if (crashed.length > 0 || ghosts > 0) process.exitCode = 1
}

function printTokens(results) {
  const tokens = results.map((result) => result.tokens ?? 0).sort((a, b) => a - b)
  const at = (share) => tokens[Math.min(tokens.length - 1, Math.floor(tokens.length * share))]
  console.log(`tokens: median ${at(0.5)}, p90 ${at(0.9)}, most ${tokens.at(-1)}`)
}

function cell(text, at) {
  return at === 0 ? text.padEnd(22) : text.padStart(8)
}

function printRow(name, figures) {
  console.log([name, ...figures.map((figure) => figure.toFixed(3))].map(cell).join(''))
}
