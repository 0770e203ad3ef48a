import { spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { notStarted } from './not-started.ts'

/** UTF-16 units of an answer that are taken; a real one has a few thousand. */
export const MOST_ANSWER = 8 << 20
/** UTF-16 units of what a program complains about that are kept: whoever shows a part of it looks for secrets in all of it first. */
const MOST_COMPLAINT = 1 << 16
/** Ms between the request to end and the end by force. */
const GRACE = 2000
/** Ms for what is left in the pipes of a program that has ended, or was ended by force. */
const LAST_WORDS = 1000

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
  /** The end of it, in whole words. */
  stderr: string
}

/** The end of a text, in whole words: half a secret is not known for one. */
export const endOf = (text: string): string =>
  text.length <= MOST_COMPLAINT ? text : text.slice(-MOST_COMPLAINT).replace(/^\S*\s*/, '')

/**
 * Runs a program in a process group of its own, through no shell, and waits for its end, not for that of what it leaves behind: whatever
 * is left of its group is ended, and what left the group and holds the pipes open is not listened to. Whoever gives the signal ends
 * the group, and the signal's reason is thrown, at the latest three seconds later. Throws with the reason when it cannot be started, and
 * when it prints more than 8 MB.
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
    // First of all: without a listener it ends this process.
    child.once('error', (cause) => {
      const sought = { file, cwd: cwd ?? process.cwd(), path: (env ?? process.env).PATH }
      done(() => void notStarted(sought, cause).then(reject))
    })
    // Where no file descriptor is free there are none, whatever their types say.
    const pipes: { stdin?: Writable; stdout?: Readable; stderr?: Readable } = child
    const end = (name: NodeJS.Signals): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, name)
      } catch {
        // It is gone already.
      }
    }
    const force = (): void => end('SIGKILL')
    const timers: NodeJS.Timeout[] = []
    const after = (ms: number, act: () => void): void => {
      timers.push(setTimeout(act, ms))
    }
    let stdout = ''
    let stderr = ''
    let isDone = false
    const done = (settle: () => void): void => {
      if (isDone) return
      isDone = true
      for (const timer of timers) clearTimeout(timer)
      process.off('exit', force)
      signal?.removeEventListener('abort', stop)
      // What it started and left behind goes with it; what it cannot reach may hold the pipes, which would keep this process.
      force()
      for (const pipe of [pipes.stdin, pipes.stdout, pipes.stderr]) pipe?.destroy()
      child.unref()
      if (signal?.aborted) reject(signal.reason)
      else settle()
    }
    const ended = (exit: number | null): void => done(() => resolve({ exit, stdout, stderr: endOf(stderr) }))
    const stop = (): void => {
      end('SIGTERM')
      after(GRACE, () => {
        force()
        after(LAST_WORDS, () => ended(null))
      })
    }
    signal?.addEventListener('abort', stop, { once: true })
    // Whoever does not wait leaves nothing behind either.
    process.once('exit', force)
    pipes.stdout?.setEncoding('utf8').on('data', (part: string) => {
      stdout += part
      if (stdout.length > MOST_ANSWER)
        done(() => reject(new Error(`it answered with more than ${MOST_ANSWER >> 20} MB`)))
    })
    pipes.stderr?.setEncoding('utf8').on('data', (part: string) => {
      stderr += part
      // Seldom, and with room to spare: what is cut here is cut at a word in the end.
      if (stderr.length > 4 * MOST_COMPLAINT) stderr = stderr.slice(-2 * MOST_COMPLAINT)
    })
    // A program that never reads its input closes the pipe; its exit status tells the rest.
    pipes.stdin?.on('error', () => undefined)
    pipes.stdin?.end(stdin)
    child.once('close', ended)
    child.once('exit', (exit) => after(LAST_WORDS, () => ended(exit)))
  })
}
