import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { objectsOf, readLift, readWords } from '../../../src/text/rule-score.ts'

const SETS = new URL('../../../scripts/rules/', import.meta.url)

/** The share of the sentences with this mark in the sets that end the rule before them. */
function ended(mark: '+' | '-'): number {
  const lifts = readdirSync(SETS)
    .filter((name) => name.startsWith('lifts-'))
    .flatMap((name) => {
      let rule = ''
      return readFileSync(new URL(name, SETS), 'utf8')
        .split('\n')
        .flatMap((line) => {
          if (!/^[+-] /.test(line)) rule = line
          return line.startsWith(`${mark} `) ? [readLift(objectsOf(rule), readWords(line.slice(2)))] : []
        })
    })
  return lifts.filter((lift) => lift === 'sure').length / lifts.length
}

describe('the sets that the table of words was made from', () => {
  it('lets nine of ten sentences that take a rule back end it', () => {
    expect(ended('+')).toBeGreaterThan(0.9)
  })

  it('lets at most one of fifty others end it', () => {
    expect(ended('-')).toBeLessThan(0.02)
  })
})

it.each([
  ['Keep src/legacy as it is.', 'You may change legacy now.', 'sure'],
  ['Keep src/legacy as it is.', 'You may change src/legacy/index.js now.', 'none'],
  ['Do not touch calc.test.js.', 'You may change calc.spec.js now.', 'none'],
  ['Do not log request bodies.', 'Logging request bodies is fine now.', 'sure'],
  ['There is a code freeze from the 20th on.', 'The code freeze is over.', 'sure'],
])('of %s: %s is %s', (rule, said, lift) => {
  expect(readLift(objectsOf(rule), readWords(said))).toBe(lift)
})
