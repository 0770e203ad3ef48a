/** A tmux server of its own inside the network namespace, in whose panes real clients run, and what their hooks said. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from '../model/dialect.ts'

export interface Panes {
  /** For `TMUX` in the environment of a program. */
  address: string
  open(cwd: string, ...command: string[]): string
  screen(pane: string): string
  type(pane: string, text: string): Promise<void>
  /** Each pane with the program that runs in it. */
  list(): string[]
  close(): Promise<void>
}

/** Starts the server; its first window sleeps. */
export function servePanes(env: Record<string, string>): Panes {
  const folder = mkdtempSync('/tmp/handoff-tmux-')
  const socket = join(folder, 's')
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      env,
      encoding: 'utf8',
      timeout: 20_000,
    }).trimEnd()
  tmux('new-session', '-d', '-x', '160', '-y', '50', '--', 'sleep', '900')
  return {
    address: `${socket},0,0`,
    open: (cwd, ...command) =>
      tmux('new-window', '-d', '-P', '-F', '#{pane_id}', '-c', cwd, '--', 'env', ...command),
    screen: (pane) => tmux('capture-pane', '-p', '-t', pane).replace(/\n{3,}/g, '\n\n'),
    async type(pane, text) {
      tmux('send-keys', '-t', pane, '-l', '--', text)
      await sleep(1000)
      tmux('send-keys', '-t', pane, 'Enter')
    },
    list: () => tmux('list-panes', '-a', '-F', '#{pane_id} #{pane_current_command}').split('\n'),
    async close() {
      try {
        const pids = tmux('list-panes', '-a', '-F', '#{pane_pid}').split('\n').map(Number)
        tmux('kill-server')
        await endOf(pids)
      } catch {
        // It has ended with its last window.
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What hooks have told of the sessions in this repository. */
export function liveSessions(repo: string): Json[] {
  const folder = join(repo, '.git/handoff/sessions')
  try {
    return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Json)
  } catch {
    return []
  }
}

/** Waits until `look` says yes. */
export async function until(what: string, timeout: number, look: () => boolean): Promise<void> {
  for (const end = Date.now() + timeout; !look(); await sleep(100))
    if (Date.now() > end) throw new Error(`never came: ${what}`)
}

/** Clients call their last hooks when their screen is gone; one that does not end then is ended. */
async function endOf(pids: number[]): Promise<void> {
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  for (const end = Date.now() + 10_000; pids.some(isAlive) && Date.now() < end; ) await sleep(100)
  for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL')
}
