import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, describeByNight, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { cloneOf, makeEnv, type TempRepo } from '../make-repo.ts'
import { done, pushed } from '../remote/team.ts'
import { AGENT, GOAL, later, made, usual } from '../usual.ts'
import { commandsIn, follow } from './hinted.ts'

const show = async (repo: TempRepo) => (await cli(repo, ['show', '--json'])).json

/** A key of one's own in `home/.ssh`, by which git signs every commit, and no list of signers. */
function withKey(repo: TempRepo): string {
  const key = join(repo.home, '.ssh/id_ed25519')
  mkdirSync(join(repo.home, '.ssh'), { recursive: true })
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'dev', '-f', key])
  return key
}
function signsWith(repo: TempRepo, key: string): void {
  repo.git(['config', '--global', 'gpg.format', 'ssh'])
  repo.git(['config', '--global', 'commit.gpgSign', 'true'])
  repo.git(['config', '--global', 'user.signingKey', key])
}

describe('U-M10: the second machine of one person', () => {
  it.each(sampled(['~/.ssh/id_ed25519', '~/.ssh/id_ed25519.pub'], 1))(
    'asks nothing about a brief that was signed by the own key, given as %s',
    async (named) => {
      const desk = usual()
      withKey(desk)
      signsWith(desk, named)
      await made(desk)
      const laptop = cloneOf(desk, { name: 'laptop' })
      expect(await show(laptop)).toMatchObject({ trusted: false })
      cpSync(join(desk.home, '.ssh'), join(laptop.home, '.ssh'), { recursive: true })
      laptop.git(['config', '--global', 'user.signingKey', named])
      expect(await show(laptop)).toMatchObject({ trusted: true, because: 'its commit is well signed' })
      expect((await cli(laptop, ['show'], AGENT)).stdout).toContain(GOAL)
    },
  )

  byNight(
    'takes neither name nor e-mail, nor the key of somebody else, nor one that the branch brings',
    async () => {
      const desk = usual()
      const key = withKey(desk)
      signsWith(desk, key)
      await made(desk)
      // Same name and e-mail, which makeEnv gives to everybody.
      const other = cloneOf(desk, { name: 'other' })
      withKey(other)
      signsWith(other, '~/.ssh/id_ed25519')
      expect(await show(other)).toMatchObject({ trusted: false })
      cpSync(`${key}.pub`, join(other.root, 'id.pub'))
      other.git(['config', '--global', 'user.signingKey', join(other.root, 'id.pub')])
      expect(await show(other)).toMatchObject({ trusted: false })
    },
  )

  byNight('trusts origin once, by the line that status and show print, and is asked no more', async () => {
    const { ann, bob, id } = await pushed()
    await done(bob, ['open', 'feature/queue'])
    const line = `Read it, then: \`git handoff trust ${id}\`, or for every brief on branches of origin: \`git handoff trust --origin\``
    expect((await cli(bob, ['status'])).stdout).toContain(line)
    expect((await cli(bob, ['show'])).stderr).toContain(line)
    const command = commandsIn(line).at(-1) ?? ''
    expect(await follow(bob, command)).toMatchObject({ code: 0 })
    expect(await show(bob)).toMatchObject({ trusted: true })
    ann.commit('more work', { 'src/queue.ts': 'xxx\n' })
    const next = await made(ann, ['--from', 'git'], { now: later(10) })
    await done(ann, ['push'])
    expect(await done(bob, ['pull'])).toMatchObject({ brief: { id: next.id, trusted: true } })
  })
})

describeByNight('an agent and a stranger’s brief', () => {
  byNight('sees no word of it before trust, whatever it calls', async () => {
    const desk = usual()
    const { id } = await made(desk)
    desk.commit('later', { 'src/queue.ts': 'xx\n' })
    const second = await made(desk, ['--from', 'git'], { now: later(5) })
    const clone = cloneOf(desk, { env: makeEnv(join(desk.base, 'their-home')) })
    const calls = [
      ['show'],
      ['show', id],
      ['show', second.path],
      ['show', '--raw'],
      ['show', '--json'],
      ['show', '--inline'],
      ['show', '--prompt'],
      ['show', '--section', 'goal'],
      ['diff'],
      ['diff', id, second.id],
      ['status'],
      ['status', '--json'],
      ['log'],
      ['log', '--all', '--json'],
      ['log', '--graph'],
      ['verify'],
      ['verify', '--json'],
      ['log', '--html', '-'],
      ['receipt'],
      ['ask', 'retry queue'],
      ['why', 'src/queue.ts'],
      ['check'],
      ['resume'],
      ['resume', '--dry-run'],
      ['trust'],
      ['sessions'],
      [],
    ]
    for (const argv of sampled(calls, 3)) {
      const { stdout, stderr } = await cli(clone, argv, AGENT)
      expect(stdout + stderr, argv.join(' ')).not.toContain('retry queue and')
    }
    const { code, json } = await cli(clone, ['show', '--json'], AGENT)
    expect({ code, error: json.errors[0].code }).toEqual({ code: 2, error: 'E_NOT_TRUSTED' })
    const [command = ''] = commandsIn(json.errors[0].hint)
    expect(await follow(clone, command)).toMatchObject({ code: 0 })
    expect((await cli(clone, ['show'], AGENT)).stdout).toContain(GOAL)
    // A person reads it as before.
    expect((await cli(clone, ['show', id])).stdout).toContain(GOAL)
  })
})

describe('TL-8: a brief that was edited by hand', () => {
  it('says on the machine of its author which commit edited it', async () => {
    const repo = usual()
    const { path, id } = await made(repo)
    repo.write(path, repo.read(path).replace(GOAL, `${GOAL} today`))
    expect(await show(repo)).toMatchObject({ because: 'the file differs from the commit' })
    repo.git(['commit', '-q', '-a', '-m', 'word the goal better'])
    repo.commit('later', { 'b.txt': 'b\n' })
    const by = repo.git(['rev-parse', '--short=12', 'HEAD~1'])
    const because = `it was edited after its commit, by ${by}`
    expect(await show(repo)).toMatchObject({ trusted: false, because })
    expect((await cli(repo, ['trust', id, '--json'])).json).toMatchObject({ trusted: true })
    expect(await show(cloneOf(repo))).toMatchObject({ because: 'it was not made in this clone' })
  })
})
