import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { gitFailed, gitMissing, notARepository } from '../errors/git.ts'
import { FIXED_CONFIG } from './environment.ts'
import { retryMissingObject, retryOnReadError } from './retry.ts'

/**
 * The second way to git, for what simple-git cannot give: a start without delay, bytes in and out, an index file of our
 * own, exact environment, streams, and children in a process group of their own, so that a Ctrl-C or kill meant for the
 * agent does not hit git while it holds a lock.
 */

export interface SpawnOptions {
  cwd: string
  /** The whole environment of the child, from `gitEnvironment`. */
  env: Record<string, string>
  /** A promise: git starts at once and waits for it; when it is rejected, git is ended and so is the call. */
  input?: string | Buffer | Promise<string | Buffer>
  /** Ends the child on abort; leave out where the child holds a lock. */
  signal?: AbortSignal | undefined
  /** Milliseconds after which the child is ended. */
  timeout?: number
  /** Called when git gives no answer for long. */
  slow?: ((command: string) => void) | undefined
  /** Where what git could not read, and went on without, is noted. */
  missed?: Set<string> | undefined
  /** An object that a ref names may be gone for a moment; see `retryMissingObject`. */
  mayComeBack?: (() => boolean) | undefined
  /** Stay in our process group and terminal, so that a passphrase prompt works. */
  foreground?: boolean
}

export interface GitResult {
  /** Exit status; null when a signal ended the child. */
  code: number | null
  stdout: Buffer
  stderr: string
}

/**
 * Runs git and returns its bytes and exit status, whatever that is; a question is asked twice where a file could not be read, and
 * more often where an object is gone that may come back. Throws
 * `gitMissing`; rejects with the signal's reason.
 */
export const spawnGit = (args: readonly string[], options: SpawnOptions): Promise<GitResult> =>
  retryMissingObject(args, options, () => retryOnReadError(args, options.missed, () => runGit(args, options)))

async function runGit(args: readonly string[], options: SpawnOptions): Promise<GitResult> {
  options.signal?.throwIfAborted()
  const child = start(args, options)
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout?.on('data', (block: Buffer) => out.push(block))
  child.stderr?.on('data', (block: Buffer) => err.push(block))
  const code = await ended(child, args, options)
  options.signal?.throwIfAborted()
  await options.input
  return { code, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8') }
}

/** As `spawnGit`, but any exit status other than 0 throws `gitFailed`. */
export async function spawnGitOk(args: readonly string[], options: SpawnOptions): Promise<Buffer> {
  const result = await spawnGit(args, options)
  if (result.code !== 0) throw gitFailed(args, result.stderr || `exit ${result.code ?? 'by a signal'}`)
  return result.stdout
}

/** Yields the output of git in blocks as they come. Throws `gitFailed` at the end when git failed. */
export async function* streamGit(args: readonly string[], options: SpawnOptions): AsyncGenerator<Buffer> {
  options.signal?.throwIfAborted()
  const child = start(args, options)
  const err: Buffer[] = []
  child.stderr?.on('data', (block: Buffer) => err.push(block))
  const end = ended(child, args, options)
  end.catch(() => undefined) // Awaited below; a reader that stops early must not leave a rejection nobody handles.
  try {
    for await (const block of child.stdout ?? []) yield block as Buffer
    const code = await end
    options.signal?.throwIfAborted()
    if (code !== 0)
      throw gitFailed(args, Buffer.concat(err).toString('utf8') || `exit ${code ?? 'by a signal'}`)
  } finally {
    if (child.exitCode === null) child.kill('SIGTERM')
  }
}

function start(args: readonly string[], options: SpawnOptions): ChildProcess {
  // A pipe that is closed at once takes a millisecond more than none, and git reads the same nothing.
  const { input } = options
  const child = openGit(args, options, input === undefined ? 'ignore' : 'pipe')
  if (input instanceof Promise)
    input.then(
      (known) => child.stdin?.end(known),
      () => child.kill('SIGTERM'),
    )
  else child.stdin?.end(input)
  return child
}

/** A git that runs. */
export type GitChild = ChildProcess

/** Starts git, with its input open unless told otherwise; the caller listens for `error` and `close`, and ends the input. */
export function openGit(
  args: readonly string[],
  options: SpawnOptions,
  stdin: 'pipe' | 'ignore' = 'pipe',
): ChildProcess {
  const child = spawn('git', [...FIXED_CONFIG.flatMap((entry) => ['-c', entry]), ...args], {
    cwd: options.cwd,
    env: options.env,
    detached: !options.foreground,
    windowsHide: true,
    stdio: [stdin, 'pipe', 'pipe'],
  })
  // A child that ends before reading its input is judged by its exit status.
  child.stdin?.on('error', () => undefined)
  return child
}

function ended(child: ChildProcess, args: readonly string[], options: SpawnOptions): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const stop = () => child.kill('SIGTERM')
    const timer = options.timeout === undefined ? undefined : setTimeout(stop, options.timeout)
    options.signal?.addEventListener('abort', stop, { once: true })
    let unwatch = () => {}
    let isOver = false
    // Git that has not been told what to do is not slow.
    const begin = () => {
      if (!isOver) unwatch = watch(options.slow, args)
    }
    if (options.input instanceof Promise) options.input.then(begin, () => undefined)
    else begin()
    const tidy = () => {
      isOver = true
      unwatch()
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', stop)
    }
    child.on('error', (error: NodeJS.ErrnoException) => {
      tidy()
      // A missing working directory gives the same code as a missing program.
      if (error.code === 'ENOENT')
        reject(existsSync(options.cwd) ? gitMissing(error) : notARepository(options.cwd))
      else reject(error)
    })
    child.on('close', (code) => {
      tidy()
      resolve(code)
    })
  })
}

/** Ms without an answer after which a person is told what is waited for. Large repositories take some seconds. */
const SLOW = 10_000

/** Calls `slow` with the name of the git command when it is still running by then; what is returned stops that. */
export function watch(slow: ((command: string) => void) | undefined, args: readonly string[]): () => void {
  if (slow === undefined) return () => undefined
  const timer = setTimeout(() => slow(args[0] ?? ''), SLOW)
  // Whoever does not wait for git is not kept waiting for this.
  timer.unref()
  return () => clearTimeout(timer)
}
