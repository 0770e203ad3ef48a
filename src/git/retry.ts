import { setTimeout as sleep } from 'node:timers/promises'

/** Somebody else was faster or holds a lock: worth another try. */
export class Busy extends Error {
  override readonly name = 'Busy'
}

/** Words of git that mean: try again (git 2.39, LC_ALL=C). The last: a collection took an empty folder of objects away. */
const PASSING =
  /lock|but expected|nonexistent object|is not a valid object|reference already exists|unable to (?:write file|create temporary file).*: No such file/i
/** Words that stand beside those and mean: trying again is no use. */
const LASTING =
  /aborted by hook|no space left|out of disk ?space|write error|failed to write|read-only file system|permission denied|input\/output error|quota exceeded|exists; cannot create|not a directory|is a directory/i

export const isPassing = (error: unknown): boolean =>
  error instanceof Busy ||
  (error instanceof Error && PASSING.test(error.message) && !LASTING.test(error.message))

/** Somebody else has moved the branch or written the index between our look and our turn. */
export const isLost = (error: unknown): boolean =>
  error instanceof Error && /but expected|was changed by somebody else/i.test(error.message)

/** Waits 4 to 200 ms, longer and more scattered with every round. */
export async function backOff(round: number, signal: AbortSignal | undefined): Promise<void> {
  const most = Math.min(200, 8 * 2 ** Math.min(round, 5))
  await sleep(4 + Math.random() * (most - 4))
  signal?.throwIfAborted()
}
