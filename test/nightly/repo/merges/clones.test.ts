import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { atFolder, makeFolder, makeRepo, type TempRepo } from '../../../repo/make-repo.ts'
import { BASES, COUNT } from '../../../repo/merges/branches.ts'
import { handOver } from '../../../repo/merges/hand-over.ts'
import { briefsIn, latestBlobs } from '../../../repo/merges/pull-requests.ts'
import { byNight, sampled } from '../../../sampled.ts'

/** ms: seconds on an idle machine. */
const PATIENCE = 240_000

/** A host, and so many clones of it that know nothing of each other. */
function clonesOf(repo: TempRepo): { host: TempRepo; clones: TempRepo[] } {
  const base = makeFolder()
  const host = atFolder(base, join(base, 'host.git'), repo.env)
  repo.git(['clone', '-q', '--bare', repo.root, host.root])
  const clones = Array.from({ length: COUNT }, (_, at) => {
    const clone = atFolder(base, join(base, `clone-${at}`), repo.env)
    repo.git(['clone', '-q', host.root, clone.root])
    return clone
  })
  return { host, clones }
}

/** Each brings its commits to the host, one after the other; how many could not. */
function pushAll(clones: readonly TempRepo[]): number {
  return clones.filter((clone) => {
    const { status } = clone.tryGit(['pull', '-q', '--rebase'])
    if (status === 0) clone.git(['push', '-q'])
    else if (clone.git(['ls-files', '-u']) === '') throw new Error('pull failed without a conflict')
    return status !== 0
  }).length
}

describe('clones of one branch that hand over at the same time', () => {
  it.each(sampled(Object.keys(BASES), 1))(
    'base %s: no conflict, every brief on the branch',
    { timeout: PATIENCE },
    async (base) => {
      const repo = makeRepo()
      await BASES[base]?.(repo)
      const before = briefsIn(repo)
      const { host, clones } = clonesOf(repo)
      const made: string[] = []
      for (const clone of clones) made.push((await handOver(clone)).path)
      const conflicts = pushAll(clones)
      const found = briefsIn(host)
      expect(conflicts).toBe(0)
      expect(found).toEqual([...before, ...made].sort())
      expect(latestBlobs(host)).toHaveLength(1)
      for (const clone of clones) expect(clone.git(['status', '--porcelain'])).toBe('')
    },
  )

  byNight(
    'briefs on a branch of their own: a refused push goes through after a fetch and the next handoff',
    {
      timeout: PATIENCE,
    },
    async () => {
      const { host, clones } = clonesOf(makeRepo())
      const made: string[] = []
      for (const clone of clones) made.push((await handOver(clone, { branch: 'separate' })).path)
      const push = ['push', '-q', 'origin', 'refs/heads/handoff/*']
      let refused = 0
      let conflicts = 0
      for (const clone of clones) {
        if (clone.tryGit(push).status === 0) continue
        refused += 1
        clone.git(['fetch', '-q'])
        made.push((await handOver(clone, { branch: 'separate' })).path)
        if (clone.tryGit(push).status !== 0) conflicts += 1
      }
      const found = briefsIn(host, 'handoff/main')
      expect([refused, conflicts]).toEqual([COUNT - 1, 0])
      expect(found).toEqual(made.sort())
      for (const clone of clones) expect(clone.git(['status', '--porcelain'])).toBe('')
    },
  )

  byNight('negative control: a committed copy conflicts', { timeout: PATIENCE }, () => {
    const { clones } = clonesOf(makeRepo())
    for (const [at, clone] of clones.entries())
      clone.commit('handoff', { '.handoff/latest.md': `Part ${at}.\n` })
    expect(pushAll(clones)).toBe(COUNT - 1)
  })
})
