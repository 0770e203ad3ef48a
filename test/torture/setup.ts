import { randomInt } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import build from '../e2e/build.ts'
import { copyProgram } from './program.ts'
import { readReport, renderSum, renderTable, renderTimes } from './report.ts'

/** Seed of every form but the long one, so that CI tells of the change alone. */
const USUAL_SEED = 20261122

/** Global setup: builds, settles seed and file of cases, copies the program, and prints the table when all parts are over. */
export default function setup(): () => void {
  build()
  const { env } = process
  const form = env.TORTURE_FORM ?? 'ci'
  env.TORTURE_SEED ??= String(form === 'long' ? randomInt(2 ** 31) : USUAL_SEED)
  env.TORTURE_CASES = resolve(
    env.TORTURE_CASES ?? join(tmpdir(), `handoff-torture-${env.TORTURE_SEED}-${process.pid}.jsonl`),
  )
  const file = env.TORTURE_CASES
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
  // Nobody changes this copy meanwhile.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-torture-')))
  copyProgram(join(folder, 'program'))
  env.TORTURE_FOLDER = folder
  console.log(`TORTURE_SEED=${env.TORTURE_SEED} (${form} form)`)
  return () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    const report = existsSync(file) ? readReport(file) : { rows: [], times: [] }
    if (report.rows.length === 0) return
    console.log(`\n${renderTable(report.rows)}\n\n${renderTimes(report.times)}`)
    console.log(`${renderSum(report.rows)}\nTORTURE_SEED=${env.TORTURE_SEED}, cases in ${file}`)
  }
}
