import { expect, it } from 'vitest'
import { readCurrent } from '../../../../src/briefs/current.ts'
import { openRepo } from '../../../../src/git/open-repo.ts'
import { cloneOf, type TempRepo } from '../../../repo/make-repo.ts'
import { BRANCHES, branchesOff } from '../../../repo/merges/branches.ts'
import { briefsIn } from '../../../repo/merges/pull-requests.ts'

/** Minutes in no order: the same in every run. */
function shuffled(): () => number {
  let state = 20261122
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return (state >>> 8) % 100_000
  }
}

const current = async (repo: TempRepo): Promise<string | null> =>
  (await readCurrent(await openRepo(repo.root, { env: repo.env })))?.id ?? null

/** A clone that knows nothing of the past. */
const shallowClone = (repo: TempRepo, branch: string): TempRepo =>
  cloneOf(repo, { name: `clone-${clones++}`, args: ['--depth=1', '-b', branch], env: repo.env })
let clones = 0

// Seconds on an idle machine.
it('the current brief is the right one in 60 of 60 checkouts', { timeout: 240_000 }, async () => {
  const { repo, made } = await branchesOff('empty', shuffled())
  const merged = BRANCHES.slice(0, 10)
  const open = BRANCHES.slice(10)
  for (const branch of merged) repo.git(['merge', '-q', '--no-edit', branch])
  const tips = new Map(open.map((branch) => [branch, repo.git(['rev-parse', branch])]))
  for (const branch of open) {
    repo.git(['switch', '-q', branch])
    repo.git(['merge', '-q', '--no-edit', 'main'])
  }
  const checkouts: Record<string, (branch: string) => TempRepo> = {
    'same branch': (branch) => {
      repo.git(['switch', '-q', branch])
      return repo
    },
    'new branch from it': (branch) => {
      repo.git(['switch', '-q', '-C', `agent/${branch}`, branch])
      return repo
    },
    detached: (branch) => {
      repo.git(['checkout', '-q', '--detach', branch])
      return repo
    },
    'depth-1 clone': (branch) => shallowClone(repo, branch),
    'depth-1 clone, new branch': (branch) => {
      const clone = shallowClone(repo, branch)
      clone.git(['switch', '-q', '-c', 'agent/x'])
      return clone
    },
    // Last: the branch is another one afterwards.
    'rebased on main': (branch) => {
      repo.git(['switch', '-q', branch])
      repo.git(['reset', '-q', '--hard', tips.get(branch) ?? ''])
      repo.git(['rebase', '-q', 'main'])
      return repo
    },
  }
  const right: Record<string, number> = {}
  const newest: Record<string, number> = {}
  for (const [name, checkOut] of Object.entries(checkouts)) {
    right[name] = 0
    newest[name] = 0
    for (const branch of open) {
      const wanted = made[2 * BRANCHES.indexOf(branch) + 1]
      const checkout = checkOut(branch)
      if ((await current(checkout)) === wanted?.id) right[name] += 1
      if (briefsIn(checkout, 'HEAD').at(-1) === wanted?.path) newest[name] += 1
    }
  }
  expect(Object.values(right)).toEqual(Object.keys(checkouts).map(() => open.length))
  // Negative control: the newest file is nobody's rule.
  for (const count of Object.values(newest)) expect(count).toBeLessThan(open.length / 2)
})
