interface More {
  exit?: 1 | 2 | 130
  cause?: unknown
  data?: Record<string, unknown>
}

/**
 * Every way to fail on purpose: a stable code, a message, what to do next. One function per way, so that texts sit
 * together. `exit` 1: findings or `Handoff failed`; 2: could not run; 130: cancelled.
 */
export class HandoffError extends Error {
  override readonly name = 'HandoffError'
  constructor(
    readonly code: string,
    message: string,
    readonly hint: string,
    { exit = 2, cause, data = {} }: More = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.exit = exit
    this.data = data
  }
  readonly exit: 1 | 2 | 130
  readonly data: Record<string, unknown>
}

/** A way to fail, by what it has to say of each case: the message and what to do next. */
export const failure =
  <Case extends unknown[]>(
    code: string,
    say: (...of: Case) => readonly [message: string, hint: string, more?: More],
  ) =>
  (...of: Case): HandoffError =>
    new HandoffError(code, ...say(...of))

/** By name, not by class: each lazy chunk may carry its own copy of the class. */
export const isHandoffError = (error: unknown): error is HandoffError =>
  error instanceof Error && error.name === 'HandoffError' && 'code' in error && 'hint' in error

/** What was looked for is not there, nor the folder that it would lie in. */
export const isMissing = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')

/** Null for what is not there. Throws all else. */
export function nullIfMissing(cause: unknown): null {
  if (isMissing(cause)) return null
  throw cause
}

/** What a call gives, or null when it throws: for questions to which a failure is an answer. */
export function orNull<T>(call: () => T): T | null {
  try {
    return call()
  } catch {
    return null
  }
}

/** What went wrong, in the words of whoever threw it. */
export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** What `JSON.parse` says, without the twenty characters of the text that it quotes: half of a secret is not known for one. */
export const jsonProblem = (cause: unknown): string => reasonOf(cause).replace(/, (?:\.{3})?".*$/s, '')

/** What was typed, whole or not at all: half a key is not known for one, and so would be shown. */
export const quoted = (text: string, most: number): string =>
  text.length <= most ? JSON.stringify(text) : `a text of ${text.length} characters`
