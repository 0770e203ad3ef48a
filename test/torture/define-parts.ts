import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Form, Row } from './part.ts'
import { parts } from './parts.ts'
import { randomOf } from './random.ts'
import { addLine } from './report.ts'

const seed = Number(process.env.TORTURE_SEED)
const form = (process.env.TORTURE_FORM ?? 'ci') as Form
const long = form === 'long'
const only = process.env.TORTURE_PART?.split(',') ?? []
const file = process.env.TORTURE_CASES ?? ''
const base = process.env.TORTURE_FOLDER ?? ''

const unknown = only.filter((name) => !(name in parts))
if (unknown.length > 0)
  throw new Error(`No part ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`)

/**
 * What each of these files of tests runs, so that several go on at once; words.test.ts has the rest. Parts that use both processors come
 * last in theirs, when other files may be through.
 */
export const SHARES = {
  harm: ['hostile', 'process', 'trust', 'model'],
  ruin: ['states', 'race', 'crash', 'faults'],
  secrets: ['secrets'],
} as const

/** Parts that `npm test` leaves to the night: what they try, others try in fewer places, and tests of their own by day. */
const NIGHTLY: ReadonlySet<string> = new Set(['process', 'trust', 'model', 'faults', 'race', 'states'])

/** One test for each of these parts that was asked for; a file of tests is what runs beside another. */
export function defineParts(names: readonly string[]): void {
  const chosen = names.filter((name) =>
    only.length > 0 ? only.includes(name) : form !== 'ci' || !NIGHTLY.has(name),
  )
  it.each(chosen)('torture: %s', { timeout: (long ? 240 : 15) * 60_000 }, runPart)
  // Where the parts that were asked for stand in the other file.
  if (chosen.length === 0)
    it('torture: none of these was asked for', () => expect(only.length).toBeGreaterThan(0))
}

async function runPart(name: string): Promise<void> {
  const load = parts[name]
  if (load === undefined) throw new Error(`No part ${name}`)
  const own = mkdtempSync(join(base, `${name}-`))
  const begun = performance.now()
  const rows: Row[] = []
  let scratches = 0
  try {
    const { part } = await load()
    await part.run({
      seed,
      form,
      long,
      random: randomOf(seed, name),
      scratch(word) {
        const folder = join(own, `${scratches++}-${word}`)
        mkdirSync(folder)
        return folder
      },
      kept(word) {
        const folder = join(base, `${process.pid}-${word.replace(/\W+/g, '-')}`)
        mkdirSync(folder, { recursive: true })
        return folder
      },
      program: join(base, 'program/bin/handoff.cjs'),
      row(fault, operation, count, told, more = '') {
        const wrong = Array.isArray(told) ? told.slice(0, 8).join(' | ') : ''
        const isWell = Array.isArray(told) ? told.length === 0 : told === true
        // So has a row that counts no case.
        const isBlind = isWell && count === 0
        const result = told === 'not run' ? told : isWell && !isBlind ? 'ok' : 'FAILED'
        const row: Row = {
          fault,
          operation,
          count,
          result,
          detail: isBlind ? 'no case was seen' : wrong || more,
        }
        rows.push(row)
        addLine(file, { part: name, row })
      },
      case: (line) => addLine(file, { part: name, ...line }),
    })
  } finally {
    addLine(file, { part: name, took: Math.round((performance.now() - begun) / 1000) })
    rmSync(own, { recursive: true, force: true, maxRetries: 3 })
  }
  // A part that finds nothing to do has seen nothing.
  expect(rows.length).toBeGreaterThan(0)
  // As text: a report that shortens objects would leave out what was wrong.
  const bad = rows.filter(({ result }) => result === 'FAILED')
  expect(bad.map((row) => `${row.fault}, ${row.operation}: ${row.detail}`).join('\n')).toBe('')
}
