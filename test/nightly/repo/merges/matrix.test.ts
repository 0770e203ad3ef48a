import { beforeAll, describe, expect, it } from 'vitest'
import { pointerText } from '../../../../src/brief/latest.ts'
import { refreshLatest } from '../../../../src/briefs/latest-file.ts'
import { openRepo } from '../../../../src/git/open-repo.ts'
import type { TempRepo } from '../../../repo/make-repo.ts'
import { BASES, BRANCHES, branchesOff, COUNT, plainCopies } from '../../../repo/merges/branches.ts'
import { type HandedOver, invocationFor } from '../../../repo/merges/hand-over.ts'
import { briefsIn, latestBlobs, rewindOf, WAYS } from '../../../repo/merges/pull-requests.ts'
import { sampled } from '../../../sampled.ts'

const LATEST = '.handoff/latest.md'
/** ms: seconds on an idle machine, and git processes by the hundred on a busy one. */
const PATIENCE = 240_000

describe.each(Object.keys(BASES))('the constant pointer never conflicts, base %s', (base) => {
  let repo: TempRepo
  let made: HandedOver[]
  let rewind: () => void
  beforeAll(async () => {
    ;({ repo, made } = await branchesOff(base))
    rewind = rewindOf(repo)
  }, PATIENCE)

  it.each(sampled(Object.entries(WAYS), 2))(
    '%s: every brief on main',
    { timeout: PATIENCE },
    async (_, run) => {
      rewind()
      const before = briefsIn(repo)
      // With a copy of a brief in the work tree, as an agent has it.
      await refreshLatest(invocationFor(repo), await openRepo(repo.root, { env: repo.env }))
      expect(run(repo, BRANCHES)).toBe(0)
      expect(briefsIn(repo)).toEqual([...before, ...made.map(({ path }) => path)].sort())
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
  expect(WAYS.merge?.(repo, BRANCHES)).toBe(0)
  expect(briefsIn(repo)).toEqual([])
  expect(repo.git(['status', '--porcelain'])).toBe('')
  expect(kept.sort()).toEqual(made.map(({ path }) => path).sort())
})

it.each(sampled(Object.entries(WAYS), 1))('negative control: a committed copy conflicts by %s', (_, run) => {
  expect(run(plainCopies(), BRANCHES)).toBe(COUNT - 1)
})
