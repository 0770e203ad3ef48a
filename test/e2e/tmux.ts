import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { isNightly } from '../sampled.ts'

/** A tmux server of a test's own, which ends with the test. */
export interface TmuxServer {
  /** What leads a program to it, as in a pane of it. */
  env: { TMUX: string }
  /** Runs a tmux command and gives its output. */
  tmux(...args: string[]): string
  /** Opens a window that runs a program, and gives its pane. */
  open(cwd: string, ...command: string[]): string
  screen(pane: string): string
  panes(): { id: string; command: string; window: string }[]
}

/** Starts a server with this environment, to be closed by whoever starts it; its first window sleeps. */
export function serveTmux(env: Record<string, string>): TmuxServer & { close: () => void } {
  // Short: the path of a socket may have 107 bytes.
  const folder = mkdtempSync('/tmp/handoff-tmux-')
  const socket = join(folder, 's')
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      env: { ...env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
      timeout: 20_000,
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd()
  const close = (): void => {
    try {
      tmux('kill-server')
    } catch {
      // It has ended with its last window.
    }
    rmSync(folder, { recursive: true, force: true })
  }
  tmux('new-session', '-d', '-s', 'main', '-x', '160', '-y', '50', '--', 'sleep', '600')
  return {
    close,
    env: { TMUX: `${socket},0,0` },
    tmux,
    open: (cwd, ...command) =>
      tmux('new-window', '-d', '-P', '-F', '#{pane_id}', '-c', cwd, '--', ...command),
    screen: (pane) => tmux('capture-pane', '-p', '-t', pane),
    panes: () =>
      tmux('list-panes', '-a', '-F', '#{pane_id}\t#{pane_current_command}\t#{window_name}')
        .split('\n')
        .map((line) => {
          const [id = '', command = '', window = ''] = line.split('\t')
          return { id, command, window }
        }),
  }
}

/** tmux can be used here. */
export const hasTmux = ((): boolean => {
  try {
    execFileSync('tmux', ['-V'])
    return true
  } catch {
    return false
  }
})()

/** Declares a test that needs tmux. Where there is none its name says that it was not run. */
export function tmuxTest(name: string, body: () => Promise<void>): void {
  if (hasTmux) test(name, body)
  else if (process.env.HANDOFF_E2E_REQUIRE === '1')
    test(name, () => {
      throw new Error('tmux is not installed')
    })
  else test.skip(`${name} [not run: tmux is not installed]`, body)
}

/** The same for the project `nightly` alone. */
export function tmuxTestByNight(name: string, body: () => Promise<void>): void {
  if (isNightly) tmuxTest(name, body)
}
