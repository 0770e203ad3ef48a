import { setMaxListeners } from 'node:events'
import { HandoffError } from '../errors/handoff-error.ts'
import { cancelled } from '../errors/writing.ts'

/** Where a call works; what is left out is taken from this process when it is called. */
export interface Surroundings {
  /** Directory to work in; the current one of the process. */
  cwd?: string
  /** Environment variables, all of them: nothing is added from the process. */
  env?: Readonly<Record<string, string | undefined>>
  /** Home directory, under which sessions and configuration are looked for. */
  home?: string
  /** The clock. */
  now?: () => Date
  /** Ends the call, which rejects with an `AbortError` once nothing of it runs or lies about any more. */
  signal?: AbortSignal
  /** Told each line that the command says beside its result, as it is said: warnings, and that git is waited for. */
  onMessage?: (line: string) => void
}

/**
 * Runs one command as the program does with `--json`, and returns its object. Throws `HandoffError` for everything that the program
 * reports as an error, and an `AbortError` when the signal ended it.
 */
export async function call<T extends { ok: boolean }>(
  argv: readonly string[],
  { cwd, env = process.env, home, now, signal, onMessage }: Surroundings,
  input = '',
): Promise<T> {
  if (signal?.aborted) throw abortError(signal)
  const inner = new AbortController()
  // A command has more git processes at a time than the ten listeners that Node takes for a leak, and says so.
  setMaxListeners(0, inner.signal)
  // Whatever reason the caller gives, what it ends is told apart from a failure.
  const cancel = (): void => inner.abort(cancelled())
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    // The program is a megabyte, so whoever only imports the library does not pay for it.
    const { run } = await import('../cli.ts')
    let written = ''
    const exit = await run({
      argv: [...argv.slice(0, 1), '--json', ...argv.slice(1)],
      env,
      cwd: () => cwd ?? process.cwd(),
      stdin: asInput(input),
      stdout: { write: (text) => (written += text) },
      stderr: { write: () => {} },
      signal: inner.signal,
      ...(home === undefined ? {} : { home }),
      ...(now === undefined ? {} : { now }),
      ...(onMessage === undefined ? {} : { onMessage }),
    })
    const told = JSON.parse(written) as Told & T
    const [failure] = told.errors ?? []
    if (told.ok || failure === undefined) return told
    if (signal?.aborted && failure.code === 'E_CANCELLED') throw abortError(signal)
    const { code, message, hint, ...data } = failure
    throw new HandoffError(code, message, hint, exit === 1 || exit === 130 ? exit : 2, { data })
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
}

interface Told {
  errors?: ({ code: string; message: string; hint: string } & Record<string, unknown>)[]
}

async function* asInput(text: string): AsyncGenerator<string> {
  if (text !== '') yield text
}

/** What everything that takes a signal rejects with; the reason of the caller is its cause. */
const abortError = ({ reason }: AbortSignal): DOMException =>
  new DOMException(cancelled().message, { name: 'AbortError', cause: reason })
