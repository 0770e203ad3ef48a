import { expect } from 'vitest'

/** Milliseconds that are too few to be told from noise. */
const LEAST = 5

/**
 * Fails where ten times the input takes forty times the processor time or more: work that grows with the square takes a hundred times.
 * Of several rounds any may show it, since what a collection of garbage takes in one is no cost of the work. `work` gets a number of
 * things; `size` is the smaller one.
 */
export async function expectLinear(
  size: number,
  work: (size: number) => unknown,
  what?: string,
): Promise<void> {
  await work(size)
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < 8; round++) {
    small = Math.min(small, await spent(() => work(size)))
    large = Math.min(large, await spent(() => work(10 * size)))
    if (large < 40 * Math.max(small, LEAST)) return
  }
  expect.fail(
    `${what ?? 'the work'}: ${Math.round(large)} ms for ten times of what takes ${small.toFixed(1)} ms`,
  )
}

async function spent(work: () => unknown): Promise<number> {
  const started = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1000
}
