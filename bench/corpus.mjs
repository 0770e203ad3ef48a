/**
 * Runs the built program on a folder of recorded sessions and says how it fared. The folder stays where it is: nothing
 * of it is copied into this repository, all work happens below the system's temporary folder.
 *
 *   node bench/corpus.mjs --corpus <dir> [--limit <n>] [--format <name>] [--files 5000] [--out <file>]
 *   node bench/corpus.mjs --corpus <dir> --cuts [--only inside|pairs|hard] [--limit <n>] [--tools <dir>]
 *   both: [--jobs 2] [--goal <text>] [--program <handoff.cjs>] [--keep]
 *
 * Without --cuts every session is handed over whole, each in a repository of its own: `create` must end with a valid
 * brief in one commit, a clean status and an untouched index. With --cuts every line of cuts.jsonl is handed over from
 * what lies before its cut, with its goal, and the corpus's own scorer is run on the predictions.
 *
 * The folder holds MANIFEST.tsv (columns file, format, repo), the gzipped sessions, repos/<owner>+<name>.files.txt and
 * cuts.jsonl; the scorer is <tools>/score.py, by default ../tools/score.py beside the folder.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runAll } from './corpus/run-all.mjs'
import { scoreCuts, scorerOf } from './corpus/score.mjs'
import { readCuts, readSessions, spread } from './corpus/sessions.mjs'
import { printResults } from './corpus/table.mjs'

const { values } = parseArgs({
  options: {
    corpus: { type: 'string' },
    cuts: { type: 'boolean', default: false },
    only: { type: 'string' },
    format: { type: 'string' },
    limit: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    files: { type: 'string', default: '5000' },
    goal: { type: 'string', default: 'finish what this session left open and make its failing checks pass' },
    out: { type: 'string' },
    tools: { type: 'string' },
    program: { type: 'string', default: fileURLToPath(new URL('../bin/handoff.cjs', import.meta.url)) },
    keep: { type: 'boolean', default: false },
  },
})
if (!values.corpus)
  throw new Error('Usage: node bench/corpus.mjs --corpus <dir> [--cuts] [--limit <n>] [--jobs 2]')

const corpus = resolve(values.corpus)
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-corpus-')))
const out = resolve(values.out ?? join(folder, 'predictions.jsonl'))
try {
  const all = values.cuts ? readCuts(corpus, values.only) : readSessions(corpus, values.goal)
  const items = spread(
    all.filter(({ format }) => !values.format || format === values.format),
    Number(values.limit ?? all.length),
  )
  if (items.length === 0) throw new Error(`nothing to run in ${corpus}`)
  const results = await runAll(items, {
    corpus,
    folder,
    program: resolve(values.program),
    jobs: Number(values.jobs),
    cap: Number(values.files),
    commit: !values.cuts,
  })
  writeFileSync(out, results.map((result) => `${JSON.stringify(result)}\n`).join(''))
  printResults(results)
  console.log(`\nresults: ${values.keep || values.out ? out : 'not kept (--out <file> keeps them)'}`)
  if (values.cuts) {
    const scorer = scorerOf(corpus, values.tools)
    console.log(`\n${scoreCuts(items, { corpus, scorer, predictions: out, folder }).trimEnd()}`)
  } else if (results.some(({ state }) => state !== 'ok')) process.exitCode = 1
} finally {
  if (!values.keep) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
