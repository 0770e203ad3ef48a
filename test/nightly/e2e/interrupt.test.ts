import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../e2e/build.ts'
import { USUAL, writeClaudeSession } from '../../repo/claude-session.ts'
import { makeRepo, type TempRepo } from '../../repo/make-repo.ts'

const GOAL = 'finish the retry queue and document its limits'

/** Runs the built program and interrupts it after `delay` ms (never, when null). */
function createInterrupted(
  repo: TempRepo,
  delay: number | null,
): Promise<{ code: number | null; ms: number }> {
  return new Promise((done) => {
    const begun = performance.now()
    const end = new Date(Date.now() - 60_000)
    writeClaudeSession(repo, USUAL, { end })
    const child = spawn(process.execPath, [join(root, 'bin/handoff.cjs'), 'create', GOAL], {
      cwd: repo.root,
      env: repo.env,
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const timer = delay === null ? undefined : setTimeout(() => child.kill('SIGINT'), delay)
    child.on('close', (code) => {
      clearTimeout(timer)
      done({ code, ms: performance.now() - begun })
    })
  })
}

function newRepo(): TempRepo {
  const repo = makeRepo()
  repo.commit('queue', { 'src/queue.ts': 'x\n', 'src/api.ts': 'y\n' })
  return repo
}

it('Ctrl-C at every phase leaves no file, no lock, no commit, or the whole brief', async () => {
  const { code, ms } = await createInterrupted(newRepo(), null)
  expect(code).toBe(0)
  let quickest = ms
  const STEPS = 14
  let cancelled = 0
  for (let step = 0; step < STEPS; step++) {
    const repo = newRepo()
    const head = repo.git(['rev-parse', 'HEAD'])
    const result = await createInterrupted(repo, (quickest * (step + 1)) / (STEPS + 1))
    const briefs = existsSync(join(repo.root, '.handoff/briefs'))
      ? readdirSync(join(repo.root, '.handoff/briefs'))
      : []
    const moved = repo.git(['rev-parse', 'HEAD']) !== head
    expect(readdirSync(join(repo.root, '.git')).filter((name) => name.endsWith('.lock'))).toEqual([])
    expect(repo.git(['status', '--porcelain'])).toBe('')
    expect(repo.tryGit(['fsck', '--strict']).status).toBe(0)
    expect(briefs.length).toBe(moved ? 1 : 0)
    // Before our handler is installed, and when node is already closing down, a signal ends node itself: then nothing has
    // happened yet, or everything has.
    expect(moved ? [0, 130, null] : [130, null]).toContain(result.code)
    if (!moved) cancelled++
    const next = await createInterrupted(repo, null)
    expect(next.code).toBe(0)
    // One that finds its brief made has less to do.
    if (!moved) quickest = Math.min(quickest, next.ms)
    expect(readdirSync(join(repo.root, '.handoff/briefs'))).toHaveLength(1)
  }
  // Else the signal always came too late and the test saw nothing.
  expect(cancelled).toBeGreaterThan(2)
})
