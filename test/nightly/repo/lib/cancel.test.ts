import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createBrief, type Surroundings } from '../../../../src/index.ts'
import { chain, readBrief } from '../../../../src/lib/library.ts'
import { isAlive } from '../../../is-alive.ts'
import { NOW } from '../../../repo/cli.ts'
import { fakeAgent } from '../../../repo/fake-agent.ts'
import type { TempRepo } from '../../../repo/make-repo.ts'
import { moves, until } from '../../../repo/moment.ts'
import { GOAL, headOf, usual } from '../../../repo/usual.ts'
import { wholeLines } from '../../../whole-lines.ts'

const at = (repo: TempRepo) => ({ cwd: repo.root, env: repo.env, home: repo.home, now: () => NOW })

/** What a call comes to: null for its result, else what it rejects with. */
const endOf = (call: Promise<unknown>): Promise<Error | null> =>
  call.then(
    () => null,
    (error) => error,
  )

const isCancel = expect.objectContaining({ name: 'AbortError', message: 'Handoff cancelled' })

/** Names of what must not be left of a handoff that did not happen. */
function leftIn(repo: TempRepo): string[] {
  const names = readdirSync(join(repo.root, '.git'), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => /\.lock$|^handoff\/(?:aside|made|index|ref|queue|run)\./.test(name))
}

describe('an aborted call', () => {
  it('does nothing when it is aborted beforehand, whatever the reason', async () => {
    const repo = usual()
    for (const reason of [undefined, 'no', new Error('why'), null])
      for (const call of [
        (around: Surroundings) => createBrief({ ...around, goal: GOAL }),
        readBrief,
        chain,
      ]) {
        const error = await endOf(call({ ...at(repo), signal: AbortSignal.abort(reason) }))
        expect(error).toEqual(isCancel)
        expect(error).toBeInstanceOf(DOMException)
        if (reason !== undefined) expect(error?.cause).toBe(reason)
      }
    expect(existsSync(join(repo.root, '.git/handoff'))).toBe(false)
  })

  it.each(['status', 'cat-file', 'check-ignore', 'commit-tree'])(
    'ends a git %s that hangs',
    async (command) => {
      const repo = usual()
      const bin = join(repo.base, 'bin')
      const pid = join(repo.base, 'pid')
      mkdirSync(bin)
      const real = repo.env.PATH ?? ''
      writeFileSync(
        join(bin, 'git'),
        `#!/bin/sh\nfor one; do\n  if [ "$one" = ${command} ]; then echo $$ >>'${pid}'; exec sleep 60; fi\ndone\nPATH='${real}' exec git "$@"\n`,
      )
      chmodSync(join(bin, 'git'), 0o755)
      const head = headOf(repo)
      const controller = new AbortController()
      const env = { ...repo.env, PATH: `${bin}:${real}` }
      const end = endOf(createBrief({ ...at(repo), env, goal: GOAL, signal: controller.signal }))
      await until(() => wholeLines(pid).length > 0, end)
      controller.abort()
      expect(await end).toEqual(isCancel)
      for (const one of wholeLines(pid)) await expect.poll(() => isAlive(Number(one))).toBe(false)
      expect(leftIn(repo)).toEqual([])
      expect(headOf(repo)).toBe(head)
      expect(repo.git(['status', '--porcelain'])).toBe('')
    },
  )

  it('ends a model that is asked', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { hangs: true })
    const controller = new AbortController()
    const env = { ...repo.env, ...fake.env }
    const asked = { ...at(repo), env, goal: GOAL, extract: 'agent', signal: controller.signal }
    const end = endOf(createBrief(asked))
    await until(() => fake.seen() !== null, end)
    controller.abort()
    expect(await end).toEqual(isCancel)
    expect(() => process.kill(fake.seen()?.pid ?? 0, 0)).toThrow('ESRCH')
    expect(leftIn(repo)).toEqual([])
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  it('lets a git that writes the configuration finish: one that is ended before it knows its lock leaves it', async () => {
    const repo = usual()
    const bin = join(repo.base, 'bin')
    const inside = join(repo.base, 'inside')
    mkdirSync(bin)
    const real = repo.env.PATH ?? ''
    const lock = join(repo.root, '.git/config.lock')
    const slow = `: >'${lock}'; : >'${inside}'; sleep 0.3; rm '${lock}'`
    writeFileSync(
      join(bin, 'git'),
      `#!/bin/sh\nfor one; do\n  if [ "$one" = --replace-all ]; then ${slow}; fi\ndone\nPATH='${real}' exec git "$@"\n`,
    )
    chmodSync(join(bin, 'git'), 0o755)
    const head = headOf(repo)
    const controller = new AbortController()
    const env = { ...repo.env, PATH: `${bin}:${real}` }
    const end = endOf(createBrief({ ...at(repo), env, goal: GOAL, signal: controller.signal }))
    await until(() => existsSync(inside), end)
    controller.abort()
    expect(await end).toEqual(isCancel)
    expect(leftIn(repo)).toEqual([])
    expect(headOf(repo)).toBe(head)
    expect(repo.git(['config', 'filter.handoff.clean'])).not.toBe('')
  })

  it.each([
    ['on the branch', {}],
    ['beside the branch', { branch: 'separate' }],
  ] as const)('returns the brief when it was made before the signal came, %s', async (_, options) => {
    const repo = usual()
    const isMoved = moves(repo)
    const controller = new AbortController()
    const { signal } = controller
    const making = createBrief({ ...at(repo), ...options, goal: GOAL, signal })
    await until(isMoved, making)
    controller.abort()
    const brief = await making
    expect(brief.id).toMatch(/^\d{8}T/)
    expect(repo.git(['show', `${brief.commit}:${brief.path}`])).toBe(brief.markdown.trimEnd())
    expect(repo.git(['status', '--porcelain'])).toBe('')
    expect(leftIn(repo)).toEqual([])
  })

  it('at any moment leaves nothing, or the whole brief', async () => {
    // The first loads what later ones have.
    await createBrief({ ...at(usual()), goal: GOAL })
    const whole = async (repo: TempRepo) => {
      const begun = performance.now()
      await createBrief({ ...at(repo), goal: GOAL })
      return performance.now() - begun
    }
    let quickest = await whole(usual())
    const STEPS = 16
    let cancelled = 0
    for (let step = 0; step < STEPS; step++) {
      const repo = usual()
      const head = headOf(repo)
      const controller = new AbortController()
      const timer = setTimeout(() => controller.abort(), (quickest * step) / STEPS)
      const error = await endOf(createBrief({ ...at(repo), goal: GOAL, signal: controller.signal }))
      clearTimeout(timer)
      const briefs = join(repo.root, '.handoff/briefs')
      const count = existsSync(briefs) ? readdirSync(briefs).length : 0
      expect(leftIn(repo)).toEqual([])
      expect(repo.git(['status', '--porcelain'])).toBe('')
      expect(repo.tryGit(['fsck', '--strict']).status).toBe(0)
      if (error === null) expect([count, headOf(repo) === head]).toEqual([1, false])
      else {
        cancelled++
        expect(error).toEqual(isCancel)
        expect([count, headOf(repo)]).toEqual([0, head])
      }
      const took = await whole(repo)
      // A call that finds its brief made has less to do.
      if (error !== null) quickest = Math.min(quickest, took)
      expect(readdirSync(briefs)).toHaveLength(1)
    }
    // Else the signal came too late each time, and nothing was seen.
    expect(cancelled).toBeGreaterThan(3)
  })
})
