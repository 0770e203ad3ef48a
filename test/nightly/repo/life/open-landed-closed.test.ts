import { describe, expect, it } from 'vitest'
import { cli } from '../../../repo/cli.ts'
import {
  copyOf,
  emptyRepo,
  feature,
  goalOf,
  handOff,
  log,
  MERGES,
  told,
  wordOf,
} from '../../../repo/life/line-of-work.ts'
import { cloneOf, prepared, type TempRepo } from '../../../repo/make-repo.ts'
import { later, succeeded } from '../../../repo/usual.ts'
import { byNight, describeByNight, isNightly } from '../../../sampled.ts'

const NONE = 'No brief is open here.'
/** By day merged truly, by night in each way several times. */
const FEATURES = isNightly ? 12 : 2

/** A repository whose only branch beside main has a brief. */
const withFeature = prepared(async () => {
  const repo = emptyRepo()
  return { repo, brief: await feature(repo, 1) }
})

/** Nobody is told of anything here. */
async function expectNothing(repo: TempRepo): Promise<void> {
  expect(await told(repo)).toBe('')
  expect(await copyOf(repo)).toContain(NONE)
  expect(repo.git(['status', '--porcelain'])).toBe('')
  expect((await cli(repo, ['show', '--json'])).json.errors[0].code).toBe('E_NO_BRIEF')
}

describe('work that was merged is over', () => {
  it(`G1: ${FEATURES} features, merged one after the other: the last carries nothing of the others`, {
    timeout: 240_000,
  }, async () => {
    const repo = emptyRepo()
    const ways = Object.values(MERGES)
    const made: { id: string; path: string; markdown: string; brief: { parents: string[] } }[] = []
    for (let at = 0; at < FEATURES; at++) {
      const json = await feature(repo, at)
      made.push(json)
      for (let other = 0; other < at; other++) expect(json.markdown).not.toContain(wordOf(other))
      expect(json.brief).toMatchObject({ previous: null, parents: [] })
      expect(json.markdown).toContain(`Never rename the ${wordOf(at)} table.`)
      // Its own branch has it until it is merged.
      expect(await told(repo)).toContain(goalOf(at))
      expect(await copyOf(repo)).toContain(`Never rename the ${wordOf(at)} table.`)
      if (at === FEATURES - 1) break
      ways[at % ways.length]?.(repo, `feature/${wordOf(at)}`)
      await expectNothing(repo)
    }
    const ids = made.map(({ id }) => id)
    const last = ids.at(-1) ?? ''
    repo.git(['switch', '-q', '-c', 'fresh', 'main'])
    repo.commit('begin something new')
    await expectNothing(repo)
    repo.git(['switch', '-q', `feature/${wordOf(FEATURES - 1)}`])
    expect(await told(repo)).toContain(goalOf(FEATURES - 1))
    expect(await log(repo)).toEqual(
      Object.fromEntries(ids.map((id) => [id, id === last ? 'open' : 'landed'])),
    )
    repo.git(['switch', '-q', 'main'])
    const status = succeeded(await cli(repo, ['status', '--json']))
    expect(status).toMatchObject({
      brief: null,
      landed: ids
        .slice(-4, -1)
        .reverse()
        .map((id) => ({ id })),
    })
    expect((await cli(repo, ['status'])).stdout).toContain(`Landed: ${ids.at(-2)}`)
    // Whoever asks for one by its id still reads it.
    expect((await cli(repo, ['show', ids[0] ?? ''])).stdout).toContain('Never rename the alder table.')
  })

  byNight(
    'G1: squash one branch, then truly merge another: main shows neither, nor does a new branch 33 commits later',
    async () => {
      const repo = emptyRepo()
      const first = await feature(repo, 1)
      const second = await feature(repo, 2)
      MERGES.squash(repo, `feature/${wordOf(1)}`)
      await expectNothing(repo)
      MERGES.merge(repo, `feature/${wordOf(2)}`)
      await expectNothing(repo)
      for (let at = 0; at < 33; at++) repo.commit(`go on ${at}`)
      await expectNothing(repo)
      repo.git(['switch', '-q', '-c', 'fresh'])
      await expectNothing(repo)
      expect(await log(repo)).toEqual({ [first.id]: 'landed', [second.id]: 'landed' })
    },
  )

  byNight('is over when only the fetched main has it', async () => {
    const origin = emptyRepo()
    const mine = cloneOf(origin)
    const brief = await feature(mine, 1)
    mine.git(['push', '-q', 'origin', 'HEAD'])
    expect(await told(mine)).toContain(brief.brief.goal)
    MERGES.squash(origin, `feature/${wordOf(1)}`)
    mine.git(['fetch', '-q'])
    await expectNothing(mine)
    expect(await log(mine)).toEqual({ [brief.id]: 'landed' })
    mine.git(['switch', '-q', '-c', 'next', 'origin/main'])
    const next = await handOff(mine, 2)
    expect(next.brief.parents).toEqual([])
    expect(next.markdown).not.toContain(wordOf(1))
    expect(await told(mine)).toContain(next.brief.goal)
  })

  byNight(
    'is over when it was merged into the branch it was made for, and open where only others have it',
    async () => {
      const repo = emptyRepo()
      repo.git(['switch', '-q', '-c', 'integration'])
      const brief = await feature(repo, 1)
      MERGES.squash(repo, 'feature/birch')
      repo.git(['branch', '-q', '-f', 'integration', 'main'])
      repo.git(['reset', '-q', '--hard', 'HEAD~1'])
      repo.git(['switch', '-q', 'integration'])
      // It did not grow from that branch, so nobody is told of it there; main does not have it yet.
      await expectNothing(repo)
      repo.git(['switch', '-q', 'feature/birch'])
      expect(await told(repo)).toContain(brief.brief.goal)
      expect(await log(repo)).toEqual({ [brief.id]: 'open' })
    },
  )

  byNight('is over on a branch of briefs, too, once the work is merged', async () => {
    const repo = emptyRepo()
    repo.write('.handoff/config.yaml', 'commit:\n  branch: separate\n')
    repo.commit('keep briefs apart')
    const brief = await feature(repo, 1)
    expect(await told(repo)).toContain(brief.brief.goal)
    MERGES.merge(repo, 'feature/birch')
    expect(await told(repo)).toBe('')
    repo.git(['branch', '-q', '-D', 'feature/birch'])
    expect(await told(repo)).toBe('')
    expect(await log(repo)).toEqual({ [brief.id]: 'landed' })
  })
})

describeByNight('work that is going on', () => {
  byNight('G1: a handoff made on main stays open there until it is followed or closed', async () => {
    const repo = emptyRepo()
    const first = await handOff(repo, 1)
    repo.commit('go on')
    expect(await told(repo)).toContain(first.brief.goal)
    // Another line of work that comes and goes does not end it.
    const side = await feature(repo, 2)
    expect(side.brief.parents).toEqual([])
    MERGES.merge(repo, `feature/${wordOf(2)}`)
    expect(await told(repo)).toContain(first.brief.goal)
    expect(await log(repo)).toEqual({ [first.id]: 'open', [side.id]: 'landed' })
    const second = await handOff(repo, 3)
    expect(second.brief.parents).toEqual([first.id])
    expect(second.markdown).toContain(`Never rename the ${wordOf(1)} table.`)
    expect(await told(repo)).toContain(second.brief.goal)
    expect(await log(repo)).toMatchObject({ [first.id]: 'followed', [second.id]: 'open' })
    const done = succeeded(await cli(repo, ['done', 'shipped', '--json'], { now: later(300) }))
    expect(await told(repo)).toBe('')
    expect(await copyOf(repo)).toContain(NONE)
    expect(await log(repo)).toMatchObject({
      [first.id]: 'closed',
      [second.id]: 'closed',
      [done.id]: 'closed',
    })
    expect((await handOff(repo, 5)).brief).toMatchObject({ parents: [], constraints: [{}] })
  })

  byNight(
    'is told on a branch grown from it, also after both moved on, and on one that was renamed',
    async () => {
      const { repo, brief } = await withFeature()
      repo.git(['branch', '-q', '-m', 'feature/renamed'])
      expect(await told(repo)).toContain(brief.brief.goal)
      repo.git(['branch', '-q', '-m', 'feature/birch'])
      repo.git(['switch', '-q', '-c', 'agent/x'])
      expect(await told(repo)).toContain(brief.brief.goal)
      repo.commit('more on x')
      expect(await told(repo)).toContain(brief.brief.goal)
      repo.git(['switch', '-q', 'feature/birch'])
      repo.commit('more on birch')
      repo.git(['switch', '-q', 'agent/x'])
      expect(await copyOf(repo)).toContain(brief.id)
      const child = await handOff(repo, 2)
      expect(child.brief.parents).toEqual([brief.id])
      expect(child.markdown).toContain(`Never rename the ${wordOf(1)} table.`)
      repo.git(['switch', '-q', 'feature/birch'])
      expect(await told(repo)).toContain(brief.brief.goal)
      // Where its branch is gone, as every other clone sees a rename, what follows it on any branch counts.
      repo.git(['branch', '-q', '-m', 'feature/renamed'])
      expect(await told(repo)).toBe('')
    },
  )

  byNight('is told on a branch that left it after a rebase', async () => {
    const { repo, brief } = await withFeature()
    repo.git(['switch', '-q', 'main'])
    repo.commit('main goes on', { 'm.txt': 'm\n' })
    repo.git(['rebase', '-q', 'main', 'feature/birch'])
    repo.git(['switch', '-q', '-c', 'agent/x'])
    repo.commit('more on x')
    expect(await told(repo)).toContain(brief.brief.goal)
  })

  byNight('the nearest branch counts, and what a merge brought does not', async () => {
    const repo = emptyRepo()
    const onMain = await handOff(repo, 0)
    const other = await feature(repo, 1)
    const near = await feature(repo, 2)
    repo.git(['switch', '-q', '-c', 'agent/x'])
    repo.git(['merge', '-q', '--no-edit', 'feature/birch'])
    expect(await told(repo)).toContain(near.brief.goal)
    repo.git(['switch', '-q', '-c', 'agent/y', 'main'])
    repo.git(['merge', '-q', '--no-ff', '--no-edit', 'feature/birch'])
    const text = await told(repo)
    expect(text).toContain(onMain.brief.goal)
    expect(text).not.toContain(other.brief.goal)
  })

  byNight('on a detached HEAD: the branch that points there, and the line behind it', async () => {
    const { repo, brief } = await withFeature()
    repo.commit('more')
    repo.git(['checkout', '-q', '--detach'])
    expect(await told(repo)).toContain(brief.brief.goal)
    repo.commit('more without a branch')
    expect(await told(repo)).toContain(brief.brief.goal)
    const own = await handOff(repo, 2)
    expect(own.brief).toMatchObject({ parents: [brief.id], branch: null })
    expect(await told(repo)).toContain(own.brief.goal)
    repo.git(['checkout', '-q', '--detach', 'main'])
    expect(await told(repo)).toBe('')
    MERGES.merge(repo, 'feature/birch')
    repo.git(['checkout', '-q', '--detach', 'main'])
    await expectNothing(repo)
  })

  byNight('G1: is not hidden by a closed chain of another branch', async () => {
    const repo = emptyRepo()
    const onMain = await handOff(repo, 0)
    repo.git(['switch', '-q', '-c', 'side', 'HEAD~1'])
    await handOff(repo, 1)
    succeeded(await cli(repo, ['done', 'side is over', '--json'], { now: later(200) }))
    expect(await told(repo)).toBe('')
    MERGES.merge(repo, 'side')
    expect(await told(repo)).toContain(onMain.brief.goal)
  })

  byNight('G2: a parked brief is the newest of its branch, whatever command comes next', async () => {
    const repo = emptyRepo()
    await handOff(repo, 1)
    repo.git(['switch', '-q', '-c', 'side', 'HEAD~1'])
    repo.commit('one side', { 'a.txt': 'one\n' })
    repo.git(['switch', '-q', 'main'])
    repo.commit('the other side', { 'a.txt': 'two\n' })
    repo.tryGit(['merge', '-q', 'side'])
    const { id, commit, brief } = await merging(repo)
    expect(commit).toBeNull()
    for (const argv of [['status'], ['show'], ['log'], ['note', '--next-step', 'go on']]) {
      await cli(repo, argv)
      expect(repo.read('.handoff/latest.md'), argv[0]).toContain(`id=${id}`)
    }
    expect((await cli(repo, ['show', '--json'])).json.id).toBe(id)
    expect(await told(repo)).toContain(brief.goal)
    repo.git(['checkout', '-q', '--ours', 'a.txt'])
    repo.git(['add', 'a.txt'])
    repo.git(['commit', '-q', '-m', 'merged'])
    expect(await told(repo)).toContain(brief.goal)
  })
})

/** A handoff in the middle of a merge. */
const merging = async (repo: TempRepo) =>
  succeeded(
    await cli(repo, ['create', 'resolve the conflict and finish the merge', '--json', '--from', 'git'], {
      now: later(200),
    }),
  )
