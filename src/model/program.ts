import { run } from '../programs.ts'
import { notStarted } from './not-started.ts'

/** Bytes of an answer that are taken; a real one has a few thousand. */
export const MOST_ANSWER = 8 << 20
/** UTF-16 units of what a program complains about that are kept: whoever shows a part of it looks for secrets in all of it first. */
const MOST_COMPLAINT = 1 << 16

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
 * Runs a program and all that it starts in a process group of its own, which is ended when the program is over. Whoever gives the signal
 * ends the group, and the signal's reason is thrown, at the latest three seconds later. Throws with the reason when it cannot be started,
 * and when it prints more than 8 MB.
 */
export async function runProgram({ file, args, stdin, ...options }: Program): Promise<Ended> {
  const { cwd = process.cwd(), env = process.env } = options
  const ended = run(file, args, { ...options, input: stdin, most: MOST_ANSWER, group: true })
  const { code, stdout, stderr } = await ended.catch(async (error: NodeJS.ErrnoException) => {
    const isStart = error instanceof Error && error.syscall?.startsWith('spawn') === true
    throw isStart ? await notStarted({ file, cwd, path: env.PATH }, error) : error
  })
  return { exit: code, stdout: stdout.toString('utf8'), stderr: endOf(stderr) }
}
