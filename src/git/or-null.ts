/** What a call gives, or null when it throws: for questions about files whose absence is an answer. */
export function orNull<T>(call: () => T): T | null {
  try {
    return call()
  } catch {
    return null
  }
}
