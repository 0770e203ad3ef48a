import { describe, expect, it } from 'vitest'
import { isNightly, sampled } from '../../sampled.ts'
import { BRANCH, done, handOver, makePair, type Pair, refsBeside, refused, stateOf } from './pair.ts'
import { states } from './states.ts'

/** A change of Bob's own is in the way of what comes: nothing is touched. What the hint says takes it out of the way. */
async function expectInTheWay({ bob, hub }: Pair): Promise<void> {
  bob.write('a.txt', 'his\n')
  const refs = () => [hub.git(['for-each-ref']), bob.git(['for-each-ref', 'refs/heads'])]
  const before = [stateOf(bob), refs()]
  const { code, hint } = await refused(bob, ['open', BRANCH])
  expect(code).toBe('E_IN_THE_WAY')
  expect(hint).toContain(`\`git stash push --include-untracked\`, then \`git handoff open ${BRANCH}\``)
  expect([stateOf(bob), refs()]).toEqual(before)
  bob.git(['stash', 'push', '-q', '--include-untracked'])
  bob.git(['stash', 'drop', '-q'])
}

describe('uncommitted work that goes there and back', () => {
  it.each(sampled(states, 1))('and back, and once more by night: %s', async (_, make) => {
    const pair = await makePair()
    const { ann, bob, hub } = pair
    make(ann)
    const before = stateOf(ann)
    const commits = () => hub.git(['rev-list', '--count', BRANCH])
    const begun = Number(commits())
    const trips = isNightly ? 3 : 2
    for (let trip = 0; trip < trips; trip++) {
      const [from, to] = trip % 2 === 0 ? [ann, bob] : [bob, ann]
      const sent = stateOf(from)
      await handOver(from, `trip ${trip + 1} of the queue`)
      expect(stateOf(from).files).toMatchObject(sent.files)
      if (trip === 0) await expectInTheWay(pair)
      const { work } = await done(to, ['open', BRANCH])
      expect(work).toMatchObject({ isMerged: false, left: [] })
      expect(stateOf(to)).toEqual(stateOf(from))
    }
    // The same as in the beginning, but for the briefs.
    const after = stateOf(bob)
    expect(after.files).toMatchObject(before.files)
    const others = (state: typeof after) =>
      Object.keys(state.files).filter((path) => !path.startsWith('.handoff/'))
    expect(others(after)).toEqual(others(before))
    // The briefs' own commits and no other; of the work nothing is left but the last receipt.
    expect(Number(commits())).toBe(begun + trips)
    const files = hub.git(['log', '--format=', '--name-only', `${BRANCH}~${trips}..${BRANCH}`])
    expect(files.split('\n').filter((path) => !path.startsWith('.handoff/'))).toEqual([])
    expect(refsBeside(pair)).toEqual([expect.stringContaining('refs/handoff/taken/')])
    expect(bob.git(['for-each-ref', 'refs/handoff'])).not.toContain('taken')
    expect([ann, bob].map((one) => one.git(['stash', 'list']))).toEqual(['', ''])
  })
})
