import { orNull } from '../errors/handoff-error.ts'
import { type Child, start as startProgram } from '../programs.ts'
import { isSecretVariable } from '../secrets/find.ts'

/** A program to be started and how. */
export interface Start {
  program: string
  args: readonly string[]
  /** Given on standard input; undefined: the terminal, or nothing when `captured`. */
  stdin: string | undefined
  cwd: string
  env: Record<string, string>
  /** No terminal: what it prints goes to `onOutput`. */
  captured: boolean
  onOutput?: (text: string) => void
  signal?: AbortSignal | undefined
  /** Milliseconds after which it is ended; only when captured. */
  timeout?: number
}

export interface Started {
  pid: number
  /** Exit status; null when a signal ended it. */
  ended: Promise<number | null>
}

/** Milliseconds between the request to end and the end by force. */
const GRACE = 3000

/**
 * Starts a program directly, through no shell. Resolves when it runs; rejects when it cannot be started, with the error of the
 * system. Both streams of a captured one are told as they come.
 */
export function startAgent(start: Start): Promise<Started> {
  const { program, args, cwd, env, captured } = start
  const input = start.stdin !== undefined ? 'pipe' : captured ? 'ignore' : 'inherit'
  const output = captured ? 'pipe' : 'inherit'
  const child = startProgram(program, args, { cwd, env, stdio: [input, output, output] })
  child.stdin?.end(start.stdin)
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => start.onOutput?.(text))
  const stop = () => endChild(child)
  const timer = start.timeout === undefined ? null : setTimeout(stop, start.timeout)
  start.signal?.addEventListener('abort', stop, { once: true })
  // Its window was closed. Not every agent ends then, and nobody would see it go on.
  const onHangUp = captured ? null : () => endAll(child)
  if (onHangUp !== null) process.on('SIGHUP', onHangUp)
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      if (timer !== null) clearTimeout(timer)
      start.signal?.removeEventListener('abort', stop)
      if (onHangUp !== null) process.off('SIGHUP', onHangUp)
      resolve(code)
    })
  })
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      if (timer !== null) clearTimeout(timer)
      reject(error)
    })
    child.once('spawn', () => resolve({ pid: child.pid as number, ended }))
  })
}

/** The same, and then by force with all that it started, where they are of the group that this process leads. */
function endAll(child: Child): void {
  child.kill('SIGTERM')
  setTimeout(() => {
    child.kill('SIGKILL')
    // It may lead none.
    orNull(() => process.kill(-process.pid, 'SIGKILL'))
  }, GRACE).unref()
}

function endChild(child: Child): void {
  child.kill('SIGTERM')
  setTimeout(() => child.kill('SIGKILL'), GRACE).unref()
}

/** Where git works is the caller's business; a hook's index would be committed from. What is loaded into our Node is not for theirs. */
const OURS = /^(?:GIT_|NODE_OPTIONS$)/i

/**
 * The environment of a started agent: that of the caller without secrets, without variables of git and of our Node, and without
 * `marks`, by which agents know that another one called; but with what `pass` names, where a trailing `*` stands for
 * any ending. A mark is never passed.
 */
export function successorEnv(
  env: Readonly<Record<string, string | undefined>>,
  pass: readonly string[],
  marks: readonly string[],
): Record<string, string> {
  const isMark = matcher(marks)
  const isPassed = matcher(pass)
  const entries = Object.entries(env).filter((entry): entry is [string, string] => {
    const [name, value] = entry
    if (value === undefined || isMark(name)) return false
    return isPassed(name) || !(OURS.test(name) || isSecretVariable(name, value))
  })
  return Object.fromEntries(entries)
}

function matcher(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set(patterns)
  const beginnings = patterns.filter((one) => one.endsWith('*')).map((one) => one.slice(0, -1))
  return (name) => names.has(name) || beginnings.some((beginning) => name.startsWith(beginning))
}
