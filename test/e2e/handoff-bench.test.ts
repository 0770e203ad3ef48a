import { beforeAll, describe, expect, it } from 'vitest'
import { handoff } from '../../bench/handoff/contestants/handoff.mjs'
import { runBenchmark, runPages, SMALL } from '../../bench/handoff/run.mjs'
import { figuresOf } from '../../bench/handoff/tables.mjs'

/** The small form of `npm run bench:handoff`, without other contestants. bench/handoff/README.md says what each figure means. */
describe('the benchmark of handoff tools, small form', () => {
  let results: ReturnType<typeof runBenchmark>
  let figures: ReturnType<typeof figuresOf>
  const documents = (): { case: { agent: string }; differs?: string | null }[] =>
    results.flatMap((one) => one.single)
  beforeAll(() => {
    results = runBenchmark([handoff], SMALL)
    figures = figuresOf(results[0] as (typeof results)[number])
  })

  it('reads the sessions of all four agents', () => {
    expect(results.flatMap(({ failed }) => failed)).toEqual([])
    expect(new Set(documents().map((one) => one.case.agent)).size).toBe(4)
  })

  it('leaks no planted secret and takes nobody’s words for rules', () => {
    expect(figures.all).toMatchObject({ leaked: 0, falseRules: 0 })
  })

  it('gives the same bytes for the same input', () => {
    const twice = documents().flatMap(({ differs }) => (differs === undefined ? [] : [differs]))
    expect(twice).toEqual([null, null])
  })

  it('invents no changed file', () => {
    expect(figures.all.precision).toBe(1)
  })

  // The bars are .95 for rules, files and truth, .98 for state, and four hops at .95 of one. Those not met yet have the figure of today as floor.
  it.each([
    ['rules at 1,000 turns', () => figures.at(1000).rules, 0.8],
    ['files, F1', () => figures.all.f1, 0.95],
    ['state', () => figures.all.state, 0.98],
    ['truth', () => figures.all.truth, 0.95],
    ['four hops, of one', () => figures.chain(4) / figures.chain(1), 0.8],
  ])('keeps %s', (_, figure, least) => {
    expect(figure()).toBeGreaterThanOrEqual(least)
  })
})

describe('the two sessions with a page', () => {
  it('are those for which the pages were written', () => {
    expect(() => runPages([])).not.toThrow()
  })
})
