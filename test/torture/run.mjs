/**
 * `npm run test:torture [-- --long] [--seed N] [--part NAME[,NAME]] [--cases FILE]`: the parts of parts.ts, through vitest. The short
 * form takes a sample with a fixed seed, the long one every case with a new one; `npm test` takes less than either (`ci`). Cases go to a
 * file, one JSON line each; the table comes last.
 */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    seed: { type: 'string' },
    part: { type: 'string' },
    cases: { type: 'string' },
  },
})
if (values.seed !== undefined && !/^\d{1,10}$/.test(values.seed)) throw new Error('--seed takes a number')
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
// Alone, with nothing beside it that waits, two files at a time use two processors.
const args = [vitest, 'run', '--project', 'torture', '--maxWorkers', '2']
const { status } = spawnSync(process.execPath, args, {
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  stdio: 'inherit',
  env: {
    ...process.env,
    TORTURE_FORM: values.long ? 'long' : 'short',
    ...(values.seed ? { TORTURE_SEED: values.seed } : {}),
    ...(values.part ? { TORTURE_PART: values.part } : {}),
    ...(values.cases ? { TORTURE_CASES: values.cases } : {}),
  },
})
process.exitCode = status ?? 1
