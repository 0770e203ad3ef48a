import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, describeByNight, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { BRANCH, done, makeTeam, PAGE, pushed, refsOf, refused } from '../remote/team.ts'
import { headOf, later, made } from '../usual.ts'
import { commandsIn, follow } from './hinted.ts'

/** Where `git push` would send the branch that is checked out; null where git refuses. */
function gitPushes(repo: TempRepo): string | null {
  const { status, stdout } = repo.tryGit(['push', '--dry-run', '--porcelain'])
  const own = repo.git(['symbolic-ref', 'HEAD'])
  return status === 0 ? (new RegExp(`^[*= ]\t(?:${own}|HEAD):(\\S+)`, 'm').exec(stdout)?.[1] ?? null) : null
}

/** A local branch of another name than its upstream. */
async function renamed(config: string[][] = []) {
  const team = await pushed()
  const { bob } = team
  bob.git(['fetch', '-q'])
  bob.git(['switch', '-q', '-c', 'pr12', '--track', `origin/${BRANCH}`])
  bob.commit('review', { 'src/api.ts': 'reviewed\n' })
  for (const pair of config) bob.git(['config', ...pair])
  return team
}

describe('G-M8: push goes where git push goes', () => {
  it.each(
    sampled(
      [
        ['simple, which is the default', []],
        ['current', [['push.default', 'current']]],
        ['upstream', [['push.default', 'upstream']]],
        ['tracking, its old name', [['push.default', 'tracking']]],
        ['nothing', [['push.default', 'nothing']]],
        ['a refspec for every branch', [['remote.origin.push', 'refs/heads/*:refs/heads/bob/*']]],
        ['a refspec of HEAD', [['remote.origin.push', 'HEAD']]],
        ['a refspec for HEAD', [['remote.origin.push', '+HEAD:refs/heads/review/bob']]],
        ['a refspec for review', [['remote.origin.push', 'HEAD:refs/for/main']]],
        ['a refspec for other branches', [['remote.origin.push', 'refs/heads/rel/*:refs/heads/rel/*']]],
        [
          'two refspecs',
          [
            ['remote.origin.push', 'refs/heads/rel/*:refs/heads/*'],
            ['--add', 'remote.origin.push', 'refs/heads/pr12:refs/heads/twelve'],
          ],
        ],
        ['a push remote of the branch', [['branch.pr12.pushRemote', 'fork']]],
        ['a push remote for all', [['remote.pushDefault', 'fork']]],
        [
          'a push remote and upstream',
          [
            ['branch.pr12.pushRemote', 'fork'],
            ['push.default', 'upstream'],
          ],
        ],
      ] as [string, string[][]][],
      2,
    ),
  )('%s', async (_, config) => {
    const { bob, hub } = await renamed(config)
    const fork = join(bob.base, 'fork.git')
    bob.git(['clone', '-q', '--bare', hub.root, fork])
    bob.git(['remote', 'add', 'fork', fork])
    const wanted = gitPushes(bob)
    const before = refsOf(hub)
    const there = () => ['origin', 'fork'].map((remote) => bob.git(['ls-remote', remote])).join('\n')
    if (wanted !== null) {
      expect((await done(bob, ['push'])).pushed[0].ref).toBe(wanted)
      expect(there()).toContain(`${headOf(bob)}\t${wanted}`)
      return
    }
    const { code, hint } = await refused(bob, ['push'])
    expect(code).toBe('E_NO_BRANCH')
    expect(refsOf(hub)).toBe(before)
    // Every command of the hint does what it says.
    for (const command of commandsIn(hint)) expect(await follow(bob, command)).toMatchObject({ code: 0 })
    expect(there()).toContain(headOf(bob))
  })

  it('matching: by its own name', async () => {
    const { ann } = await makeTeam()
    ann.git(['config', 'push.default', 'matching'])
    expect((await done(ann, ['push'])).pushed).toEqual([{ ref: `refs/heads/${BRANCH}`, state: 'new' }])
  })

  byNight.each(sampled(['simple', 'upstream', 'current'], 1))(
    'a branch begun at the trunk goes by its own name: %s',
    async (way) => {
      const { bob } = await pushed()
      bob.git(['config', 'push.default', way])
      bob.git(['switch', '-q', '-c', 'topic/lime', '--track', 'origin/main'])
      bob.commit('lime')
      expect((await refused(bob, ['pull'])).hint).toContain('`git handoff push`')
      expect((await done(bob, ['push'])).pushed).toEqual([{ ref: 'refs/heads/topic/lime', state: 'new' }])
      expect((await cli(bob, ['pull'])).stdout).toBe('Nothing new on topic/lime of origin.\n')
    },
  )

  byNight('a trunk that HEAD of the remote names, under a name of the team’s own', async () => {
    const { ann, bob, hub } = await pushed()
    ann.git(['push', '-q', 'origin', 'main:production'])
    hub.git(['symbolic-ref', 'HEAD', 'refs/heads/production'])
    bob.git(['fetch', '-q'])
    bob.git(['remote', 'set-head', 'origin', '--auto'])
    bob.git(['switch', '-q', '-c', 'topic/lime', '--track', 'origin/production'])
    bob.commit('lime')
    expect((await done(bob, ['push'])).pushed).toEqual([{ ref: 'refs/heads/topic/lime', state: 'new' }])
  })

  byNight('a local trunk of another name than its upstream is no new branch of the remote', async () => {
    const { bob, hub } = await pushed()
    bob.git(['branch', '-q', '-m', 'main', 'master'])
    bob.commit('on the trunk')
    const before = refsOf(hub)
    expect((await refused(bob, ['push'])).hint).toContain('`git push origin HEAD:main`')
    expect(refsOf(hub)).toBe(before)
  })

  it('G-L14: a mirror is pushed whole by git, so the branch goes by name', async () => {
    const { ann, hub } = await makeTeam()
    ann.git(['config', 'remote.origin.mirror', 'true'])
    const { message, hint } = await refused(ann, ['push'])
    expect(message).toContain('origin is a mirror')
    const before = refsOf(hub)
    for (const command of commandsIn(hint)) expect(await follow(ann, command)).toMatchObject({ code: 0 })
    expect(refsOf(hub)).toBe(`refs/heads/${BRANCH} ${headOf(ann)}\n${before}`)
  })
})

describe('G-M8: pull goes where git pull goes', () => {
  byNight('to the upstream of another name, also beside a branch of its own name', async () => {
    const { ann, bob } = await renamed([['push.default', 'upstream']])
    ann.git(['push', '-q', 'origin', `${BRANCH}:refs/heads/pr12`])
    expect((await done(bob, ['push'])).pushed).toEqual([{ ref: `refs/heads/${BRANCH}`, state: 'moved' }])
    await done(ann, ['pull'])
    expect(headOf(ann)).toBe(headOf(bob))
    const head = ann.commit('later')
    await done(ann, ['push'])
    expect((await cli(bob, ['pull'])).stdout).toMatch('1 new commit on pr12 from origin.')
    expect(headOf(bob)).toBe(head)
    expect((await cli(bob, ['pull'])).stdout).toBe(`Nothing new on ${BRANCH} of origin.\n`)
  })

  it('G-L4: says that the branch is gone, and never to send merged work again', async () => {
    const { ann, bob, id } = await pushed()
    bob.git(['fetch', '-q'])
    bob.git(['switch', '-q', BRANCH])
    ann.git(['push', '-q', 'origin', '--delete', BRANCH])
    const gone = await refused(bob, ['pull'])
    expect(gone.message).toBe(`origin has no branch ${BRANCH} any more.`)
    expect(gone.hint).toContain('`git switch main`')
    ann.git(['push', '-q', 'origin', `${BRANCH}:main`])
    bob.git(['fetch', '-q', '--prune'])
    const { message, hint } = await refused(bob, ['pull'])
    expect(message).toBe(`origin has no branch ${BRANCH} any more.`)
    expect(hint).toBe(`Its work has landed, with brief ${id}. Go on from the trunk: \`git switch main\``)
    for (const command of commandsIn(hint)) expect(await follow(bob, command)).toMatchObject({ code: 0 })
  })
})

describe('G-L5: a push that comes too late', () => {
  it.each(
    sampled(
      [
        ['by its own name', BRANCH, []],
        ['by a name of its own', 'pr12', [['push.default', 'upstream']]],
      ] as [string, string, string[][]][],
      1,
    ),
  )('names at once the command that joins both sides: %s', async (_, branch, config) => {
    const { ann, bob } = await pushed()
    bob.git(['fetch', '-q'])
    bob.git(['switch', '-q', '-c', branch, '--track', `origin/${BRANCH}`])
    for (const pair of config) bob.git(['config', ...pair])
    await made(bob, ['--from', 'git'], { now: later(2) })
    ann.commit('faster')
    await done(ann, ['push'])
    const { code, hint } = await refused(bob, ['push'])
    expect({ code, hint }).toEqual({
      code: 'E_PUSH_BEHIND',
      hint: `Run \`git pull --rebase origin ${BRANCH}\`, then \`git handoff push\` again.`,
    })
    for (const command of commandsIn(hint)) expect(await follow(bob, command)).toMatchObject({ code: 0 })
  })

  byNight(
    "after one's own rebase replaces what it rewrote, unless somebody has pushed meanwhile",
    async () => {
      const { ann, bob } = await pushed()
      ann.git(['fetch', '-q'])
      ann.git(['commit', '-q', '--amend', '-m', 'said better'])
      const farTip = () => ann.git(['rev-parse', `origin/${BRANCH}`]).trim()
      const { code, message, hint } = await refused(ann, ['push'])
      expect(code).toBe('E_PUSH_BEHIND')
      expect(message).toContain(`${BRANCH} was rewritten here since it was pushed`)
      const [replace = '', bring] = commandsIn(hint)
      expect([replace, bring]).toEqual([
        `git push --force-with-lease=${BRANCH}:${farTip()} origin HEAD:${BRANCH}`,
        `git pull --rebase origin ${BRANCH}`,
      ])
      bob.git(['fetch', '-q'])
      bob.git(['switch', '-q', BRANCH])
      bob.commit('faster')
      await done(bob, ['push'])
      expect(await follow(ann, replace)).not.toMatchObject({ code: 0 })
      expect((await refused(ann, ['push'])).hint).toContain(`\`git pull --rebase origin ${BRANCH}\`, then`)
      bob.git(['reset', '-q', '--hard', 'HEAD~'])
      bob.git(['push', '-q', '--force'])
      expect(await follow(ann, replace)).toMatchObject({ code: 0 })
      expect(farTip()).toBe(headOf(ann))
    },
  )

  byNight('without own commits is a pull', async () => {
    const { ann, bob } = await pushed()
    bob.git(['fetch', '-q'])
    bob.git(['switch', '-q', BRANCH])
    ann.commit('faster')
    await done(ann, ['push'])
    const { hint } = await refused(bob, ['push'])
    expect(hint).toContain('`git handoff pull`')
    for (const command of commandsIn(hint)) expect(await follow(bob, command)).toMatchObject({ code: 0 })
  })

  it('where both sides have parted on a branch begun at the trunk, joins it with its own name', async () => {
    const { ann, bob } = await makeTeam()
    bob.git(['switch', '-q', '-c', BRANCH, '--track', 'origin/main'])
    await done(ann, ['push'])
    bob.commit('mine')
    const { code, hint } = await refused(bob, ['pull'])
    expect(code).toBe('E_PARTED')
    const [first = ''] = commandsIn(hint)
    expect(await follow(bob, first)).toMatchObject({ code: 0 })
    expect((await done(bob, ['push'])).pushed).toEqual([{ ref: `refs/heads/${BRANCH}`, state: 'moved' }])
  })
})

describeByNight('G-L17: the line for the next person', () => {
  byNight('works for a branch that is called like a brief', async () => {
    const { ann, bob, hub } = await makeTeam()
    for (const repo of [ann, bob]) repo.git(['remote', 'set-url', 'origin', hub.root])
    ann.git(['switch', '-q', '-c', '20261122T014815-1f3a9c07'])
    const { open } = await done(ann, ['push'])
    expect(open).toBe('git handoff open 20261122T014815-1f3a9c07')
    expect(await follow(bob, open)).toMatchObject({ code: 0 })
    expect(bob.git(['symbolic-ref', '--short', 'HEAD'])).toBe('20261122T014815-1f3a9c07')
    expect((await refused(bob, ['open', '20261122T990000'])).code).toBe('E_UNKNOWN_ID')
  })

  byNight('names the branch as the remote has it', async () => {
    const { bob } = await renamed([['push.default', 'upstream']])
    expect((await done(bob, ['push'])).open).toBe(`git handoff open ${PAGE}/tree/${BRANCH}`)
  })
})
