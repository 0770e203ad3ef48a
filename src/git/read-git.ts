/**
 * The first way to git: simple-git, configured so that none of its traps can spring. Loading it and its first calls take
 * 12 ms, so what every `create` asks goes the second way.
 */
import { existsSync } from 'node:fs'
import type { SimpleGit } from 'simple-git'
import { gitFailed, gitMissing, notARepository } from '../errors/git.ts'
import { FIXED_CONFIG, gitEnvironment } from './environment.ts'
import { retryOnReadError } from './retry.ts'
import { watch } from './spawn.ts'

export interface ReadGitOptions {
  /** Text for standard input. */
  input?: string
  /** Added to the cleaned environment, or taken away by `undefined`. */
  env?: Record<string, string | undefined>
  signal?: AbortSignal | undefined
  /** Called when git gives no answer for long. */
  slow?: ((command: string) => void) | undefined
  /** As for `spawnGit`. */
  missed?: Set<string>
  /** Milliseconds without output after which git is ended. */
  timeout?: number
  /** Filters (`filter.<name>`) that are to do nothing, because their program is missing. */
  withoutFilters?: readonly string[]
  /** Exit statuses besides 0 that are an answer, not a failure. */
  answers?: readonly number[]
}

/** Programs that git would start for a person at a terminal; a read needs none, and simple-git refuses to pass them on. */
const PROGRAMS =
  /^(git_)?(editor|pager|askpass)$|^(visual|prefix|ssh_askpass)$|^git_(sequence_editor|ssh|ssh_command|proxy_command|external_diff|template_dir|exec_path)$/i

/**
 * Runs one git command through simple-git and returns its output as text. User text must stand after
 * `--end-of-options` or `--`, which the caller sees to. Throws `gitMissing`, `notARepository` when `cwd` does not exist,
 * and `gitFailed` with git's own words; rejects with the signal's reason on abort.
 */
export async function readGit(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
  options: ReadGitOptions = {},
): Promise<string> {
  options.signal?.throwIfAborted()
  if (!existsSync(cwd)) throw notARepository(cwd)
  const full = { ...gitEnvironment(env), ...options.env }
  const passed = Object.fromEntries(
    Object.entries(full).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !PROGRAMS.test(entry[0]),
    ),
  )
  const filters = (options.withoutFilters ?? []).flatMap((name) => [
    `filter.${name}.clean=`,
    `filter.${name}.process=`,
    `filter.${name}.required=false`,
  ])
  // Loaded at the first call: the commands that must be fast ask nothing that needs it.
  const { simpleGit } = await import('simple-git')
  let failure: { code: number; stderr: string } | undefined
  let said = ''
  let code: number | null = null
  const start = (): SimpleGit =>
    simpleGit({
      baseDir: cwd,
      config: [...FIXED_CONFIG, ...filters],
      // Everything passed was chosen above; without this list GIT_INDEX_FILE would be dropped silently.
      allowEnvironment: Object.keys(passed),
      unsafe: {
        allowUnsafeFsMonitor: true,
        allowUnsafeConfigPaths: true,
        allowUnsafeFilter: filters.length > 0,
      },
      ...(options.input === undefined ? {} : { input: () => options.input }),
      ...(options.signal ? { abort: options.signal } : {}),
      ...(options.timeout === undefined ? {} : { timeout: { block: options.timeout } }),
      // By itself simple-git takes a failure without words for success.
      errors: (error, result) => {
        said = Buffer.concat(result.stdErr).toString('utf8')
        code = result.exitCode
        if (result.exitCode === 0 || options.answers?.includes(result.exitCode)) return undefined
        failure = { code: result.exitCode, stderr: said }
        return error ?? Buffer.from(failure.stderr || `exit ${result.exitCode}`)
      },
    }).env(passed)
  const ask = async (): Promise<{
    stderr: string
    code: number | null
    text?: string
    cause?: unknown
  }> => {
    const git = inFolder(cwd, start)
    // Without any output simple-git waits 50 ms more; an empty block at the end counts as output.
    git.outputHandler((_command, stdout) => {
      stdout.once('end', () => stdout.emit('data', Buffer.alloc(0)))
    })
    failure = undefined
    said = ''
    code = null
    try {
      const text = await git.raw([...args])
      return { text, code, stderr: said }
    } catch (cause) {
      return { code, stderr: said, cause }
    }
  }
  const unwatch = watch(options.slow, args)
  const { text, cause } = await retryOnReadError(args, options.missed, ask).finally(unwatch)
  if (text !== undefined) return text
  options.signal?.throwIfAborted()
  const { stderr = '' } = failure ?? {}
  if (/spawn git ENOENT/.test(stderr)) throw gitMissing(cause)
  throw gitFailed(args, stderr, cause)
}

/** simple-git asks for the folder of the process also when it is given one, and that one may be gone. */
function inFolder<T>(cwd: string, work: () => T): T {
  const held = process.cwd
  process.cwd = () => cwd
  try {
    return work()
  } finally {
    process.cwd = held
  }
}
