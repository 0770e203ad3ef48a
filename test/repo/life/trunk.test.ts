import { describe, expect, it } from 'vitest'
import { readRefs } from '../../../src/git/refs.ts'
import { readTrunk } from '../../../src/life/trunk.ts'
import { byNight, isNightly, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { makeFolder, makeRepo, type TempRepo } from '../make-repo.ts'
import { succeeded } from '../usual.ts'
import { checkout, handOver, look, openHere, pruneAll, seen, states } from './lines.ts'

/** A repository with a remote beside it, to which main was pushed. */
function withRemote(remote = 'origin'): TempRepo {
  const repo = makeRepo()
  const far = `${makeFolder()}/far.git`
  repo.git(['init', '-q', '--bare', '-b', 'main', far])
  repo.git(['remote', 'add', remote, far])
  repo.git(['push', '-q', '-u', remote, 'main'])
  return repo
}

const farOf = (repo: TempRepo, remote = 'origin'): string => repo.git(['remote', 'get-url', remote])

/** Another clone of the same remote. */
function second(repo: TempRepo, remote = 'origin'): (args: string[]) => string {
  const root = `${makeFolder()}/second`
  repo.git(['clone', '-q', farOf(repo, remote), root])
  return (args) => repo.git(args, { cwd: root })
}

function branch(repo: TempRepo, name: string, from = 'main'): void {
  repo.git(['switch', '-q', '-c', name, from])
  repo.commit(`work on ${name}`, { [`${name.replace(/\W/g, '-')}.js`]: `${name}\n` })
}

function squash(repo: TempRepo, from: string, into = 'main'): void {
  repo.git(['switch', '-q', into])
  repo.git(['merge', '-q', '--squash', from])
  repo.git(['commit', '-q', '-m', `${from} (#1)`])
}

async function expectOpen(repo: TempRepo, id: string): Promise<void> {
  const { open, states } = await look(repo)
  expect([open, states.get(id)]).toEqual([[id], 'open'])
}

async function expectLanded(repo: TempRepo, id: string): Promise<void> {
  const { open, states } = await look(repo)
  expect([open, states.get(id)]).toEqual([[], 'landed'])
}

describe('landed: its file stands in the tree of a trunk', () => {
  it.each(sampled(['--no-ff', '--ff-only'], 1))('merged %s', async (how) => {
    const repo = makeRepo()
    branch(repo, 'x')
    const { id } = await handOver(repo)
    repo.git(['switch', '-q', 'main'])
    repo.git(['merge', '-q', '--no-edit', how, 'x'])
    await expectLanded(repo, id)
    repo.git(['switch', '-q', 'x'])
    await expectLanded(repo, id)
  })

  it('squashed, also after prune took it out (G-M2), also where the host dropped the trailer', async () => {
    for (const isDropped of isNightly ? [false, true] : [true]) {
      const repo = makeRepo()
      branch(repo, 'x')
      const { id } = await handOver(repo)
      squash(repo, 'x')
      pruneAll(repo)
      if (isDropped) repo.git(['commit', '-q', '--amend', '-m', 'Clean up the briefs (#2)'])
      await expectLanded(repo, id)
      repo.git(['switch', '-q', 'x'])
      await expectLanded(repo, id)
    }
  })

  it('a revert of the merge opens it again, in log and status (G-L3); work that is taken out after a prune does not', async () => {
    const repo = makeRepo()
    branch(repo, 'x')
    const { id } = await handOver(repo)
    squash(repo, 'x')
    const merge = repo.git(['rev-parse', 'HEAD'])
    repo.git(['revert', '--no-edit', merge])
    expect((await states(repo)).get(id)).toBe('open')
    repo.git(['switch', '-q', 'x'])
    await expectOpen(repo, id)
    repo.git(['switch', '-q', 'main'])
    repo.git(['revert', '--no-edit', 'HEAD'])
    pruneAll(repo)
    repo.git(['rm', '-q', 'x.js'])
    repo.git(['commit', '-q', '-m', 'take the work out'])
    repo.git(['switch', '-q', 'x'])
    await expectLanded(repo, id)
  })

  byNight('in the trunk of a remote called upstream, as from a fork', async () => {
    const repo = withRemote('upstream')
    const fork = `${makeFolder()}/fork.git`
    repo.git(['init', '-q', '--bare', fork])
    repo.git(['remote', 'add', 'origin', fork])
    branch(repo, 'x')
    const { id } = await handOver(repo)
    repo.git(['push', '-q', '-u', 'origin', 'x'])
    const git = second(repo, 'upstream')
    git(['pull', '-q', '--no-edit', '--squash', fork, 'x'])
    git(['commit', '-q', '-m', 'x'])
    git(['push', '-q'])
    repo.git(['fetch', '-q', 'upstream'])
    await expectLanded(repo, id)
  })

  it('with a remote whose name holds slashes (G-L2)', async () => {
    const repo = withRemote('team/up')
    branch(repo, 'x')
    const { id } = await handOver(repo)
    repo.git(['push', '-q', '-u', 'team/up', 'x'])
    const git = second(repo, 'team/up')
    git(['merge', '-q', '--squash', 'origin/x'])
    git(['commit', '-q', '-m', 'x'])
    git(['push', '-q'])
    repo.git(['fetch', '-q', 'team/up'])
    await expectLanded(repo, id)
  })

  byNight.each(sampled(['rebased by the host', 'reworked, then fast-forwarded'], 1))(
    'each commit copied, while its branch goes on: %s',
    async (how) => {
      const repo = makeRepo()
      branch(repo, 'x')
      repo.commit('more', { 'more.js': '1\n' })
      const { id } = await handOver(repo)
      repo.git(['switch', '-q', 'main'])
      repo.commit('meanwhile', { 'main.js': '1\n' })
      if (how.startsWith('rebased')) repo.git(['cherry-pick', 'main..x'])
      else {
        // The two commits of work become one.
        repo.git(['switch', '-q', '-c', 'reworked'])
        repo.git(['cherry-pick', '--no-commit', 'x~2', 'x~1'])
        repo.git(['commit', '-q', '-m', 'reworked'])
        repo.git(['cherry-pick', 'x'])
        repo.git(['branch', '-q', '-M', 'reworked', 'x'])
        repo.git(['switch', '-q', 'main'])
        repo.git(['merge', '-q', '--ff-only', 'x'])
      }
      repo.git(['switch', '-q', 'x'])
      repo.commit('go on', { 'on.js': '1\n' })
      await expectLanded(repo, id)
    },
  )

  byNight('squashed, and the files of its work have other names since', async () => {
    const repo = makeRepo()
    branch(repo, 'x')
    const { id } = await handOver(repo)
    squash(repo, 'x')
    repo.git(['mv', 'x.js', 'y.js'])
    repo.git(['commit', '-q', '-m', 'rename'])
    await expectLanded(repo, id)
    repo.git(['switch', '-q', 'x'])
    await expectLanded(repo, id)
  })

  byNight.each(sampled(['release/2', 'next', 'v2.x'], 1))(
    'in the branch that collects work and that its own was made from: %s',
    async (name) => {
      const repo = withRemote()
      repo.git(['switch', '-q', '-c', name])
      repo.commit('collect', { 'c.js': '1\n' })
      repo.git(['push', '-q', '-u', 'origin', name])
      branch(repo, 'fix', name)
      const { id } = await handOver(repo)
      await expectOpen(repo, id)
      repo.git(['switch', '-q', name])
      if (name === 'next') repo.git(['merge', '-q', '--ff-only', 'fix'])
      else squash(repo, 'fix', name)
      repo.git(['branch', '-q', '-D', 'fix'])
      repo.commit('go on', { 'o.js': '1\n' })
      await expectLanded(repo, id)
      branch(repo, 'more', name)
      await expectLanded(repo, id)
    },
  )

  byNight('in the release branch that it was made for, once it comes with work', async () => {
    const repo = withRemote()
    repo.git(['switch', '-q', '-c', 'release/2'])
    repo.git(['push', '-q', '-u', 'origin', 'release/2'])
    repo.git(['switch', '-q', '-c', 'fix', '--track', 'origin/release/2'])
    repo.commit('fix it', { 'fix.js': '1\n' })
    const { id } = await handOver(repo)
    await expectOpen(repo, id)
    squash(repo, 'fix', 'release/2')
    await expectLanded(repo, id)
  })
})

describe('not landed', () => {
  it.each(sampled(['feature/x', 'tess/feature-x'], 1))(
    'only pushed, with an upstream of another name: %s (G-H1)',
    async (far) => {
      const repo = withRemote()
      branch(repo, 'feature/x')
      repo.git(['push', '-q', '-u', 'origin', `feature/x:${far}`])
      repo.git(['switch', '-q', '-c', 'pr12', '--track', `origin/${far}`])
      repo.commit('address the review', { 'review.js': '1\n' })
      const { id } = await handOver(repo)
      repo.git(['push', '-q', 'origin', `HEAD:${far}`])
      await expectOpen(repo, id)
      // The author of the pull request.
      repo.git(['switch', '-q', 'feature/x'])
      repo.git(['merge', '-q', '--ff-only', `origin/${far}`])
      await expectOpen(repo, id)
    },
  )

  byNight('in a branch that was renamed after it was pushed (N1)', async () => {
    const repo = withRemote()
    branch(repo, 'x')
    repo.git(['push', '-q', '-u', 'origin', 'x'])
    repo.git(['branch', '-m', 'y'])
    const { id } = await handOver(repo)
    repo.git(['push', '-q', 'origin', 'HEAD:x'])
    await expectOpen(repo, id)
  })

  it.each(sampled(['before', 'after'], 1))(
    'its file was cherry-picked alone, with the work committed %s the brief (G-M6), until the work comes',
    async (when) => {
      const repo = makeRepo()
      const work = (): unknown => repo.commit('work', { 'x.js': 'x\n' })
      repo.git(['switch', '-q', '-c', 'x'])
      if (when === 'before') work()
      const { id } = await handOver(repo)
      const brief = repo.git(['rev-parse', 'HEAD'])
      if (when === 'after') work()
      repo.git(['switch', '-q', 'main'])
      repo.commit('meanwhile', { 'main.js': '1\n' })
      repo.git(['cherry-pick', brief])
      const { open, states } = await look(repo)
      expect([open, states.get(id)]).toEqual([[], 'open'])
      repo.git(['switch', '-q', 'x'])
      await expectOpen(repo, id)
      squash(repo, 'x')
      await expectLanded(repo, id)
    },
  )

  it("in the main of a colleague's fork (G-M5)", async () => {
    const repo = withRemote()
    branch(repo, 'x')
    const { id } = await handOver(repo)
    repo.git(['push', '-q', '-u', 'origin', 'x'])
    const bob = `${makeFolder()}/bob`
    repo.git(['clone', '-q', farOf(repo), bob])
    repo.git(['merge', '-q', '--no-ff', '-m', 'm', 'origin/x'], { cwd: bob })
    repo.git(['remote', 'add', 'bob', bob])
    repo.git(['fetch', '-q', 'bob'])
    await expectOpen(repo, id)
  })

  it.each(sampled([false, true], 1))(
    'made on the trunk, which has another name now (G-M4); with a remote: %s',
    async (isFar) => {
      const repo = makeRepo({ branch: 'master' })
      if (isFar) {
        const far = `${makeFolder()}/far.git`
        repo.git(['init', '-q', '--bare', far])
        repo.git(['remote', 'add', 'origin', far])
        repo.git(['push', '-q', '-u', 'origin', 'master'])
      }
      const { id } = await handOver(repo)
      repo.git(['branch', '-m', 'main'])
      if (isFar) {
        repo.git(['push', '-q', '-u', 'origin', 'main'])
        repo.git(['remote', 'set-head', 'origin', 'main'])
      }
      await expectOpen(repo, id)
    },
  )
})

describe('the trunk', () => {
  const namesOf = async (repo: TempRepo): Promise<readonly string[]> => {
    const here = await seen(repo)
    return (await readTrunk(here, await readRefs(here, ['refs/heads', 'refs/remotes']))).names
  }

  it('is what HEAD of the remote names', async () => {
    const repo = withRemote()
    repo.git(['push', '-q', 'origin', 'main:next'])
    repo.git(['fetch', '-q'])
    repo.git(['remote', 'set-head', 'origin', 'next'])
    expect(await namesOf(repo)).toEqual(['next'])
  })

  byNight('is not a master that main has overtaken (V21)', async () => {
    const repo = withRemote()
    repo.git(['push', '-q', 'origin', 'main:master'])
    repo.git(['fetch', '-q'])
    repo.git(['remote', 'set-head', 'origin', 'master'])
    expect(await namesOf(repo)).toEqual(['main'])
    repo.git(['switch', '-q', '-c', 'x'])
    repo.commit('x', { 'x.js': '1\n' })
    const { id } = await handOver(repo)
    repo.git(['switch', '-q', 'main'])
    repo.git(['merge', '-q', '--ff-only', 'x'])
    repo.git(['push', '-q'])
    await expectLanded(repo, id)
  })

  it('is a local usual name without a remote, and none where there is no such branch', async () => {
    expect(await namesOf(makeRepo())).toEqual(['main'])
    expect(await namesOf(makeRepo({ branch: 'production' }))).toEqual([])
  })

  it('is what the configuration names, before the first brief, too', async () => {
    const repo = makeRepo({ branch: 'production' })
    branch(repo, 'x', 'production')
    const here = await seen(repo)
    here.trunks = ['production']
    const { names } = await readTrunk(here, await readRefs(here, ['refs/heads']))
    expect(names).toEqual(['production'])
  })

  byNight('is what the configuration names for the hooks of git, too', async () => {
    const repo = makeRepo({ branch: 'production' })
    branch(repo, 'x', 'production')
    const { id } = succeeded(
      await cli(repo, ['create', 'finish x.js with its tests', '--from', 'git', '--json']),
    )
    // Set after the brief was made, so that it names no base.
    const env = { HANDOFF_TRUNK: 'production' }
    const told = async (): Promise<(string | null)[]> => {
      const { stderr } = await cli(repo, ['hook', 'post-checkout', '--', '0'.repeat(40), 'x', '1'], { env })
      const { brief } = (await cli(repo, ['status', '--json'], { env })).json
      return [/brief (\S+) is open here/.exec(stderr)?.[1] ?? null, brief?.id ?? null]
    }
    expect(await told()).toEqual([id, id])
    squash(repo, 'x', 'production')
    repo.git(['switch', '-q', 'x'])
    expect(await told()).toEqual([null, null])
  })

  it('is also develop beside main for a branch made from it (G-M7)', async () => {
    const repo = withRemote()
    repo.git(['switch', '-q', '-c', 'develop'])
    repo.commit('d', { 'd.js': '1\n' })
    repo.git(['push', '-q', '-u', 'origin', 'develop'])
    branch(repo, 'x', 'develop')
    const { id } = await handOver(repo)
    await expectOpen(repo, id)
    repo.git(['switch', '-q', 'develop'])
    repo.git(['merge', '-q', '--ff-only', 'x'])
    repo.git(['branch', '-q', '-D', 'x'])
    repo.commit('go on', { 'o.js': '1\n' })
    await expectLanded(repo, id)
    branch(repo, 'new', 'develop')
    await expectLanded(repo, id)
    expect((await handOver(repo)).parents).toEqual([])
  })
})

describe('followed, closed, current, parents', () => {
  /** Two people hand over on branch x at once; the second one rebases. */
  async function twoHeads(repo: TempRepo): Promise<{ alice: string; bob: string }> {
    branch(repo, 'x')
    repo.git(['push', '-q', '-u', 'origin', 'x'])
    const alice = await handOver(repo)
    repo.git(['switch', '-q', '--detach', 'origin/x'])
    repo.git(['branch', '-q', '-f', 'keep', 'x'])
    repo.git(['branch', '-q', '-f', 'x', 'origin/x'])
    repo.git(['switch', '-q', 'x'])
    const bob = await handOver(repo)
    repo.git(['rebase', '-q', 'keep'])
    repo.git(['branch', '-q', '-D', 'keep'])
    return { alice: alice.id, bob: bob.id }
  }

  it('two people hand over on one branch at once: both are open, and the next brief follows both (G-H2)', async () => {
    const repo = withRemote()
    const { alice, bob } = await twoHeads(repo)
    expect(await openHere(repo)).toEqual([bob, alice])
    const next = await handOver(repo)
    expect(next.parents).toEqual([bob, alice])
    const { open, states } = await look(repo)
    expect(open).toEqual([next.id])
    expect(Object.fromEntries(states)).toEqual({
      [alice]: 'followed',
      [bob]: 'followed',
      [next.id]: 'open',
    })
  })

  byNight('what is done on a renamed branch is done on the one that it was pushed as', async () => {
    const repo = withRemote()
    branch(repo, 'x')
    const { id } = await handOver(repo)
    repo.git(['push', '-q', '-u', 'origin', 'x'])
    repo.git(['branch', '-m', 'y'])
    await expectOpen(repo, id)
    await handOver(repo, { kind: 'done' })
    expect(await openHere(repo)).toEqual([])
    expect((await states(repo)).get(id)).toBe('closed')
    repo.git(['switch', '-q', '-c', 'elsewhere', 'main'])
    expect((await states(repo)).get(id)).toBe('closed')
  })

  byNight('done with two heads closes the line of the newest and leaves the other', async () => {
    const repo = withRemote()
    const { alice, bob } = await twoHeads(repo)
    await handOver(repo, { kind: 'done' })
    expect((await states(repo)).get(bob)).toBe('closed')
    await expectOpen(repo, alice)
  })

  byNight.each(sampled([true, false], 1))(
    'a fork that comes back is the head of the line; its branch is gone: %s',
    async (isGone) => {
      const repo = makeRepo()
      branch(repo, 'x')
      const first = await handOver(repo)
      branch(repo, 'y', 'x')
      const second = await handOver(repo)
      repo.git(['switch', '-q', 'x'])
      repo.commit('more', { 'more.js': '1\n' })
      repo.git(['merge', '-q', '--no-edit', 'y'])
      if (isGone) repo.git(['branch', '-q', '-D', 'y'])
      expect((await states(repo)).get(first.id)).toBe('followed')
      expect(await openHere(repo)).toEqual([second.id])
    },
  )

  byNight(
    'a fork of the line followed it somewhere else: on its own branch it is open, in log as well',
    async () => {
      const repo = makeRepo()
      branch(repo, 'f')
      const first = await handOver(repo)
      branch(repo, 'g', 'f')
      const forked = await handOver(repo)
      expect(forked.parents).toEqual([first.id])
      expect(await openHere(repo)).toEqual([forked.id])
      expect((await states(repo)).get(first.id)).toBe('open')
      repo.git(['switch', '-q', 'f'])
      await expectOpen(repo, first.id)
      await handOver(repo, { kind: 'done' })
      expect((await checkout(repo)).closing).not.toBeNull()
      repo.git(['switch', '-q', 'g'])
      await expectOpen(repo, forked.id)
    },
  )

  it('after landed and after closed work a new line begins (TL-2)', async () => {
    const repo = makeRepo()
    branch(repo, 'one')
    const first = await handOver(repo)
    expect(first.parents).toEqual([])
    await handOver(repo, { kind: 'done' })
    squash(repo, 'one')
    repo.git(['branch', '-q', '-D', 'one'])
    branch(repo, 'two')
    expect((await handOver(repo)).parents).toEqual([])
    branch(repo, 'three')
    expect((await handOver(repo)).parents).toEqual([])
  })

  byNight('a brief that was picked from another living branch is not current (G-M6)', async () => {
    const repo = makeRepo()
    branch(repo, 'y')
    const own = await handOver(repo)
    branch(repo, 'x')
    const other = await handOver(repo)
    repo.git(['switch', '-q', 'y'])
    repo.git(['cherry-pick', 'x'])
    expect(await openHere(repo)).toEqual([own.id])
    const next = await handOver(repo)
    expect(next.parents).toEqual([own.id])
    repo.git(['switch', '-q', 'x'])
    expect(await openHere(repo)).toEqual([other.id])
  })

  it('what is open on the trunk is told on a new branch, and followed by the work that took it up alone', async () => {
    const repo = makeRepo()
    repo.commit('plan', { 'plan.md': '1\n' })
    const plan = await handOver(repo)
    branch(repo, 'x')
    expect(await checkout(repo)).toMatchObject({ isOfTrunk: true, current: { id: plan.id } })
    const other = await handOver(repo)
    expect(other.parents).toEqual([])
    squash(repo, 'x')
    expect(await openHere(repo)).toEqual([plan.id])
  })

  byNight('stacked branches, squashed one by one', async () => {
    const repo = makeRepo()
    const made: string[] = []
    for (const [at, name] of ['a', 'b', 'c'].entries()) {
      branch(repo, name, at === 0 ? 'main' : (['a', 'b'][at - 1] as string))
      const { id, parents } = await handOver(repo)
      expect(parents).toEqual(made.slice(-1))
      made.push(id)
    }
    for (const [at, name] of ['a', 'b', 'c'].entries()) {
      repo.git(['switch', '-q', 'main'])
      repo.git(['merge', '-q', '--squash', name])
      repo.git(['commit', '-q', '-m', `${name} (#${at})`])
      const known = await states(repo)
      expect(made.map((id) => known.get(id))).toEqual(made.map((_, one) => (one <= at ? 'landed' : 'open')))
      repo.git(['branch', '-q', '-D', name])
      const next = ['b', 'c'][at]
      if (next === undefined) continue
      repo.git(['switch', '-q', next])
      repo.git(['merge', '-q', '-X', 'ours', '--no-edit', 'main'])
      expect(await openHere(repo)).toEqual([made[at + 1]])
    }
    expect(await openHere(repo)).toEqual([])
  })
})
