import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

/** The only module that starts programs. Each gets its arguments as a list; none goes through a shell unless it is named as the program. */

/** A program that runs. */
export type Child = ChildProcess

export interface StartOptions {
  /** Absent: this process's own. */
  cwd?: string | undefined
  /** The whole environment; absent: this process's own. */
  env?: Readonly<Record<string, string | undefined>> | undefined
  stdio: SpawnOptions['stdio']
  /** In a process group of its own, which a Ctrl-C at the terminal does not reach. */
  detached?: boolean
  /** Ends it by SIGTERM. */
  signal?: AbortSignal | undefined
  /** Ms after which it is ended by SIGTERM. */
  timeout?: number | undefined
}

/** Starts a program; the caller listens for `error` and `close`. */
export function start(file: string, args: readonly string[], options: StartOptions): Child {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const child = spawn(file, [...args], { windowsHide: true, ...given } as SpawnOptions)
  // A program that ends before it has read its input closes the pipe; its exit status tells the rest.
  child.stdin?.on('error', () => undefined)
  return child
}

/** Ends a detached program with all that it started: by force after two seconds, and when this process ends. */
export function endGroup(child: Child): void {
  const send = (name: NodeJS.Signals): void => {
    try {
      // Windows has no groups.
      if (process.platform === 'win32') child.kill(name)
      else if (child.pid !== undefined) process.kill(-child.pid, name)
    } catch {
      // It is gone already.
    }
  }
  const force = (): void => send('SIGKILL')
  send('SIGTERM')
  process.once('exit', force)
  setTimeout(() => {
    process.off('exit', force)
    force()
  }, GRACE).unref()
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy()
  child.unref()
}

export interface RunOptions extends Omit<StartOptions, 'stdio'> {
  /** For standard input; absent: there is none. */
  input?: string | Buffer | undefined
  /** File descriptor that gets what it prints; absent: it is returned. */
  output?: number
  /** Bytes that it may print; one that prints more is ended. */
  most?: number
  /**
   * It is ended with all that it started: by force 2 s after SIGTERM, and once it is over. What left its group and holds the pipes open
   * is waited for 1 s. It runs detached.
   */
  group?: boolean
}

/** How a program ended. */
export interface Ended {
  /** Exit status; null when a signal ended it. */
  code: number | null
  stdout: Buffer
  /** The end of it, when it is very long. */
  stderr: string
}

/** Ms between SIGTERM and SIGKILL for a group. */
const GRACE = 2000
/** Ms for what is left in the pipes of a program that is over. */
const LAST_WORDS = 1000
/** UTF-16 units of standard error that are kept. */
const MOST_STDERR = 1 << 19

/**
 * Runs a program to its end, whatever its exit status. Rejects with the error of the system when it cannot be started, with the reason of
 * the signal on abort, and when it prints more than `most` bytes.
 */
export function run(file: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  const { input, output, most = Number.POSITIVE_INFINITY, group = false, signal, timeout, ...rest } = options
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stdio: SpawnOptions['stdio'] = [input === undefined ? 'ignore' : 'pipe', output ?? 'pipe', 'pipe']
    const child = start(file, args, { ...rest, stdio, ...(group ? { detached: true } : {}) })
    // First of all: without a listener it ends this process.
    child.once('error', (error) => settle(() => reject(error)))
    // Where no file descriptor is free there are no pipes, whatever their types say.
    const pipes: { stdin?: Writable | null; stdout?: Readable | null; stderr?: Readable | null } = child
    const blocks: Buffer[] = []
    let [size, stderr, isOver] = [0, '', false]
    const timers: NodeJS.Timeout[] = []
    const end = (name: NodeJS.Signals): void => {
      try {
        if (group && child.pid !== undefined) process.kill(-child.pid, name)
        else if (!group) child.kill(name)
      } catch {
        // It is gone already.
      }
    }
    const force = (): void => end('SIGKILL')
    const stop = (): void => {
      end('SIGTERM')
      if (group)
        timers.push(
          setTimeout(force, GRACE),
          setTimeout(() => over(null), GRACE + LAST_WORDS),
        )
    }
    function settle(act: () => void): void {
      if (isOver) return
      isOver = true
      for (const timer of timers) clearTimeout(timer)
      process.off('exit', force)
      signal?.removeEventListener('abort', stop)
      if (group) {
        force()
        for (const pipe of [pipes.stdin, pipes.stdout, pipes.stderr]) pipe?.destroy()
        child.unref()
      }
      if (signal?.aborted) reject(signal.reason)
      else act()
    }
    const over = (code: number | null): void =>
      settle(() => resolve({ code, stdout: Buffer.concat(blocks), stderr }))
    signal?.addEventListener('abort', stop, { once: true })
    if (timeout !== undefined) timers.push(setTimeout(stop, timeout))
    pipes.stdout?.on('data', (block: Buffer) => {
      size += block.length
      if (size <= most) return void blocks.push(block)
      end('SIGTERM')
      settle(() => reject(new Error(`it answered with more than ${most >> 20} MB`)))
    })
    pipes.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
      if (stderr.length > 2 * MOST_STDERR) stderr = stderr.slice(-MOST_STDERR)
    })
    child.once('close', over)
    if (group) {
      // Whoever ends without waiting leaves nothing behind either.
      process.once('exit', force)
      child.once('exit', (code) => timers.push(setTimeout(() => over(code), LAST_WORDS)))
    }
    pipes.stdin?.end(input)
  })
}
