/** What stands in both lists, in one of them alone, and how alike the two of a pair are: 1 when they say the same. */
export interface Pairing<T> {
  pairs: { before: T; after: T; likeness: number }[]
  added: T[]
  gone: T[]
}

/** Two texts at least so alike are one, reworded: more than half of the words of both are shared. */
export const LIKE = 0.6
/** Items of one list that are compared word by word; a brief holds fewer, a hostile text may hold ten thousand. */
const MOST_COMPARED = 200

/**
 * Pairs the items of two lists: first those of the same key, in order, then the most alike among the rest. The measure is
 * the Sørensen–Dice coefficient of their words (https://en.wikipedia.org/wiki/Dice-S%C3%B8rensen_coefficient): twice the
 * words shared, divided by the words of both; ties go to the earlier item. `wordsOf` null: this item is only known by its key.
 */
export function pairItems<T>(
  older: readonly T[],
  newer: readonly T[],
  keyOf: (item: T) => string,
  wordsOf: ((item: T) => string) | null,
): Pairing<T> {
  const waiting = new Map<string, number[]>()
  older.forEach((item, at) => {
    const key = keyOf(item)
    waiting.set(key, [...(waiting.get(key) ?? []), at])
  })
  const partner = new Map<number, { at: number; likeness: number }>()
  const taken = new Set<number>()
  newer.forEach((item, at) => {
    const before = waiting.get(keyOf(item))?.shift()
    if (before === undefined) return
    taken.add(before)
    partner.set(at, { at: before, likeness: 1 })
  })
  if (wordsOf !== null) {
    const rest = (items: readonly T[], isTaken: (at: number) => boolean) =>
      items
        .map((item, at) => ({ at, item }))
        .filter(({ at }) => !isTaken(at))
        .slice(0, MOST_COMPARED)
        .map(({ at, item }) => ({ at, bag: bagOf(wordsOf(item)) }))
    const then = rest(older, (at) => taken.has(at))
    const now = rest(newer, (at) => partner.has(at))
    const alike = then
      .flatMap((a) => now.map((b) => ({ before: a.at, after: b.at, likeness: diceOf(a.bag, b.bag) })))
      .filter(({ likeness }) => likeness >= LIKE)
      .sort((a, b) => b.likeness - a.likeness || a.before - b.before || a.after - b.after)
    for (const { before, after, likeness } of alike) {
      if (taken.has(before) || partner.has(after)) continue
      taken.add(before)
      partner.set(after, { at: before, likeness })
    }
  }
  return {
    pairs: newer.flatMap((after, at) => {
      const found = partner.get(at)
      const before = found === undefined ? undefined : older[found.at]
      return found === undefined || before === undefined ? [] : [{ before, after, likeness: found.likeness }]
    }),
    added: newer.filter((_, at) => !partner.has(at)),
    gone: older.filter((_, at) => !taken.has(at)),
  }
}

/** What two texts have in common word by word, from 0 to 1, in hundredths. */
export const likenessOf = (a: string, b: string): number => diceOf(bagOf(a), bagOf(b))

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
  const [small, large] = a.words.size <= b.words.size ? [a, b] : [b, a]
  let shared = 0
  for (const [word, times] of small.words) shared += Math.min(times, large.words.get(word) ?? 0)
  return Math.round((200 * shared) / (a.count + b.count)) / 100
}
