import { spawn } from 'node:child_process'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { delimiter, resolve as resolvePath } from 'node:path'
import type { Readable, Writable } from 'node:stream'

/** UTF-16 units of an answer that are taken; a real one has a few thousand. */
export const MAX_ANSWER = 8 << 20
/** UTF-16 units of what a program complains about that are kept: whoever shows a part of it looks for secrets in all of it first. */
const MAX_COMPLAINT = 1 << 16
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
  text.length <= MAX_COMPLAINT ? text : text.slice(-MAX_COMPLAINT).replace(/^\S*\s*/, '')

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
      if (stdout.length > MAX_ANSWER)
        done(() => reject(new Error(`it answered with more than ${MAX_ANSWER >> 20} MB`)))
    })
    pipes.stderr?.setEncoding('utf8').on('data', (part: string) => {
      stderr += part
      // Seldom, and with room to spare: what is cut here is cut at a word in the end.
      if (stderr.length > 4 * MAX_COMPLAINT) stderr = stderr.slice(-2 * MAX_COMPLAINT)
    })
    // A program that never reads its input closes the pipe; its exit status tells the rest.
    pipes.stdin?.on('error', () => undefined)
    pipes.stdin?.end(stdin)
    child.once('close', ended)
    child.once('exit', (exit) => after(LAST_WORDS, () => ended(exit)))
  })
}

/** Bytes of a file in which Linux looks for a first line that names an interpreter. */
const FIRST_LINE = 256

/** Who has too many files open, by what the system says. */
const FULL: Readonly<Record<string, string>> = {
  EMFILE: 'this process has too many open; `ulimit -n` tells how many it may have',
  ENFILE: 'the whole system has too many open',
}

/** What was to be started, and where the system looked for it. */
interface Sought {
  file: string
  /** The folder it was to be started in. */
  cwd: string
  /** Absent: none is set. */
  path: string | undefined
}

/**
 * Why a program could not be started, in a clause. The system says ENOENT of a program that is not there and of one whose interpreter is
 * not. What it says itself for anything that is not known here. Never rejects.
 */
async function notStarted(sought: Sought, cause: NodeJS.ErrnoException): Promise<Error> {
  const { file } = sought
  const full = FULL[cause.code ?? '']
  if (full !== undefined)
    return new Error(`\`${file}\` cannot be started: no file descriptor is free (${cause.code}), ${full}`, {
      cause,
    })
  if (cause.code !== 'ENOENT') return cause
  const found = await placeOf(sought)
  if (found === null)
    return new Error(`\`${file}\` is not ${file.includes('/') ? 'there' : 'on PATH'}`, { cause })
  const interpreter = await interpreterOf(found)
  const why =
    interpreter === null || (await isFile(resolvePath(sought.cwd, interpreter)))
      ? 'something that it needs is not there'
      : `\`${JSON.stringify(interpreter).slice(1, -1)}\`, which its first line names, is not there`
  return new Error(`\`${found}\` cannot be started: ${why}`, { cause })
}

/** Where the program stands, as the system looks for it; null: nowhere. */
async function placeOf({ file, cwd, path = '' }: Sought): Promise<string | null> {
  const folders = file.includes('/') ? [''] : path.split(delimiter)
  for (const folder of folders) {
    const place = resolvePath(cwd, folder, file)
    if (await isFile(place)) return place
  }
  return null
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (it) => it.isFile(),
    () => false,
  )

/** The program that the first line of a script names; null: it names none, or cannot be read. */
async function interpreterOf(path: string): Promise<string | null> {
  let handle: FileHandle | undefined
  try {
    handle = await open(path)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FIRST_LINE), 0, FIRST_LINE, 0)
    return /^#![ \t]*([^ \t\n]+)/.exec(buffer.toString('utf8', 0, bytesRead))?.[1] ?? null
  } catch {
    return null // What is told then is less, and true.
  } finally {
    await handle?.close()
  }
}
