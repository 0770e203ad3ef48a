import { type FileHandle, open, stat } from 'node:fs/promises'
import { delimiter, resolve as resolvePath } from 'node:path'
import { run } from '../programs.ts'

/** Bytes of an answer that are taken; a real one has a few thousand. */
export const MAX_ANSWER = 8 << 20
/** UTF-16 units of what a program complains about that are kept: whoever shows a part of it looks for secrets in all of it first. */
const MAX_COMPLAINT = 1 << 16

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
 * Runs a program and all that it starts in a process group of its own, which is ended when the program is over. Whoever gives the signal
 * ends the group, and the signal's reason is thrown, at the latest three seconds later. Throws with the reason when it cannot be started,
 * and when it prints more than 8 MB.
 */
export async function runProgram({ file, args, stdin, ...options }: Program): Promise<Ended> {
  const { cwd = process.cwd(), env = process.env } = options
  const ended = run(file, args, { ...options, input: stdin, most: MAX_ANSWER, group: true })
  const { code, stdout, stderr } = await ended.catch(async (error: NodeJS.ErrnoException) => {
    const isStart = error instanceof Error && error.syscall?.startsWith('spawn') === true
    throw isStart ? await notStarted({ file, cwd, path: env.PATH }, error) : error
  })
  return { exit: code, stdout: stdout.toString('utf8'), stderr: endOf(stderr) }
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
