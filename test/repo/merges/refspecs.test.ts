import { describe, expect, it, vi } from 'vitest'
import { byNight } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { cloneOf, type TempRepo } from '../make-repo.ts'
import { AGENT, made, usual } from '../usual.ts'

const asked = vi.fn<(question: { message: string }) => unknown>()
vi.mock('@clack/prompts', () => ({
  select: (question: { message: string }) => asked(question),
  isCancel: () => false,
}))

const REFSPEC = '+refs/heads/handoff/*:refs/remotes/origin/handoff/*'
const INIT = ['init', '--agent', 'claude-code', '--git-hooks', 'none']

/** A repository whose briefs stand on branches of their own, and a clone of it. */
async function cloned(args: string[] = []): Promise<{ origin: TempRepo; clone: TempRepo; id: string }> {
  const origin = usual()
  origin.commit('configure', { '.handoff/config.yaml': 'commit:\n  branch: separate\n' })
  const { id } = await made(origin, [], AGENT)
  return { origin, clone: cloneOf(origin, { args, env: origin.env }), id }
}

const fetchSpecs = (repo: TempRepo) => repo.git(['config', '--get-all', 'remote.origin.fetch']).split('\n')
const configOf = (repo: TempRepo) => repo.read('.git/config')

describe('init --refspecs', () => {
  it('adds one line for fetching to a clone of a single branch, none for pushing; --remove takes it out', async () => {
    const { clone, id } = await cloned(['--depth=1'])
    const before = configOf(clone)
    expect(fetchSpecs(clone)).toEqual(['+refs/heads/main:refs/remotes/origin/main'])
    const first = await cli(clone, [...INIT, '--refspecs'])
    expect(first.stdout).toContain("git push origin 'refs/heads/handoff/*'")
    expect(fetchSpecs(clone)).toEqual(['+refs/heads/main:refs/remotes/origin/main', REFSPEC])
    expect(clone.tryGit(['config', '--get-all', 'remote.origin.push']).stdout).toBe('')
    clone.git(['fetch', '-q'])
    expect((await cli(clone, ['show', '--json'])).json).toMatchObject({ id })
    const again = configOf(clone)
    await cli(clone, [...INIT, '--refspecs'])
    expect(configOf(clone)).toBe(again)
    const removed = await cli(clone, ['init', '--remove'])
    expect(removed.stdout).toContain('remote.origin.fetch')
    expect(configOf(clone)).toBe(before)
  })

  it('adds nothing where fetch brings them already, nor without a remote', async () => {
    const { origin, clone } = await cloned()
    const before = fetchSpecs(clone)
    const told = await cli(clone, [...INIT, '--refspecs'])
    expect(fetchSpecs(clone)).toEqual(before)
    expect(told.stdout).not.toContain('remote.origin.fetch')
    const alone = await cli(origin, [...INIT, '--refspecs', '--json'])
    expect(alone.json.warnings.join()).toContain('there is no remote origin')
  })

  it('leaves a line that somebody else put there', async () => {
    const { clone } = await cloned(['--depth=1'])
    clone.git(['config', '--add', 'remote.origin.fetch', REFSPEC])
    await cli(clone, [...INIT, '--refspecs'])
    await cli(clone, ['init', '--remove'])
    expect(fetchSpecs(clone)).toContain(REFSPEC)
  })

  byNight('is offered to a person, told to everybody else, and never done unasked', async () => {
    const { clone } = await cloned(['--depth=1'])
    const quiet = await cli(clone, [...INIT, '--yes'])
    expect(quiet.stderr).toContain('`git handoff init --refspecs`')
    expect(asked).not.toHaveBeenCalled()
    const answer = (fetch: 'yes' | 'no'): void =>
      void asked.mockImplementation(({ message }) => (message.includes('Fetch them') ? fetch : 'yes'))
    answer('no')
    const argv = [...INIT, '--ci', 'none']
    await cli(clone, argv, { isTTY: true })
    expect(asked.mock.calls.filter(([{ message }]) => message.includes('Fetch them'))).toHaveLength(1)
    expect(fetchSpecs(clone)).not.toContain(REFSPEC)
    answer('yes')
    await cli(clone, argv, { isTTY: true })
    expect(fetchSpecs(clone)).toContain(REFSPEC)
  })

  byNight('a plain git push goes on pushing what it did, and the briefs go by name', async () => {
    const { origin, clone } = await cloned(['--depth=1'])
    await cli(clone, [...INIT, '--refspecs'])
    clone.git(['fetch', '-q'])
    clone.git(['add', '-A'])
    clone.git(['commit', '-q', '-m', 'set up'])
    const plain = clone.git(['push', '--dry-run', '--porcelain'])
    expect(plain).toContain('refs/heads/main:refs/heads/main')
    expect(plain).not.toContain('handoff/')
    clone.git(['branch', 'handoff/main', 'origin/handoff/main'])
    const named = clone.git(['push', '--dry-run', '--porcelain', 'origin', 'refs/heads/handoff/*'])
    expect(named).toContain('refs/heads/handoff/main:refs/heads/handoff/main')
    expect(named).not.toContain('refs/heads/main:refs/heads/main')
    // Why no line for pushing is set: with one, the branch that is checked out is no longer pushed.
    clone.git(['config', 'remote.origin.push', 'refs/heads/handoff/*:refs/heads/handoff/*'])
    expect(clone.git(['push', '--dry-run', '--porcelain'])).not.toContain('refs/heads/main:refs/heads/main')
    expect(origin.git(['rev-parse', 'main'])).not.toBe(clone.git(['rev-parse', 'main']))
  })
})
