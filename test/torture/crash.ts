import { spawn } from 'node:child_process'
import { USUAL, writeClaudeSession } from '../repo/claude-session.ts'
import { makeRepo, type TempRepo } from '../repo/make-repo.ts'
import type { Part } from './part.ts'

const GOAL = 'finish the retry queue and document its limits'

/** `kill -9` of create at random moments: the repository is sound and the next run completes. */
export const part: Part = {
  name: 'crash',
  async run({ program, random, long, row, case: tell }) {
    const { ms } = await create(newRepo(), program, null)
    const count = long ? 40 : 4
    const wrong: string[] = []
    for (let at = 0; at < count; at++) {
      const repo = newRepo()
      const delay = random() * ms
      await create(repo, program, delay)
      const sound = repo.tryGit(['fsck', '--strict']).status === 0
      const next = await create(repo, program, null)
      const status = repo.git(['status', '--porcelain'])
      tell({ fault: 'random kill', operation: 'create', delay, sound, code: next.code, status })
      if (!sound || next.code !== 0 || status !== '') wrong.push(`after ${delay.toFixed()} ms`)
    }
    row({
      fault: 'kill -9 at a random moment',
      operation: 'create',
      count,
      result: wrong.length === 0 ? 'ok' : 'FAILED',
      detail: wrong.join(', '),
    })
  },
}

function newRepo(): TempRepo {
  const repo = makeRepo()
  repo.commit('queue', { 'src/queue.ts': 'x\n', 'src/api.ts': 'y\n' })
  return repo
}

function create(
  repo: TempRepo,
  program: string,
  delay: number | null,
): Promise<{ code: number | null; ms: number }> {
  writeClaudeSession(repo, USUAL, { end: new Date(Date.now() - 60_000) })
  const begun = performance.now()
  return new Promise((done) => {
    const child = spawn(process.execPath, [program, 'create', GOAL], {
      cwd: repo.root,
      env: repo.env,
      stdio: 'ignore',
    })
    const timer = delay === null ? undefined : setTimeout(() => child.kill('SIGKILL'), delay)
    child.on('close', (code) => {
      clearTimeout(timer)
      done({ code, ms: performance.now() - begun })
    })
  })
}
