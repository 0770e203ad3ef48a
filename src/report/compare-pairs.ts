/** One value where two briefs differ. */
export interface ValueChange<T> {
  before: T
  after: T
}

export interface ListChange<T> {
  added: T[]
  gone: T[]
  /** Told by both, in other words. */
  reworded: ValueChange<T>[]
}

/** Two texts at least so alike are one, reworded: more than half of the words of both are shared. */
const LIKE = 0.6
/** Items of one list that are compared word by word; a brief holds fewer, a hostile text may hold ten thousand. */
const MAX_COMPARED = 200

/**
 * Pairs the items of two lists: first those of the same text, in order, then the most alike among the rest. The measure is
 * the Sørensen–Dice coefficient of their words (https://en.wikipedia.org/wiki/Dice-S%C3%B8rensen_coefficient): twice the
 * words shared, divided by the words of both; ties go to the earlier item.
 */
export function pairItems<T>(
  older: readonly T[],
  newer: readonly T[],
  textOf: (item: T) => string,
): ListChange<T> {
  const waiting = new Map<string, T[]>()
  for (const item of older) {
    const key = sameText(textOf(item))
    waiting.set(key, [...(waiting.get(key) ?? []), item])
  }
  const fresh = newer.filter((item) => waiting.get(sameText(textOf(item)))?.shift() === undefined)
  const left = new Set([...waiting.values()].flat())
  const bagged = (items: readonly T[]) =>
    items.slice(0, MAX_COMPARED).map((item) => ({ item, bag: bagOf(textOf(item)) }))
  const [then, now] = [bagged(older.filter((item) => left.has(item))), bagged(fresh)]
  const alike = then
    .flatMap((a) => now.map((b) => ({ before: a.item, after: b.item, likeness: diceOf(a.bag, b.bag) })))
    .filter(({ likeness }) => likeness >= LIKE)
    .sort((a, b) => b.likeness - a.likeness)
  const partner = new Map<T, T>()
  for (const { before, after } of alike) {
    if (!left.has(before) || partner.has(after)) continue
    left.delete(before)
    partner.set(after, before)
  }
  return {
    reworded: fresh.flatMap((after) => {
      const before = partner.get(after)
      return before === undefined ? [] : [{ before, after }]
    }),
    added: fresh.filter((item) => !partner.has(item)),
    gone: older.filter((item) => left.has(item)),
  }
}

/** The same text for our purpose: case, white space, quotation marks and a closing mark tell nothing. */
export const sameText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’]/g, "'")
    .replace(/\s+/g, ' ')
    .replace(/(?<![\s.。!])[\s.。!]+$/, '')
    .trim()

interface Bag {
  count: number
  words: ReadonlyMap<string, number>
}

/** Words in lower case; of scripts that set no spaces between words every letter is one. */
function bagOf(text: string): Bag {
  const words = new Map<string, number>()
  const found = text.normalize('NFKC').toLowerCase().match(WORD) ?? []
  for (const word of found) words.set(word, (words.get(word) ?? 0) + 1)
  return { count: found.length, words }
}

const WORD =
  /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3!-/:-@[-^`{-~\u2010-\u2027\u3000-\u303f\uff00-\uff0f]+/g

function diceOf(a: Bag, b: Bag): number {
  if (a.count + b.count === 0) return 0
  let shared = 0
  for (const [word, times] of a.words) shared += Math.min(times, b.words.get(word) ?? 0)
  return (2 * shared) / (a.count + b.count)
}
