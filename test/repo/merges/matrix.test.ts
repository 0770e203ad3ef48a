import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pointerText } from '../../../src/brief/latest.ts'
import { refreshLatest } from '../../../src/briefs/latest-file.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { sampled } from '../../sampled.ts'
import type { TempRepo } from '../make-repo.ts'
import { BASES, BRANCHES, branchesOff, COUNT, plainCopies } from './branches.ts'
import { type HandedOver, invocationFor } from './hand-over.ts'
import { briefsIn, latestBlobs, type Row, rewindOf, tableOf, WAYS } from './pull-requests.ts'

const rows: Row[] = []
afterAll(() => {
  process.stdout.write(`\nConflicts of ${COUNT} branches with 2 handoffs each:\n${tableOf(rows)}\n`)
})

const LATEST = '.handoff/latest.md'
const NONE = Object.fromEntries(Object.keys(WAYS).map((way) => [way, 0]))
/** All but the first. */
const ALL = Object.fromEntries(Object.keys(WAYS).map((way) => [way, COUNT - 1]))

/** ms: seconds on an idle machine, and git processes by the hundred on a busy one. */
const PATIENCE = 240_000

describe.each(Object.keys(BASES))('the constant pointer never conflicts, base %s', (base) => {
  let repo: TempRepo
  let made: HandedOver[]
  let rewind: () => void
  const ways: Record<string, number> = {}
  const there: number[] = []
  beforeAll(async () => {
    ;({ repo, made } = await branchesOff(base))
    rewind = rewindOf(repo)
  }, PATIENCE)
  afterAll(() => {
    const briefs = `${Math.min(...there)} of ${made.length}`
    rows.push({ design: 'pointer', driver: 'none', base, ways, briefs })
  })

  it.each(sampled(Object.entries(WAYS), 2))(
    '%s: every brief on main',
    { timeout: PATIENCE },
    async (way, run) => {
      rewind()
      const before = briefsIn(repo)
      // With a copy of a brief in the work tree, as an agent has it.
      await refreshLatest(invocationFor(repo), await openRepo(repo.root, { env: repo.env }))
      const conflicts = run(repo, BRANCHES)
      ways[way] = conflicts
      const found = briefsIn(repo)
      there.push(found.length - before.length)
      expect(conflicts).toBe(0)
      expect(found).toEqual([...before, ...made.map(({ path }) => path)].sort())
      expect(repo.git(['status', '--porcelain'])).toBe('')
      // One blob in every commit of every branch.
      const pointer = repo.git(['hash-object', '--stdin'], { input: pointerText() })
      expect(latestBlobs(repo)).toEqual([pointer])
      expect(repo.git(['rev-parse', `main:${LATEST}`])).toBe(pointer)
    },
  )
})

it('briefs on branches of their own: nothing to conflict, every branch keeps its two', {
  timeout: PATIENCE,
}, async () => {
  const { repo, made } = await branchesOff('empty', undefined, 'separate')
  const kept = BRANCHES.flatMap((branch) => briefsIn(repo, `handoff/${branch}`))
  const ways = { merge: WAYS.merge?.(repo, BRANCHES) ?? -1 }
  const briefs = `0, and ${kept.length} of ${made.length} on handoff/<branch>`
  rows.push({ design: 'separate', driver: 'none', base: 'empty', ways, briefs })
  expect(ways).toEqual({ merge: 0 })
  expect(briefsIn(repo)).toEqual([])
  expect(repo.git(['status', '--porcelain'])).toBe('')
  expect(kept.sort()).toEqual(made.map(({ path }) => path).sort())
})

describe('negative controls: with another design the same harness finds conflicts', () => {
  const designs = [
    ['plain copy', 'none', '', ALL],
    ['plain copy', 'merge=ours, not configured', '.handoff/latest.md merge=ours\n', ALL],
    // Built into git, and clean in every clone; hosts do not know it.
    ['plain copy', 'merge=union', '.handoff/latest.md merge=union\n', { ...NONE, host: COUNT - 1 }],
  ] satisfies [string, string, string, Record<string, number>][]
  it.each<[string, string, string, Record<string, number>]>(sampled(designs, 1))(
    '%s, driver %s',
    { timeout: PATIENCE },
    (design, driver, attributes, expected) => {
      for (const base of Object.keys(BASES)) {
        const repo = plainCopies(base, attributes)
        const rewind = rewindOf(repo)
        const ways: Record<string, number> = {}
        for (const [way, run] of Object.entries(WAYS)) {
          // Without a driver that differs by the way, one base shows all of it.
          if (base !== 'empty' && way !== 'host') continue
          rewind()
          ways[way] = run(repo, BRANCHES)
          expect(ways[way], `${base}, ${way}`).toBe(expected[way])
        }
        rows.push({ design, driver, base, ways, briefs: '' })
      }
    },
  )
})
