import { createHash } from 'node:crypto'

/** Numbers from 0 to 1 that a seed and a word decide (mulberry32). */
export function randomOf(seed: number, word: string): () => number {
  let state = createHash('sha256').update(`${seed} ${word}`).digest().readUInt32LE()
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The items in an order that `random` decides. */
export const shuffled = <T>(items: readonly T[], random: () => number): T[] =>
  items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)

/** The first item of each name. */
export const firstOfEach = <T>(items: readonly T[], nameOf: (item: T) => string): T[] => [
  ...new Map([...items].reverse().map((item) => [nameOf(item), item])).values(),
]

/** `count` of the items, or all when there are no more, in their order; which ones, `random` decides. */
export function sample<T>(items: readonly T[], count: number, random: () => number): T[] {
  const keyed = items.map((item, at) => ({ item, at, key: random() }))
  const chosen = keyed.sort((a, b) => a.key - b.key).slice(0, count)
  return chosen.sort((a, b) => a.at - b.at).map(({ item }) => item)
}
