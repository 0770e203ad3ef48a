import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Pending } from '../../src/store/pending.ts'
import { USUAL, writeClaudeSession } from '../repo/claude-session.ts'
import { makeRepo, type TempRepo } from '../repo/make-repo.ts'
import { root } from './build.ts'
import { type Behaviour, paneAgent, withAgents } from './pane-agent.ts'
import { serveTmux, type TmuxServer } from './tmux.ts'

/** The session of the agent that works in the pane. */
export const SESSION = '11111111-2222-4333-8444-555555555555'

export interface Ran {
  code: number | null
  signal: NodeJS.Signals | null
  stderr: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into an object whose shape is what they test
  json: any
}

/** A repository with a session, a tmux server, an agent that works in a pane of it, and one that waits to be started. */
export interface Stage {
  repo: TempRepo
  env: Record<string, string>
  server: TmuxServer
  pane: string
  outgoing: ReturnType<typeof paneAgent>
  successor: ReturnType<typeof paneAgent>
  handoff(...argv: string[]): Promise<Ran>
  pending(): Pending[]
  briefs(): string[]
}

/** Ends the servers, after the last test: one that goes on beside others is not told of its own end. */
const closing: (() => void)[] = []
afterAll(() => {
  for (const close of closing.splice(0)) close()
})

export async function stage(
  outgoing: Partial<Behaviour> = {},
  successor: Partial<Behaviour> = {},
  files: Record<string, string> = {},
): Promise<Stage> {
  const repo = makeRepo()
  repo.commit('queue', { 'src/queue.ts': 'x\n', 'src/api.ts': 'y\n', 'test/queue.test.ts': 'z\n', ...files })
  writeClaudeSession(repo, USUAL, { id: SESSION, end: new Date(Date.now() - 60_000) })
  const env = withAgents(repo)
  const claude = paneAgent(repo, 'claude', { id: 'claude-code', session: SESSION, ...outgoing })
  const codex = paneAgent(repo, 'codex', {
    id: 'codex',
    session: 'successor-1',
    ready: 'Ask Codex to do anything',
    ...successor,
  })
  const server = serveTmux(env)
  closing.push(server.close)
  const pane = server.open(repo.root, claude.path)
  const folder = join(repo.root, '.git/handoff')
  const made: Stage = {
    repo,
    env: { ...env, ...server.env },
    server,
    pane,
    outgoing: claude,
    successor: codex,
    handoff: (...argv) => handoff(repo, made.env, argv),
    pending: () => recordsIn(join(folder, 'pending')),
    briefs: () => repo.git(['log', '--format=%s', '--grep=^chore(handoff)']).split('\n').filter(Boolean),
  }
  const { ready = '? for shortcuts' } = outgoing
  await until('the agent waits', () => (server.screen(pane).includes(ready) ? true : null))
  return made
}

export const recordsIn = (folder: string): Pending[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Pending)

export function handoff(repo: TempRepo, env: Record<string, string>, argv: string[]): Promise<Ran> {
  const child = spawn(process.execPath, [join(root, 'bin/handoff.cjs'), ...argv], {
    cwd: repo.root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((done) =>
    child.on('close', (code, signal) => {
      const last = stdout.trim().split('\n').at(-1) ?? ''
      done({ code, signal, stderr, json: last.startsWith('{') ? JSON.parse(last) : null })
    }),
  )
}

export async function until<T>(what: string, look: () => T | null, ms = 60_000): Promise<T> {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    const found = look()
    if (found !== null) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`never came: ${what}`)
}
