import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { byNight, sampled } from '../sampled.ts'
import { root } from './build.ts'
import { execute, makeLab } from './lab.ts'

interface Report {
  ok: boolean
  cases: { name: string; deviations: string[] }[]
}

let answers: string
beforeAll(async () => {
  answers = await mkdtemp(join(tmpdir(), 'handoff-conformance-'))
})
afterAll(() => rm(answers, { recursive: true, force: true }))

async function conformance(fault: string): Promise<{ code: number | null; report: Report }> {
  const reader = [process.execPath, fileURLToPath(new URL('deviant.mjs', import.meta.url)), fault, answers]
  const argv = [join(root, 'bin/handoff.cjs'), 'conformance', '--json', '--', ...reader]
  const { code, stdout } = await execute(process.execPath, argv, await makeLab())
  return { code, report: JSON.parse(stdout) }
}

byNight('handoff itself answers every case as the format says', async () => {
  const { code, report } = await conformance('none')
  expect(report.cases.filter(({ deviations }) => deviations.length > 0)).toEqual([])
  expect([code, report.ok]).toEqual([0, true])
  expect(report.cases.length).toBeGreaterThan(20)
})

const FAULTS = [
  ['missed finding', 'secret', 'check: missing secrets (error)'],
  ['forged heading', 'forged-in-quote', 'show: brief.whereItStands is [], not'],
  ['dropped section', 'whole', 'show: brief.constraints is [], not'],
  ['guessed schema', 'newer-schema', 'check: missing schema (error)'],
  ['exit code', 'no-goal', 'check: exit code 0, not 1'],
  ['no JSON', 'least', '`check` and `show` must print one JSON object'],
] as const

test.each(sampled(FAULTS, 1))('a reader with a fault deviates: %s', async (fault, name, deviation) => {
  const { code, report } = await conformance(fault)
  expect([code, report.ok]).toEqual([1, false])
  const found = report.cases.find((one) => one.name === name)
  expect(found?.deviations.join('\n')).toContain(deviation)
})
