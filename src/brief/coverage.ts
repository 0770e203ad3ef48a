import { tellingWords } from '../text/blocks.ts'

export interface Choice {
  text: string
  tokens: number
  worth: number
  /** Told before anything is weighed, the newest first; `request` before all others. */
  need: 'request' | 'other' | null
}

/** A word told once more still counts a little: it ties its sentence to another. */
const AGAIN = 0.3
/** Between 0, where long texts win, and 1, where single words do. */
const THRIFT = 0.5

/**
 * The texts that together tell most, in their order, within about `room` tokens: greedily the one whose words add most to
 * what is told, for what it takes. A word counts by how many texts hold it (square root), so that what the work is about
 * counts more than an aside. `told`: what stands elsewhere. The usual greedy choice for maximum coverage under a budget.
 */
export function chooseByCoverage<T extends Choice>(choices: readonly T[], told: string, room: number): T[] {
  const words = new Map(choices.map((choice) => [choice, [...new Set(tellingWords(choice.text))]]))
  const counts = new Map<string, number>()
  for (const list of words.values()) for (const word of list) counts.set(word, (counts.get(word) ?? 0) + 1)
  const seen = new Map<string, number>()
  const take = (list: readonly string[]): void => {
    for (const word of list) seen.set(word, (seen.get(word) ?? 0) + 1)
  }
  take([...new Set(tellingWords(told))])
  const gain = (choice: T): number => {
    let sum = 0
    for (const word of words.get(choice) ?? []) {
      const times = seen.get(word) ?? 0
      if (times > 1) continue
      sum += Math.sqrt(counts.get(word) ?? 0) * (times === 0 ? 1 : AGAIN)
    }
    return (choice.worth * sum) / choice.tokens ** THRIFT
  }
  const chosen = new Set<T>()
  let left = room
  const keep = (choice: T): void => {
    chosen.add(choice)
    left -= choice.tokens
    take(words.get(choice) ?? [])
  }
  for (const need of ['request', 'other'] as const)
    for (const choice of choices.toReversed()) if (choice.need === need && choice.tokens <= left) keep(choice)
  // What a text adds only falls while others are told, so the one on top is right once its figure is fresh.
  const open = choices
    .filter((choice) => !chosen.has(choice))
    .map((choice) => ({ choice, value: gain(choice) }))
    .sort((a, b) => a.value - b.value)
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    if (top.choice.tokens > left) continue
    const value = gain(top.choice)
    if (value <= 0) continue
    if (value >= (open.at(-1)?.value ?? 0)) keep(top.choice)
    else open.splice(open.findLastIndex((other) => other.value < value) + 1, 0, { choice: top.choice, value })
  }
  return choices.filter((choice) => chosen.has(choice))
}
