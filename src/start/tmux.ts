import { tmuxUnusable } from '../errors/cycle.ts'
import { run } from '../programs.ts'

/** One pane of tmux. */
export interface Pane {
  /** `%3`. */
  id: string
  /** Process of the pane's first program. */
  pid: number
  /** The program in front, as tmux names it. */
  command: string
  /** Its working directory, absolute. */
  cwd: string
  /** Its window: `@2`, and its name. */
  windowId: string
  window: string
  dead: boolean
}

/** Ms for one call; tmux answers in milliseconds or hangs. */
const TIMEOUT = 10_000
/** Bytes of an answer that are taken. */
const MAX_ANSWER = 8 << 20
/** Ms between the paste and the key: composers take a key that comes with a paste for part of it (Claude Code 2.1, Codex 0.169). */
const SETTLE = 400

type TmuxEnv = Readonly<Record<string, string | undefined>>

/** Every pane of every session. Throws `tmuxUnusable`. */
export async function listPanes(env: TmuxEnv): Promise<Pane[]> {
  const format = [
    '#{pane_id}',
    '#{pane_pid}',
    '#{pane_dead}',
    '#{pane_current_command}',
    '#{window_id}',
    '#{window_name}',
    '#{pane_current_path}',
  ]
  const text = await tmux(env, ['list-panes', '-a', '-F', format.join('\t')])
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [id = '', pid = '', dead = '', command = '', windowId = '', window = '', ...cwd] =
        line.split('\t')
      return { id, pid: Number(pid), dead: dead === '1', command, windowId, window, cwd: cwd.join('\t') }
    })
}

/** The pane of that id, unless its program has ended. Throws `tmuxUnusable`. */
export const livePane = async (env: TmuxEnv, pane: string | null): Promise<Pane | null> =>
  (await listPanes(env)).find(({ id, dead }) => id === pane && !dead) ?? null

/** Programs that run what is pasted into them. */
const SHELLS = 'sh bash zsh fish dash ksh tcsh csh ash nu xonsh pwsh elvish'.split(' ')
export const isShell = (command: string): boolean =>
  SHELLS.includes(command.startsWith('-') ? command.slice(1) : command)

/** A pane that is gone, or shows a shell again: no agent is in it. Throws `tmuxUnusable`. */
export async function isOver(env: TmuxEnv, pane: string | null): Promise<boolean> {
  const live = await livePane(env, pane)
  return live === null || isShell(live.command)
}

/** What stands on a pane's screen, without the empty lines at its end. Throws `tmuxUnusable`. */
export const readScreen = async (env: TmuxEnv, pane: string): Promise<string> =>
  (await tmux(env, ['capture-pane', '-p', '-t', pane])).trimEnd()

/**
 * Puts text into a pane as one paste and presses Enter. Whatever a terminal could take for a key is stripped, and the paste is bracketed, so that no
 * line of it is submitted by itself. Throws `tmuxUnusable`.
 */
export async function pasteText(env: TmuxEnv, pane: string, text: string): Promise<void> {
  const buffer = `handoff-${process.pid}`
  await tmux(env, ['load-buffer', '-b', buffer, '-'], printable(text))
  await tmux(env, ['paste-buffer', '-p', '-d', '-b', buffer, '-t', pane])
  await new Promise((resolve) => setTimeout(resolve, SETTLE))
  await tmux(env, ['send-keys', '-t', pane, 'Enter'])
}

/** Nothing but text, line breaks and tabs. */
export const printable = (text: string): string => text.replace(/\r\n?/g, '\n').replace(/[^\P{C}\n\t]/gu, '')

/** What the server gives to every new window. Throws `tmuxUnusable`. */
export async function serverEnv(env: TmuxEnv): Promise<Record<string, string>> {
  const lines = (await tmux(env, ['show-environment', '-g'])).split('\n')
  return Object.fromEntries(
    lines.flatMap((line) => (/^\w+=/.test(line) ? [line.split(/=(.*)/s).slice(0, 2)] : [])),
  )
}

/**
 * Opens a window behind the window `after` that runs a program, through no shell, and gives its pane. It gets the environment of the tmux
 * server, with this PATH and without what `unset` names. Throws `tmuxUnusable`.
 */
export async function openWindow(
  env: TmuxEnv,
  window: {
    name: string
    cwd: string
    program: string
    args: readonly string[]
    after: string | null
    path: string
    unset: readonly string[]
  },
): Promise<string> {
  const target = window.after === null ? [] : ['-a', '-t', window.after]
  const words = ['new-window', '-d', '-P', '-F', '#{pane_id}', '-n', window.name, '-c', window.cwd]
  // Several words are run as they are; a single one would go through a shell.
  const unset = window.unset.flatMap((name) => ['-u', name])
  const args = ['env', ...unset, `PATH=${window.path}`, window.program, ...window.args]
  return (await tmux(env, [...words, ...target, '--', ...args])).trim()
}

async function tmux(env: TmuxEnv, args: readonly string[], input?: string): Promise<string> {
  const ended = run('tmux', args, { env, input, timeout: TIMEOUT, most: MAX_ANSWER })
  const { code, stdout, stderr } = await ended.catch((error: NodeJS.ErrnoException) => {
    throw tmuxUnusable(error.code === 'ENOENT' ? 'tmux is not on PATH' : `tmux ${args[0]}: ${error.message}`)
  })
  if (code === 0) return stdout.toString('utf8')
  const said = stderr.trim() || (code === null ? `no answer after ${TIMEOUT / 1000} s` : `exit ${code}`)
  if (/no server running|error connecting/.test(said)) throw tmuxUnusable('no tmux server is running')
  throw tmuxUnusable(/can't find (?:pane|window|session)/.test(said) ? said : `tmux ${args[0]}: ${said}`)
}
