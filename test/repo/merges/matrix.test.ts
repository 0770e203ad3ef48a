import { afterAll, describe, expect, it } from 'vitest'
import { pointerText } from '../../../src/brief/latest.ts'
import { refreshLatest } from '../../../src/commands/latest-file.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { BASES, BRANCHES, branchesOff, COUNT, plainCopies } from './branches.ts'
import { invocationFor } from './hand-over.ts'
import { briefsIn, copyOf, latestBlobs, type Row, tableOf, WAYS } from './pull-requests.ts'

const rows: Row[] = []
afterAll(() => {
  process.stdout.write(`\nConflicts of ${COUNT} branches with 2 handoffs each:\n${tableOf(rows)}\n`)
})

const LATEST = '.handoff/latest.md'
const NONE = Object.fromEntries(Object.keys(WAYS).map((way) => [way, 0]))
/** All but the first. */
const ALL = Object.fromEntries(Object.keys(WAYS).map((way) => [way, COUNT - 1]))

describe('the constant pointer never conflicts', () => {
  it.each(Object.keys(BASES))('base %s: five ways of merging, every brief on main', async (base) => {
    const { repo, made } = await branchesOff(base)
    const before = briefsIn(repo)
    const wanted = [...before, ...made.map(({ path }) => path)].sort()
    const ways: Record<string, number> = {}
    const there: number[] = []
    for (const [way, run] of Object.entries(WAYS)) {
      const copy = copyOf(repo)
      // With a copy of a brief in the work tree, as an agent has it.
      await refreshLatest(invocationFor(copy), await openRepo(copy.root, { env: copy.env }))
      ways[way] = run(copy, BRANCHES)
      expect(copy.git(['status', '--porcelain']), way).toBe('')
      const found = briefsIn(copy)
      there.push(found.length - before.length)
      expect(found.sort(), way).toEqual(wanted)
      const pointer = copy.git(['hash-object', '--stdin'], { input: pointerText() })
      expect(latestBlobs(copy), way).toEqual([pointer])
      expect(copy.git(['rev-parse', `main:${LATEST}`]), way).toBe(pointer)
    }
    rows.push({
      design: 'pointer',
      driver: 'none',
      base,
      ways,
      briefs: `${Math.min(...there)} of ${made.length}`,
    })
    expect(ways).toEqual(NONE)
  })
})

describe('negative controls: with another design the same harness finds conflicts', () => {
  it.each([
    ['plain copy', 'none', '', ALL],
    ['plain copy', 'merge=ours, not configured', '.handoff/latest.md merge=ours\n', ALL],
    // Built into git, and clean in every clone; hosts do not know it.
    ['plain copy', 'merge=union', '.handoff/latest.md merge=union\n', { ...NONE, host: COUNT - 1 }],
  ])('%s, driver %s', (design, driver, attributes, expected) => {
    for (const base of Object.keys(BASES)) {
      const repo = plainCopies(base, attributes)
      const ways: Record<string, number> = {}
      for (const [way, run] of Object.entries(WAYS)) {
        // Without a driver that differs by the way, one base shows all of it.
        if (base !== 'empty' && way !== 'host') continue
        ways[way] = run(copyOf(repo), BRANCHES)
        expect(ways[way], `${base}, ${way}`).toBe(expected[way])
      }
      rows.push({ design, driver, base, ways, briefs: '' })
    }
  })
})
