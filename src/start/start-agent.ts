import { type Child, start as startProgram } from '../programs.ts'

/** A program to be started and how. */
export interface Start {
  program: string
  args: readonly string[]
  /** Given on standard input; undefined: the terminal, or nothing when `captured`. */
  stdin?: string | undefined
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
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      if (timer !== null) clearTimeout(timer)
      start.signal?.removeEventListener('abort', stop)
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

function endChild(child: Child): void {
  child.kill('SIGTERM')
  setTimeout(() => child.kill('SIGKILL'), GRACE).unref()
}
