import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { createFakes } from '../../unit/secrets/fake.ts'
import { writeClaudeSession } from '../claude-session.ts'
import { type CliOptions, cli } from '../cli.ts'
import { fakeAgent } from '../fake-agent.ts'
import type { TempRepo } from '../make-repo.ts'
import { GOAL, later } from '../usual.ts'
import { makeTeam, PAGE, type Team } from './team.ts'

const fakes = createFakes(Date.now())
const SHAPES = ['ghp_{A-Za-z0-9:36}', 'glpat-{A-Za-z0-9:20}', 'npm_{A-Za-z0-9:36}', 'AKIA{A-Z2-7:16}']

/** Two people of whom one has begun a branch with a key in its name; `leaks` gathers what tells it, and how often something was told. */
async function begin(shape: string) {
  const team = await makeTeam()
  const token = fakes.make(shape)
  const branch = `feature/${token}`
  const leaks: string[] = []
  let minute = 0
  team.ann.git(['switch', '-q', '-c', branch])
  const run = async (repo: TempRepo, argv: string[], options: CliOptions = {}) => {
    const forms = argv[0] === 'hook' ? [[]] : [[], ['--json']]
    for (const json of forms) {
      let told = ''
      const out = await cli(repo, [...argv, ...json], { now: later(minute++), ...options })
      told += out.stdout + out.stderr
      if (told.includes(token))
        leaks.push(`${[...argv, ...json].join(' ')}: ${told}`.replaceAll(token, '<key>'))
    }
  }
  return { ...team, token, branch, leaks, run }
}

/** From the first push to the first pull. */
async function handOver({ ann, bob, branch, run }: Begun): Promise<void> {
  await run(ann, ['note', '--next-step', 'go on'])
  await run(ann, ['create', GOAL])
  await run(ann, ['push', '--dry-run'])
  await run(ann, ['push'])
  await run(bob, ['open', `${PAGE}/tree/${branch}`])
  await run(bob, ['pull'])
}
type Begun = Team & Awaited<ReturnType<typeof begin>>

describe('a key in the name of a branch', () => {
  it('S-10: stands in nothing that asks an agent for its page, nor in the answer to why of a file', async () => {
    const { ann, branch, token, run, leaks } = await begin('ghp_{A-Za-z0-9:36}')
    const file = `src/${token}.ts`
    ann.commit('theirs', { [file]: 'x\n' })
    writeClaudeSession(ann, [{ user: 'Fix the queue.' }, { says: 'I begin.' }], { branch })
    await run(ann, ['request', '--via', 'print'])
    await run(ann, ['why', `${file}:1`])
    expect(leaks).toEqual([])
  })

  byNight.each(sampled(SHAPES, 1))(
    'stands in nothing that push, open, pull and note tell (%s)',
    async (shape) => {
      const begun = await begin(shape)
      await handOver(begun)
      expect(begun.bob.git(['symbolic-ref', '--short', 'HEAD'])).toBe(begun.branch)
      expect(begun.leaks).toEqual([])
    },
  )

  byNight.each(SHAPES)('stands in nothing that any command tells that moves work (%s)', async (shape) => {
    const begun = await begin(shape)
    const { ann, bob, hub, token, branch, run, leaks } = begun
    const git = (goal: string, ...more: string[]) => ['create', `${GOAL} ${goal}`, '--from', 'git', ...more]
    await handOver(begun)
    await run(ann, git('apart', '--branch', 'separate'))
    await run(ann, ['note', '--list'])
    await run(ann, ['push'])
    bob.git(['switch', '-q', 'main'])
    bob.git(['branch', '-qD', branch])
    writeFileSync(join(bob.root, 'src/queue.ts'), 'dirty\n')
    await run(bob, ['open', branch])
    bob.git(['checkout', '-q', '.'])
    await run(bob, ['open', branch, '--worktree', `../bob-${token}`])
    await run(bob, ['open', branch])
    bob.git(['worktree', 'remove', '--force', `../bob-${token}`])
    await run(bob, ['open', `origin/${branch}-x`])
    await run(bob, ['open', `${PAGE}/tree/${branch}-x`])
    await run(bob, ['open', branch])
    ann.commit('more yet', { 'src/a.ts': 'a\n' })
    await run(ann, git('again'))
    await run(ann, ['push'])
    await run(bob, ['pull'])
    await run(bob, ['trust', '--origin'])
    const { env } = fakeAgent(bob, 'codex')
    await run(bob, ['resume', '--to', 'codex', '--headless'], { env })
    await run(bob, git('for codex', '--to', 'codex', '--headless'), { env })
    await run(bob, ['open', branch, '--to', 'codex', '--headless'], { env })
    await run(bob, ['resume', '--print', '--to', 'codex'])
    await run(bob, ['request', 'codex'])
    await run(bob, ['await', '--timeout', '1s'])
    await run(bob, ['switch', '--to', 'codex', '--headless', '--timeout', '1s'], { env })
    ann.commit('ann', { 'src/ann.ts': 'a\n' })
    await run(ann, ['push'])
    bob.commit('bob', { 'src/bob.ts': 'a\n' })
    for (const verb of ['push', 'pull']) await run(bob, [verb])
    for (const words of [
      [],
      ['why', 'src/queue.ts:1'],
      ['ask', 'retry queue'],
      ['status'],
      ['sessions'],
      ['doctor'],
    ])
      await run(bob, words)
    await run(bob, ['log', '--html', join(bob.base, 'log.html')])
    for (const verb of ['review', 'log']) await run(bob, [verb, `main..${branch}-x`])
    const head = bob.git(['rev-parse', 'HEAD'])
    const refs = `refs/heads/${branch} ${head} refs/heads/${branch} ${'0'.repeat(40)}\n`
    for (const event of ['post-checkout', 'post-merge', 'post-rewrite', 'pre-push', 'pre-commit'])
      await run(bob, ['hook', event, '--', 'origin', 'HEAD', '1'], { stdin: refs })
    for (const event of ['session-start', 'prompt', 'stop', 'pre-compact', 'session-end']) {
      const stdin = JSON.stringify({ session_id: 'x', cwd: bob.root, source: 'startup', prompt: 'hm' })
      await run(bob, ['hook', event, '--agent', 'claude-code'], { stdin })
    }
    bob.git(['switch', '-q', '--detach'])
    for (const words of [git('detached'), ['status'], ['push'], ['doctor']]) await run(bob, words)
    bob.git(['switch', '-q', '-c', 'other'])
    bob.git(['branch', '-q', `--set-upstream-to=origin/${branch}`])
    await run(bob, ['note', '--next-step', 'go on'])
    for (const words of [git('elsewhere'), ['status'], ['push'], ['pull']]) await run(bob, words)
    bob.git(['switch', '-q', branch])
    await run(bob, ['note', '--next-step', 'go on'])
    bob.git(['switch', '-q', 'other'])
    await run(bob, git('without the notes of the other branch'))
    bob.git(['switch', '-q', branch])
    bob.tryGit(['rebase', '-q', '--exec', 'false', 'HEAD~1'])
    for (const words of [git('in a rebase'), ['status'], ['doctor'], ['open', branch], ['push']])
      await run(bob, words)
    bob.tryGit(['rebase', '--abort'])
    for (const words of [['done', 'shipped'], ['prune', '--keep', '0'], ['log'], ['status']])
      await run(bob, words)
    hub.git(['update-ref', '-d', `refs/heads/${branch}`])
    for (const repo of [ann, bob]) await run(repo, ['pull'])
    rmSync(hub.root, { recursive: true })
    for (const verb of ['pull', 'push']) await run(bob, [verb])
    expect(leaks).toEqual([])
  })
})
