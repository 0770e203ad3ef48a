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
import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { makeRunner } from './corpus/run.mjs'
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
  const results = await runAll(items)
  writeFileSync(out, results.map((result) => `${JSON.stringify(result)}\n`).join(''))
  printResults(results)
  console.log(`\nresults: ${values.keep || values.out ? out : 'not kept (--out <file> keeps them)'}`)
  if (values.cuts) process.exitCode = score(items)
  else if (results.some(({ state }) => state !== 'ok')) process.exitCode = 1
} finally {
  if (!values.keep) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function runAll(items) {
  const results = []
  let next = 0
  const work = async (job) => {
    const run = makeRunner({
      corpus,
      folder: join(folder, `job-${job}`),
      program: resolve(values.program),
      // A cut writes nothing, so its repository is shared and can be whole.
      cap: values.cuts ? Number.POSITIVE_INFINITY : Number(values.files),
      commit: !values.cuts,
    })
    while (next < items.length) {
      const at = next++
      results[at] = await run(items[at])
      if (process.stderr.isTTY) process.stderr.write(`\r${at + 1} of ${items.length} `)
    }
  }
  await Promise.all(Array.from({ length: Number(values.jobs) }, (_, job) => work(job)))
  if (process.stderr.isTTY) process.stderr.write('\n')
  return results
}

/** The corpus's own scorer on exactly the cuts that were run: it counts a cut without a prediction as empty. */
function score(items) {
  const subset = join(folder, 'subset')
  mkdirSync(subset)
  for (const name of readdirSync(corpus)) {
    if (name !== 'cuts.jsonl') symlinkSync(join(corpus, name), join(subset, name))
  }
  writeFileSync(join(subset, 'cuts.jsonl'), items.map(({ cut }) => `${JSON.stringify(cut)}\n`).join(''))
  const scorer = join(resolve(values.tools ?? join(dirname(corpus), 'tools')), 'score.py')
  console.log(`\n${basename(scorer)}:`)
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' }
  return spawnSync('python3', [scorer, subset, out], { stdio: 'inherit', env }).status ?? 1
}
