import { setMaxListeners } from 'node:events'
import { HandoffError } from '../errors/handoff-error.ts'
import { usage } from '../errors/usage.ts'
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

/** What an option takes; `any` is left as it is. */
type Kind = 'text' | 'flag' | 'text or flag' | 'list' | 'any'

/** The options of a function, each with its kind and the name that its command gives it, where that is another one. */
export type Kinds<O> = {
  readonly [Key in Exclude<keyof Required<O>, keyof Surroundings>]: Kind | readonly [Kind, string]
}

const AROUND = ['cwd', 'env', 'home', 'now', 'signal', 'onMessage']

/**
 * What a function was given, under the names of its command; what is undefined, null or false is left out. Throws `usage` for an option that there is none of,
 * which would do nothing unseen, and for a value of another kind.
 */
export function readOptions<O extends object>(
  name: string,
  options: O,
  kinds: Kinds<O>,
): Record<string, unknown> {
  const known = new Map<string, Kind | readonly [Kind, string]>(Object.entries(kinds))
  const entries = Object.entries(options).flatMap(([key, value]: [string, unknown]) => {
    if (AROUND.includes(key)) return []
    const found = known.get(key)
    if (found === undefined)
      throw usage(
        `${name} has no option ${JSON.stringify(key).slice(0, 60)}.`,
        `It has: ${[...known.keys(), ...AROUND].join(', ')}.`,
      )
    if (value === undefined || value === null || value === false) return []
    const [kind, own] = typeof found === 'string' ? [found, key] : found
    return [[own, readValue(name, key, kind, value)]]
  })
  return Object.fromEntries(entries) as Record<string, unknown>
}

function readValue(name: string, key: string, kind: Kind, value: unknown): unknown {
  if (kind === 'any') return value
  if (kind === 'list') return [value].flat().map(String)
  // Only a flag is there without a value.
  if (kind !== 'text or flag' && (value === true) !== (kind === 'flag'))
    throw usage(
      `The option ${key} of ${name} takes ${kind === 'flag' ? 'true or false' : 'a text'}.`,
      'See docs/library.md.',
    )
  return value === true ? true : String(value)
}

/**
 * Does the work of one command, and returns the object that it prints with `--json`. `input` is for its standard input. Throws
 * `HandoffError` for everything that the program reports as an error, and an `AbortError` when the signal ended it.
 */
export async function call<T extends object>(
  command: 'create' | 'show' | 'check' | 'log',
  options: Record<string, unknown>,
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
    const { callLibrary } = await import('../cli.ts')
    const around = { env, cwd: () => cwd ?? process.cwd(), home, now, signal: inner.signal, onMessage }
    const outcome = await callLibrary(command, options, input, around)
    if ('result' in outcome) return outcome.result as T
    const { code, message, hint, exit, data } = outcome.failure
    if (signal?.aborted && code === 'E_CANCELLED') throw abortError(signal)
    throw new HandoffError(code, message, hint, { exit, data })
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
}

/** What everything that takes a signal rejects with; the reason of the caller is its cause. */
const abortError = ({ reason }: AbortSignal): DOMException =>
  new DOMException(cancelled().message, { name: 'AbortError', cause: reason })
