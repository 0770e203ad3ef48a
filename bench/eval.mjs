/**
 * `npm run eval -- [folder] [options]`: makes the brief of every evaluation case with the program as it is built, and prints how good
 * they are. Exit 1 when there is no case or fewer than 85 % pass. bench/eval.md tells what a case is.
 *
 *   folder             one subfolder for each case; test/evals without one
 *   --case <id>        this case alone
 *   --only-tag <tag>   the cases with this tag
 *   --show             with --case: session, kept items with their evidence, and dropped ones
 *   --json             the figures as one object
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { loadSource } from '../scripts/load-source.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    case: { type: 'string' },
    'only-tag': { type: 'string' },
    show: { type: 'boolean' },
    json: { type: 'boolean' },
  },
})
const { run } = createRequire(import.meta.url)('../dist/cli.cjs')
const folder = await mkdtemp(join(tmpdir(), 'handoff-eval-'))
try {
  const { evaluate } = await loadSource(folder, 'bench/eval/evaluate.ts')
  const { text, json } = await evaluate(run, {
    folder: positionals[0] ?? fileURLToPath(new URL('../test/evals', import.meta.url)),
    id: values.case,
    tag: values['only-tag'],
    show: values.show,
  })
  console.log(values.json ? JSON.stringify(json, null, 2) : text)
  process.exitCode = json.ok ? 0 : 1
} catch (error) {
  console.error(error.message)
  process.exitCode = 2
} finally {
  await rm(folder, { recursive: true, force: true })
}
