import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, isNightly, sampled } from '../../sampled.ts'
import { prepared, type TempRepo } from '../make-repo.ts'
import { runKilled as run } from './kill-git.ts'
import { BRANCH, done, handOver, makePair, type Pair, stateOf } from './pair.ts'
import { states } from './states.ts'

const much = states.find(([name]) => name === 'much at once')?.[1] ?? (() => undefined)

/** Ann has sent much, and her tree is as she sent it; it comes back from Bob, who changed it. */
const sent = prepared(async (): Promise<Pair> => {
  const pair = await makePair()
  much(pair.ann)
  await handOver(pair.ann, 'the queue')
  return pair
})
const comesBack = prepared(async (): Promise<Pair> => {
  const pair = await makePair()
  const { ann, bob } = pair
  much(ann)
  await handOver(ann, 'the queue')
  await done(bob, ['open', BRANCH])
  bob.write('many/f1.txt', 'back\n')
  bob.write('a.txt', 'his\n')
  bob.write('many/his.txt', 'his\n')
  rmSync(join(bob.root, 'many/f4.txt'))
  bob.git(['add', 'many/f5.txt', 'a.txt'])
  await handOver(bob, 'the queue again')
  return pair
})

/** The start of git that is killed by day: files or index are being written, and nobody else is told of it yet. */
const BY_DAY = 19
async function stepsOf(make: () => Promise<Pair>, sides: (pair: Pair) => readonly [TempRepo, TempRepo]) {
  const { starts } = run(sides(await make())[1], ['open', BRANCH], 0)
  expect(starts).toBeGreaterThan(20)
  return Array.from({ length: starts }, (_, at) => at + 1)
}

const hubHas = ({ hub }: Pair, prefix: string): boolean => hub.git(['for-each-ref', prefix]) !== ''

// By night every step is one: some sixty of them.
describe('a handoff that is killed', { timeout: 1_800_000 }, () => {
  it.each(
    sampled(
      [
        ['restores work', sent, (pair: Pair) => [pair.ann, pair.bob] as const],
        ['restores what comes back', comesBack, (pair: Pair) => [pair.bob, pair.ann] as const],
      ],
      1,
    ),
  )('while it %s loses nothing, and the next one goes on', async (_, make, sides) => {
    for (const at of isNightly ? await stepsOf(make, sides) : [BY_DAY]) {
      const pair = await make()
      const [from, to] = sides(pair)
      const wanted = stateOf(from)
      const { code } = run(to, ['open', BRANCH], at)
      if (!isNightly) expect([code, hubHas(pair, 'refs/handoff/work')]).toEqual([null, true])
      const isThere = JSON.stringify(stateOf(to)) === JSON.stringify(wanted)
      // Until it is whole here it is whole there.
      if (!isThere) expect([at, hubHas(pair, 'refs/handoff/work')]).toEqual([at, true])
      const again = run(to, ['open', BRANCH], 0)
      expect([at, code, again.code, again.said]).toEqual([at, code, 0, again.said])
      expect([at, stateOf(to)]).toEqual([at, wanted])
      expect([at, hubHas(pair, 'refs/handoff/work')]).toEqual([at, false])
    }
  })

  byNight('while it sends work touches nothing, and the next one sends it', async () => {
    const whole = await makePair()
    much(whole.ann)
    const { starts } = run(whole.ann, ['push', '--work'], 0)
    const steps = Array.from({ length: starts }, (_, at) => at + 1)
    for (const at of steps) {
      const pair = await makePair()
      const { ann, bob } = pair
      much(ann)
      const before = [stateOf(ann), readFileSync(join(ann.root, '.git/index'), 'base64')]
      run(ann, ['push', '--work'], at)
      expect([stateOf(ann), readFileSync(join(ann.root, '.git/index'), 'base64')]).toEqual(before)
      const again = run(ann, ['push', '--work'], 0)
      expect([at, again.code, again.said]).toEqual([at, 0, again.said])
      await done(bob, ['open', BRANCH])
      expect([at, stateOf(bob)]).toEqual([at, stateOf(ann)])
    }
  })

  byNight('in the midst of a checkout leaves files half written, which the next one knows', async () => {
    const pair = await sent()
    const { ann, bob } = pair
    const steps = run(bob, ['open', BRANCH], 0).starts
    const wanted = stateOf(ann)
    // Before `read-tree` of the index: the files are there, and no claim.
    for (let at = steps; at > 0; at--) {
      const { bob } = await sent()
      run(bob, ['open', BRANCH], at)
      if (bob.git(['status', '--porcelain']) === '') continue
      if (stateOf(bob).index === wanted.index) continue
      writeFileSync(join(bob.root, 'many/f4.txt'), '4\n4')
      writeFileSync(join(bob.root, 'many/f5.txt'), '')
      rmSync(join(bob.root, 'many/f2.txt'))
      expect(run(bob, ['open', BRANCH], 0)).toMatchObject({ code: 0 })
      expect(stateOf(bob)).toEqual(wanted)
      return
    }
    expect.fail('no such step')
  })
})
