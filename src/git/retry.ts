import { setTimeout as sleep } from 'node:timers/promises'

/** Somebody else was faster or holds a lock: worth another try. */
export class Busy extends Error {
  override readonly name = 'Busy'
}

/** What git says of a lock that somebody holds, and of a branch that somebody moved (git 2.39, LC_ALL=C). */
const PASSING = /: File exists|but expected|reference already exists/

export const isPassing = (error: unknown): boolean =>
  error instanceof Busy || (error instanceof Error && PASSING.test(error.message))

/** Waits 4 to 200 ms, longer and more scattered with every round. */
export async function backOff(round: number, signal: AbortSignal | undefined): Promise<void> {
  const most = Math.min(200, 8 * 2 ** Math.min(round, 5))
  await sleep(4 + Math.random() * (most - 4))
  signal?.throwIfAborted()
}

/** Runs `work`, and again as long as it fails for what passes. Throws the last error after `patience` ms, and the signal's reason. */
export async function keepTrying<T>(
  work: () => Promise<T>,
  patience: number,
  signal?: AbortSignal,
): Promise<T> {
  const end = performance.now() + patience
  for (let round = 0; ; round++) {
    try {
      return await work()
    } catch (error) {
      if (!isPassing(error) || performance.now() > end) throw error
      await backOff(round, signal)
    }
  }
}
