/**
 * `node scripts/scripted-model.mjs SCENARIO.json COMMAND [ARGUMENT …]`: runs a coding agent against the scripted model of the tests, so that
 * a session is recorded without an account. The command finds the model's address in MODEL_URL; `test/e2e/model/scenario.ts` has the form
 * of a scenario.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadSource } from './load-source.mjs'

const [, , scenario, program, ...args] = process.argv
if (program === undefined)
  throw new Error('call it as: node scripts/scripted-model.mjs SCENARIO.json COMMAND [ARGUMENT …]')
const folder = mkdtempSync(join(tmpdir(), 'handoff-model-'))
try {
  const { startModel } = await loadSource(folder, 'test/e2e/model/server.ts')
  const model = await startModel(JSON.parse(readFileSync(scenario, 'utf8')))
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, MODEL_URL: model.url } })
  const [code] = await once(child, 'close')
  await model.close()
  for (const problem of model.problems) console.error(problem)
  process.exitCode = model.problems.length > 0 ? 1 : (code ?? 1)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
