/**
 * How much slower this processor is now than the one that limits were set on; a loop of known cost tells. Another program on the
 * other thread of a core makes it 2 or 3.
 */
function slowness(): number {
  const started = process.cpuUsage()
  let sum = 0
  for (let n = 0; n < 20_000_000; n++) sum = (sum + n * 7) | 0
  const { user } = process.cpuUsage(started)
  return Math.max(1, user / 1000 / 20 + sum * 0)
}

/**
 * Milliseconds of processor time that `work` takes, as on the processor that limits were set on: the least of up to eight rounds,
 * since what a collection of garbage takes in one is no cost of the work; the first under `limit` ends it.
 */
export async function cpuTime(work: () => unknown, limit: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 8 && least >= limit; round++) {
    const started = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(started)
    least = Math.min(least, asThere((user + system) / 1000, limit))
  }
  return least
}

/** Milliseconds as on the processor that limits were set on; those under `limit` as they are, since to look takes time. */
export const asThere = (ms: number, limit: number): number => (ms < limit ? ms : ms / slowness())
