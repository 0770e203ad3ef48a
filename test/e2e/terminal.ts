import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { TempRepo } from '../repo/make-repo.ts'
import { root } from './build.ts'
import { hasTmux, serveTmux, type TmuxServer } from './tmux.ts'

/** A person's terminal with one program in it. */
export interface Terminal {
  /** What is to be seen, without the empty lines at the end. */
  screen(): string
  /** The same with the lines that the terminal broke in one piece. */
  lines(): string
  /** Waits until this is to be seen, and gives the screen. */
  sees(what: string | RegExp): Promise<string>
  /** Presses keys, named as tmux names them. */
  press(...keys: string[]): void
  types(text: string): void
  /** Pastes a text; in brackets only where the program has asked for them. */
  pastes(text: string, how?: 'bracketed' | 'plain'): void
  resize(columns: number): Promise<void>
  /** Waits for the end of the program: its exit code, and whether the terminal takes lines and shows its cursor as before. */
  ends(): Promise<{ exit: number; isSane: boolean; screen: string }>
  /** Every byte that was written, escapes included. */
  bytes(): string
  /** Sends a signal to what runs in it. */
  signal(name: NodeJS.Signals): void
}

export interface TerminalOptions {
  columns?: number
  rows?: number
  env?: Record<string, string>
  /** Runs this instead of handoff. */
  command?: string[]
}

/** Runs the program, tells how it ended and in what state it left the terminal. Started when `$0` is there. */
const STAGE = `trap : INT TERM
until [ -e "$0" ]; do sleep 0.02; done
"$@"
echo "exit $?"
stty -a | tr ' ;' '\\n\\n' | grep -x -e icanon -e -icanon
exec sleep 600`

let server: (TmuxServer & { close: () => void }) | undefined
let folder = ''
let opened = 0

/** One tmux server for a file of tests; every terminal of it has its own size. */
export function useTerminals(): (repo: TempRepo, argv: string[], options?: TerminalOptions) => Terminal {
  beforeAll(() => {
    if (!hasTmux) return
    folder = mkdtempSync('/tmp/handoff-hand-')
    server = serveTmux({ PATH: process.env.PATH ?? '', HOME: folder })
  })
  afterAll(() => {
    server?.close()
    if (folder !== '') rmSync(folder, { recursive: true, force: true })
  })
  return (repo, argv, options = {}) => open(repo, argv, options)
}

function open(repo: TempRepo, argv: string[], options: TerminalOptions): Terminal {
  const on = server
  if (on === undefined) throw new Error('no tmux server')
  const name = `t${opened++}`
  const [gate, log] = [join(folder, `${name}.go`), join(folder, `${name}.log`)]
  const env = { ...repo.env, LC_ALL: 'C.UTF-8', TERM: 'xterm-256color', ...options.env }
  const command = options.command ?? [process.execPath, join(root, 'bin/handoff.cjs'), ...argv]
  const size = ['-x', String(options.columns ?? 80), '-y', String(options.rows ?? 40)]
  const inEnv = ['env', '-i', ...Object.entries(env).map(([key, value]) => `${key}=${value}`)]
  on.tmux(
    ...['new-session', '-d', '-s', name, ...size, '-c', repo.root, '--'],
    ...[...inEnv, 'sh', '-c', STAGE, gate, ...command],
  )
  writeFileSync(log, '')
  on.tmux('pipe-pane', '-t', name, `cat >>'${log}'`)
  writeFileSync(gate, '')
  const screen = (): string => on.screen(name)
  const sees = async (what: string | RegExp): Promise<string> => {
    for (const end = Date.now() + 60_000; ; ) {
      const seen = screen()
      if (typeof what === 'string' ? seen.includes(what) : what.test(seen)) return seen
      if (Date.now() > end || /^exit \d+\n-?icanon$/m.test(seen))
        throw new Error(`never seen: ${String(what)}\n${seen}`)
      await new Promise((resolve) => setTimeout(resolve, 40))
    }
  }
  return {
    screen,
    lines: () => on.tmux('capture-pane', '-p', '-J', '-t', name).replace(/ +$/gm, ''),
    sees,
    press: (...keys) => void on.tmux('send-keys', '-t', name, ...keys),
    types: (text) => void on.tmux('send-keys', '-t', name, '-l', '--', text),
    pastes(text, how = 'bracketed') {
      on.tmux('set-buffer', '-b', name, '--', text)
      on.tmux('paste-buffer', ...(how === 'bracketed' ? ['-p'] : []), '-b', name, '-t', name)
    },
    async resize(columns) {
      on.tmux('resize-window', '-t', name, '-x', String(columns))
      // The program is told, and draws when the size has settled.
      await new Promise((resolve) => setTimeout(resolve, 500))
    },
    async ends() {
      const seen = await sees(/^exit \d+\n-?icanon$/m)
      const [, exit, mode] = /^exit (\d+)\n(-?icanon)$/m.exec(seen) ?? []
      const cursor = on.tmux('display-message', '-p', '-t', name, '#{cursor_flag}')
      const bytes = readFileSync(log, 'utf8')
      const isPasteLeft = bytes.lastIndexOf('\u001b[?2004h') > bytes.lastIndexOf('\u001b[?2004l')
      return {
        exit: Number(exit),
        isSane: mode === 'icanon' && cursor === '1' && !isPasteLeft,
        screen: seen,
      }
    },
    bytes: () => readFileSync(log, 'utf8'),
    signal: (signal) => {
      process.kill(-Number(on.tmux('display-message', '-p', '-t', name, '#{pane_pid}')), signal)
    },
  }
}
