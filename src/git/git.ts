import { existsSync } from 'node:fs'
import { gitFailed, gitMissing, notARepository } from '../errors/git.ts'
import { type Child, type Ended, run, start } from '../programs.ts'
import { FIXED_CONFIG } from './environment.ts'

/** The door to git. Children have a process group of their own: a Ctrl-C meant for the agent does not hit git while it holds a lock. */

export interface GitOptions {
  cwd: string
  /** The whole environment of the child, from `gitEnvironment`; `undefined` takes a variable out. */
  env: Record<string, string | undefined>
  /** For standard input. */
  input?: string | Buffer
  /** Ends the child on abort; leave out where the child holds a lock. */
  signal?: AbortSignal | undefined
  /** Milliseconds after which the child is ended. */
  timeout?: number
  /** Called when git gives no answer for long. */
  slow?: ((command: string) => void) | undefined
  /** Stay in our process group and terminal, so that a passphrase prompt works. */
  foreground?: boolean
}

/**
 * Runs git and returns its bytes and exit status. Throws `gitMissing`, `notARepository` when `cwd` is not there, and the signal's reason.
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<Ended> {
  const { foreground = false, slow, ...rest } = options
  const unwatch = watch(slow, args)
  return run('git', withConfig(args), { ...rest, detached: !foreground })
    .catch((error: unknown) => Promise.reject(reasonOf(error, options.cwd)))
    .finally(unwatch)
}

/** What git prints, as text. An exit status other than 0 and those in `answers` throws `gitFailed`. */
export async function gitText(
  args: readonly string[],
  { answers = [], ...options }: GitOptions & { answers?: readonly number[] },
): Promise<string> {
  const result = await runGit(args, options)
  if (result.code !== 0 && !answers.includes(result.code ?? -1)) throw failure(args, result)
  return result.stdout.toString('utf8')
}

/** `gitFailed` with git's own words. */
export const failure = (args: readonly string[], ended: Omit<Ended, 'stdout'>): Error =>
  gitFailed(withoutSettings(args), ended.stderr || `exit ${ended.code ?? 'by a signal'}`)

/** The command itself, as people know it. */
const withoutSettings = (args: readonly string[]): readonly string[] =>
  args[0] === '-c' ? withoutSettings(args.slice(2)) : args

/** Starts git with its input open; the caller listens for `error` and `close`, and ends the input. */
export const openGit = (args: readonly string[], { cwd, env }: Pick<GitOptions, 'cwd' | 'env'>): Child =>
  start('git', withConfig(args), { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })

const withConfig = (args: readonly string[]): string[] => [
  ...FIXED_CONFIG.flatMap((entry) => ['-c', entry]),
  ...args,
]

/** A missing working directory gives the same code as a missing program. */
function reasonOf(error: unknown, cwd: string): unknown {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== 'ENOENT') return error
  return existsSync(cwd) ? gitMissing(error) : notARepository(cwd)
}

/** Ms without an answer after which a person is told what is waited for. Large repositories take some seconds. */
const SLOW = 10_000

/** Calls `slow` with the name of the git command when it is still running by then; what is returned stops that. */
export function watch(slow: ((command: string) => void) | undefined, args: readonly string[]): () => void {
  if (slow === undefined) return () => undefined
  const timer = setTimeout(() => slow(withoutSettings(args)[0] ?? ''), SLOW)
  // Whoever does not wait for git is not kept waiting for this.
  timer.unref()
  return () => clearTimeout(timer)
}
