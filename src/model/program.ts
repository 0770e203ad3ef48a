import { spawn } from 'node:child_process'
import { modelFailed } from '../errors.ts'
import { timeLimit } from './limit.ts'
import type { Model } from './model.ts'

/** A reply takes seconds; one that takes longer than this never comes. In ms. */
const TIMEOUT = 300_000
/** UTF-16 units of an answer that are kept. */
const MOST = 8 << 20
/** Ms between the request to end and the end by force. */
const GRACE = 2000

/** A program to be run, and what it is given. */
export interface Program {
  file: string
  args: readonly string[]
  stdin: string
  /** Absent: this process's own. */
  cwd?: string
  env?: Readonly<Record<string, string>>
  signal?: AbortSignal
}

/** How a program ended; `exit` null: by a signal. */
export interface Ended {
  exit: number | null
  stdout: string
  /** The end of it. */
  stderr: string
}

/**
 * A model behind a program of the person's own, such as an agent's headless mode: the prompt on its standard input, the
 * reply on its standard output. The words are split at spaces and no shell sees them.
 */
export function programModel(command: string): Model {
  const [file = '', ...args] = command.trim().split(/\s+/)
  return {
    name: command,
    async ask({ prompt, signal }) {
      const { signal: stop } = timeLimit(TIMEOUT, signal)
      const { exit, stdout, stderr } = await runProgram({ file, args, stdin: prompt, signal: stop }).catch(
        (cause) => {
          throw signal?.aborted ? signal.reason : modelFailed(command, cause)
        },
      )
      if (exit === 0 && stdout.trim() !== '') return stdout
      throw modelFailed(command, stderr.trim() || `exit ${exit ?? 'by a signal'}, no reply`)
    },
  }
}

/**
 * Runs a program in a process group of its own, through no shell, and waits for its end. Whoever gives the signal ends it with all
 * that it started, and the signal's reason is thrown once nothing of it is left. Throws what the system says when it cannot be started.
 */
export function runProgram({ file, args, stdin, cwd, env, signal }: Program): Promise<Ended> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const child = spawn(file, [...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env: { ...env } }),
    })
    const end = (name: NodeJS.Signals): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, name)
      } catch {
        // It is gone already.
      }
    }
    const force = (): void => end('SIGKILL')
    let timer: NodeJS.Timeout | null = null
    const stop = (): void => {
      end('SIGTERM')
      timer = setTimeout(force, GRACE)
    }
    signal?.addEventListener('abort', stop, { once: true })
    // Whoever does not wait leaves nothing behind either.
    process.once('exit', force)
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      if (stdout.length < MOST) stdout += part
    })
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      stderr = `${stderr}${part}`.slice(-1000)
    })
    // A program that never reads its input closes the pipe; its exit status tells the rest.
    child.stdin.on('error', () => undefined)
    child.stdin.end(stdin)
    const done = (settle: () => void): void => {
      if (timer !== null) clearTimeout(timer)
      process.off('exit', force)
      signal?.removeEventListener('abort', stop)
      // What it started and left behind goes with it.
      force()
      if (signal?.aborted) reject(signal.reason)
      else settle()
    }
    // Something that it left behind may hold its output open.
    child.once('exit', () => setTimeout(() => child.stdout.destroy(), GRACE).unref())
    child.once('error', (cause) => done(() => reject(cause)))
    child.once('close', (exit) => done(() => resolve({ exit, stdout, stderr })))
  })
}
