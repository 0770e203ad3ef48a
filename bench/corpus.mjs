/**
 * Hands every session of a folder over whole with the built program, each in a repository of its own, and says how it fared: `create` must
 * end with a valid brief in one commit, a clean status and an untouched index. The folder stays where it is: nothing of it is copied into
 * this repository, all work happens below the system's temporary folder. bench/quality.mjs hands over parts of sessions and scores them.
 *
 *   node bench/corpus.mjs --corpus <dir> [--limit <n>] [--format <name>] [--files 5000] [--jobs 2] [--goal <text>]
 *                         [--program <handoff.cjs>] [--out <file>]
 *
 * The folder holds MANIFEST.tsv (columns file, format, repo), the gzipped sessions, repos/<owner>+<name>.files.txt and, for
 * bench/quality.mjs, cuts.jsonl; the scorers are in ../tools beside the folder.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runAll } from './corpus/run-all.mjs'
import { readSessions, spread } from './corpus/sessions.mjs'
import { printResults } from './corpus/table.mjs'

const { values } = parseArgs({
  options: {
    corpus: { type: 'string' },
    format: { type: 'string' },
    limit: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    files: { type: 'string', default: '5000' },
    goal: { type: 'string', default: 'finish what this session left open and make its failing checks pass' },
    out: { type: 'string' },
    program: { type: 'string', default: fileURLToPath(new URL('../bin/handoff.cjs', import.meta.url)) },
  },
})
if (!values.corpus) throw new Error('Usage: node bench/corpus.mjs --corpus <dir> [--limit <n>] [--jobs 2]')

const corpus = resolve(values.corpus)
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-corpus-')))
try {
  const all = readSessions(corpus, values.goal).filter(
    ({ format }) => !values.format || format === values.format,
  )
  const items = spread(all, Number(values.limit ?? all.length))
  if (items.length === 0) throw new Error(`nothing to run in ${corpus}`)
  const results = await runAll(items, {
    corpus,
    folder,
    program: resolve(values.program),
    jobs: Number(values.jobs),
    cap: Number(values.files),
    commit: true,
  })
  if (values.out) writeFileSync(values.out, results.map((result) => `${JSON.stringify(result)}\n`).join(''))
  printResults(results)
  if (results.some(({ state }) => state !== 'ok')) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
