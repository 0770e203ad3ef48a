import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../../../repo/cli.ts'
import { doctor } from '../../../repo/doctor-world.ts'
import { cases, forked } from '../../../repo/git/operation-cases.ts'
import { follow } from '../../../repo/life/hinted.ts'
import { emptyRepo, feature, handOff, log, told } from '../../../repo/life/line-of-work.ts'
import { prepared, type TempRepo } from '../../../repo/make-repo.ts'
import { later, succeeded } from '../../../repo/usual.ts'
import { sampled } from '../../../sampled.ts'

const LATEST = '.handoff/latest.md'
const FIRST = 'carry on with the first piece of work'
const SECOND = 'resolve the conflict and finish the operation'

/** A handoff of what git tells, so many minutes after the others. */
const create = async (repo: TempRepo, goal: string, minutes: number) =>
  succeeded(await cli(repo, ['create', goal, '--json', '--from', 'git'], { now: later(minutes) }))

/** A repository with two branches, and a brief on the one that is checked out. */
const begun = prepared(async () => {
  const repo = forked()
  await create(repo, FIRST, 1)
  return repo
})

/** Every command that names the brief which is open here, or refreshes the copy. */
const COMMANDS = [
  ['status'],
  ['show'],
  ['log'],
  ['note', '--next-step', 'go on'],
  ['verify'],
  ['diff'],
  ['review', 'HEAD~1..HEAD'],
  ['ask', 'what about the conflict?'],
  ['sessions'],
  ['await'],
  ['resume', '--dry-run'],
  ['resume', '--to', 'codex', '--print'],
  ['prune', '--keep', '1', '--dry-run'],
  ['trust'],
  ['request', '--cancel', '20261122T000000-00000000'],
]

/** Whatever is asked, it is that brief. */
async function expectCurrent(repo: TempRepo, id: string, goal: string, commands = COMMANDS): Promise<void> {
  // Where the operation stands on a commit without it, it stays away: git would stumble over it.
  const isThere = existsSync(join(repo.root, LATEST))
  for (const argv of commands) {
    await cli(repo, argv, { now: later(500) })
    if (isThere) expect(repo.read(LATEST), argv.join(' ')).toContain(`id=${id}`)
    else expect(existsSync(join(repo.root, LATEST)), argv.join(' ')).toBe(false)
  }
  expect((await cli(repo, ['show', '--json'])).json.id).toBe(id)
  expect((await cli(repo, ['status', '--json'])).json.brief).toMatchObject({ id, open: true })
  expect((await cli(repo, ['verify', '--json'])).json).toMatchObject({ id })
  expect(await log(repo)).toMatchObject({ [id]: 'open' })
  const own = succeeded(await cli(repo, ['log', '--json']))
  expect(own).toMatchObject({ current: id, parked: expect.arrayContaining([id]) })
  expect(own.briefs.map((brief: { id: string }) => brief.id)).toContain(id)
  expect(await told(repo)).toContain(goal)
}

describe('a brief that is parked', () => {
  it.each(sampled(Object.entries(cases), 2))(
    'G2: is the current one of its branch: %s',
    async (_, { begin }) => {
      const repo = await begun()
      repo.commit('main three', { 'a.txt': 'three\n' })
      repo.commit('main four', { 'd.txt': 'd\n' })
      begin(repo)
      const made = await create(repo, SECOND, 2)
      expect(made).toMatchObject({ commit: null, branch: 'main', parked: `refs/handoff/${made.id}` })
      await expectCurrent(repo, made.id, SECOND, COMMANDS.slice(0, 4))
    },
  )

  it('G2: is the current one for every command', async () => {
    const repo = await begun()
    cases['merge with conflict']?.begin(repo)
    const made = await create(repo, SECOND, 2)
    await expectCurrent(repo, made.id, SECOND)
    // A second one follows it.
    const next = await create(repo, `${SECOND} today`, 3)
    expect(next.parents).toEqual([made.id])
    await expectCurrent(repo, next.id, `${SECOND} today`)
    expect(await log(repo)).toMatchObject({ [made.id]: 'followed' })
    const done = succeeded(await cli(repo, ['done', 'given up', '--json'], { now: later(4) }))
    expect(done.parents).toEqual([next.id])
    expect((await cli(repo, ['status', '--json'])).json.brief).toMatchObject({ id: done.id, open: false })
    expect(repo.read(LATEST)).toContain('No brief is open here.')
    expect(await told(repo)).not.toContain(SECOND)
    cases['merge with conflict']?.proceed(repo)
    const after = await create(repo, 'begin something new after the merge', 5)
    expect(after.parents).toEqual([])
    for (const one of [made, next, done])
      expect(repo.git(['ls-tree', '-r', '--name-only', 'HEAD', '.handoff'])).toContain(one.path)
  })

  it('G2: comes before the brief of the branch this one grew from, which HEAD itself carries', async () => {
    const repo = emptyRepo()
    const before = await feature(repo, 1)
    repo.git(['switch', '-q', '-c', 'side', 'main'])
    repo.commit('side', { 'b.txt': 'side\n' })
    repo.git(['switch', '-q', '-c', 'agent/x', 'feature/birch'])
    expect(await told(repo)).toContain(before.brief.goal)
    repo.git(['merge', '-q', '--no-commit', '--no-ff', 'side'])
    const made = await create(repo, SECOND, 300)
    expect(made).toMatchObject({ commit: null, parents: [before.id], branch: 'agent/x' })
    await expectCurrent(repo, made.id, SECOND, COMMANDS.slice(0, 4))
  })

  it('G2: comes before the brief at the tip that a rebase goes onto', async () => {
    const repo = emptyRepo()
    await feature(repo, 1)
    repo.git(['switch', '-q', 'main'])
    repo.commit('theirs', { 'src/birch.ts': 'theirs\n' })
    await handOff(repo, 2)
    expect(repo.tryGit(['rebase', '-q', 'main', 'feature/birch']).status).not.toBe(0)
    const made = await create(repo, SECOND, 300)
    expect(made).toMatchObject({ commit: null, branch: 'feature/birch' })
    await expectCurrent(repo, made.id, SECOND, COMMANDS.slice(0, 4))
  })

  it('G2: is the current one of a detached HEAD, where that was made', async () => {
    const repo = await begun()
    repo.commit('main three', { 'a.txt': 'three\n' })
    repo.git(['checkout', '-q', '--detach'])
    repo.commit('detached', { 'd.txt': 'd\n' })
    expect(repo.tryGit(['merge', 'side']).status).not.toBe(0)
    const made = await create(repo, SECOND, 2)
    expect(made).toMatchObject({ commit: null, branch: null })
    await expectCurrent(repo, made.id, SECOND, COMMANDS.slice(0, 4))
    repo.git(['merge', '--abort'])
    repo.git(['checkout', '-q', '--detach', 'side'])
    expect(await told(repo)).not.toContain(SECOND)
  })

  /** On a branch with a commit of its own, in a merge that is given up again. */
  async function parkedOn(branch: string) {
    const repo = await begun()
    repo.git(['switch', '-q', '-c', branch])
    repo.commit('own', { 'own.txt': 'own\n', 'a.txt': 'own\n' })
    expect(repo.tryGit(['merge', 'side']).status).not.toBe(0)
    const made = await create(repo, SECOND, 2)
    repo.git(['merge', '--abort'])
    return { repo, made }
  }

  it.each([['g'], ['feature/a longer name'.replaceAll(' ', '-'), 'again']])(
    'G-M10: goes on with its branch when that is renamed: %s %s',
    async (...names) => {
      const { repo, made } = await parkedOn('f')
      for (const name of names.filter((one) => one !== undefined)) repo.git(['branch', '-m', name])
      const name = names.at(-1) ?? ''
      repo.git(['branch', 'beside'])
      await expectCurrent(repo, made.id, SECOND, COMMANDS.slice(0, 4))
      repo.git(['switch', '-q', 'main'])
      expect((await cli(repo, ['status'])).stdout).toContain(`Parked: ${made.id} waits for ${name}\n`)
      // Another branch with the same commit is none that it went on as.
      repo.git(['switch', '-q', 'beside'])
      expect((await cli(repo, ['status'])).stdout).not.toContain(`Open brief: ${made.id}`)
      repo.git(['switch', '-q', name])
      const next = await create(repo, 'go on with the work under its new name', 3)
      expect(next.brief.parents).toEqual([made.id])
      expect(repo.git(['ls-tree', '-r', '--name-only', 'HEAD', '.handoff'])).toContain(made.path)
      expect(repo.git(['status', '--porcelain']) + repo.git(['for-each-ref', 'refs/handoff'])).toBe('')
    },
  )

  it('G-M10: goes on with the branch that goes on from a deleted one', async () => {
    const { repo, made } = await parkedOn('f')
    repo.git(['switch', '-q', '-c', 'g'])
    repo.git(['branch', '-q', '-D', 'f'])
    await expectCurrent(repo, made.id, SECOND, COMMANDS.slice(0, 4))
    const next = await create(repo, 'go on with the work on another branch', 3)
    expect(next.brief.parents).toEqual([made.id])
  })

  it('G-M10: of a branch that is gone for good has a command that brings it back', async () => {
    const { repo, made } = await parkedOn('it’s')
    repo.git(['switch', '-q', 'main'])
    repo.git(['branch', '-q', '-D', 'it’s'])
    const { stdout } = await cli(repo, ['status'])
    const command = `git branch 'it’s' refs/handoff/${made.id}~1`
    expect(stdout).toContain(`Parked: ${made.id} is of it’s, which is gone: \`${command}\` makes it again`)
    const { problems } = await doctor(repo)
    expect(problems).toContainEqual(expect.objectContaining({ id: 'parked', fix: command }))
    expect((await follow(repo, command)).code).toBe(0)
    repo.git(['switch', '-q', 'it’s'])
    expect((await cli(repo, ['status'])).stdout).toContain(`Open brief: ${made.id}`)
    const next = await create(repo, 'go on where the branch was deleted', 3)
    expect(next.brief.parents).toEqual([made.id])
    expect(repo.git(['for-each-ref', 'refs/handoff'])).toBe('')
  })
})
