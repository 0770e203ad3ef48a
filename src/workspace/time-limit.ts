/** A signal that is given after so many ms, or when one of `signals` is. `AbortSignal.any` came with Node 20.3. */
export function timeLimit(
  ms: number,
  ...signals: (AbortSignal | undefined)[]
): { signal: AbortSignal; isOver: () => boolean } {
  const controller = new AbortController()
  const limit = AbortSignal.timeout(ms)
  for (const one of [limit, ...signals.filter((signal) => signal !== undefined)]) {
    if (one.aborted) controller.abort(one.reason)
    one.addEventListener('abort', () => controller.abort(one.reason), { once: true })
  }
  return { signal: controller.signal, isOver: () => limit.aborted }
}
