import { run } from '../../src/cli.ts'
import type { TempRepo } from './make-repo.ts'

export interface CliResult {
  code: number
  stdout: string
  stderr: string
  /** The one object of `--json`; undefined without. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into an object whose shape is what they test
  json: any
}

export interface CliOptions {
  cwd?: string
  /** What standard input gives, at once or as it comes. */
  stdin?: string | AsyncIterable<string>
  env?: Record<string, string>
  /** The time, standing still or going on. */
  now?: Date | (() => Date)
  /** Five hex digits of the next ids, in turn. */
  entropy?: string[]
  signal?: AbortSignal
  isTTY?: boolean
  /** Cells of a line of the terminal. */
  columns?: number
  /** What texts call the program; undefined: as it is found. */
  program?: string | undefined
  /** Called with each text on standard output. */
  onStdout?: (text: string) => void
}

/** A fixed moment, so that ids and ages are the same in every run. */
export const NOW = new Date('2026-11-22T10:00:00.000Z')

/** Runs the command line in this process, against a repository and its own home. */
export async function cli(
  repo: Pick<TempRepo, 'root' | 'home' | 'env'>,
  argv: string[],
  options: CliOptions = {},
): Promise<CliResult> {
  let stdout = ''
  let stderr = ''
  let ids = 0
  const { now = NOW } = options
  const stdin = Object.assign(
    (async function* () {
      if (typeof options.stdin === 'string') yield options.stdin
      else if (options.stdin !== undefined) yield* options.stdin
    })(),
    { isTTY: options.isTTY === true },
  )
  const { program } = { program: 'git handoff', ...options }
  const code = await run({
    argv,
    ...(program === undefined ? {} : { program }),
    env: { ...repo.env, ...options.env },
    home: repo.home,
    cwd: () => options.cwd ?? repo.root,
    stdin,
    stdout: {
      write: (text: string) => {
        stdout += text
        options.onStdout?.(text)
      },
      isTTY: options.isTTY === true,
      columns: options.columns,
    },
    stderr: { write: (text: string) => (stderr += text), isTTY: options.isTTY === true },
    now: typeof now === 'function' ? now : () => now,
    entropy: () => options.entropy?.[ids++] ?? (0xabc00 + ids++).toString(16),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
  return { code, stdout, stderr, json: argv.includes('--json') ? JSON.parse(stdout) : undefined }
}
