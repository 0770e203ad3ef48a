import { isHandoffError, reasonOf } from '../errors/handoff-error.ts'

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
  /** JSON Schema of the answer, for a service that can hold its model to one. */
  schema?: object
}

/** A signal that is given after so many ms, or when `signal` is. `AbortSignal.any` came with Node 20.3. */
export function timeLimit(
  ms: number,
  signal: AbortSignal | undefined,
): { signal: AbortSignal; isOver: () => boolean } {
  const controller = new AbortController()
  const limit = AbortSignal.timeout(ms)
  for (const one of [limit, ...(signal === undefined ? [] : [signal])]) {
    if (one.aborted) controller.abort(one.reason)
    one.addEventListener('abort', () => controller.abort(one.reason), { once: true })
  }
  return { signal: controller.signal, isOver: () => limit.aborted }
}

/** Why a model gave no answer, in a clause: what `ask` threw. */
export function whyNoAnswer(error: unknown): string {
  const isOfModel = isHandoffError(error) && error.code === 'E_MODEL'
  return reasonOf(isOfModel ? error.cause : error).replace(/\.$/, '')
}
