import { randomBytes } from 'node:crypto'
import { isHandoffError, reasonOf } from '../errors/handoff-error.ts'
import { run } from '../programs.ts'

/**
 * Asks a model one thing and gets text back. Whoever asks does not know which model answers or how it is reached.
 */
export interface Model {
  /** As it is shown and recorded. */
  name: string
  /** The reply's text. Throws `modelFailed`, or the signal's reason. */
  ask(request: ModelRequest): Promise<string>
}

export interface ModelRequest {
  /** Data is fenced in it by whoever asks; nothing in it is expanded. */
  prompt: string
  signal?: AbortSignal
}

/** Why a model gave no answer, in a clause: what `ask` threw. */
export function whyNoAnswer(error: unknown): string {
  const isOfModel = isHandoffError(error) && error.code === 'E_MODEL'
  return reasonOf(isOfModel ? error.cause : error).replace(/\.$/, '')
}

/** A text as data, between marks with a word that it does not hold, so that nothing in it can end them. */
export function fenced(name: string, text: string): string {
  let word = ''
  do word = randomBytes(6).toString('hex')
  while (text.includes(word))
  return `<${name}-${word}>\n${text}\n</${name}-${word}>`
}

/** Bytes of an answer that are taken; a real one has a few thousand. */
const MAX_ANSWER = 8 << 20
/** UTF-16 units of what a program complains about that are kept: whoever shows a part of it looks for secrets in all of it first. */
const MAX_COMPLAINT = 1 << 16

/** A program to be run, and what it is given. */
interface Program {
  file: string
  args: readonly string[]
  stdin: string
  /** Absent: this process's own. */
  cwd?: string
  env?: Readonly<Record<string, string>>
  signal?: AbortSignal
}

/** The end of a text, in whole words: half a secret is not known for one. */
export const endOf = (text: string): string =>
  text.length <= MAX_COMPLAINT ? text : text.slice(-MAX_COMPLAINT).replace(/^\S*\s*/, '')

/**
 * Runs a program and all that it starts in a process group of its own, which is ended when the program is over. Whoever gives the signal
 * ends the group, and the signal's reason is thrown, at the latest three seconds later. Throws with the reason when it cannot be started,
 * and when it prints more than 8 MB. `exit` is null where a signal ended it.
 */
export async function runProgram({
  file,
  args,
  stdin,
  ...options
}: Program): Promise<{ exit: number | null; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await run(file, args, {
    ...{ ...options, input: stdin, most: MAX_ANSWER, group: true },
  }).catch((error: NodeJS.ErrnoException) => {
    // The system says the same of a program that is missing and of one whose interpreter is.
    const isMissing = error.code === 'ENOENT' && error.syscall?.startsWith('spawn') === true
    throw isMissing
      ? new Error(`\`${file}\` or the interpreter that its first line names is missing`, { cause: error })
      : error
  })
  return { exit: code, stdout: stdout.toString('utf8'), stderr: endOf(stderr) }
}
