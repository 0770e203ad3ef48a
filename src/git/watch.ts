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
