import { contentWords } from '../facts/decisions.ts'

export type Speaker = 'user' | 'agent' | 'command' | 'summary' | 'brief'

/** A piece of text and where it stands. */
export interface Passage {
  /** Which of the sources that were added, counted from 0, oldest first. */
  source: number
  /** The prompts up to here in that source; 0 before the first. */
  turn: number
  at: string | null
  who: Speaker
  text: string
  /** What it answers or agrees to: a question with its options, the option it names, the end of the reply before it. */
  to: string | null
  /** Which message it is a piece of. */
  message: number
  /** In order of time over all sources. */
  order: number
}

export interface Match {
  passage: Passage
  /** Words of the question that it holds, at least inside of others. */
  has: number
  worth: number
  /** The person's message that agreed to it. */
  agreed: Passage | null
}

export interface Rated extends Match {
  counts: ReadonlyMap<string, number>
  score: number
}

/** Okapi BM25: how soon repetition stops to count, and how much length does; passages differ little in length. */
const K1 = 1.2
const B = 0.4
/** Passages kept for ranking, of prose and of commands; beyond that those with fewer of the words go first. */
const KEPT = 4000

/** Passages with words of the question, and how common those are. */
export function createPool(words: QueryWords) {
  let matches: Match[] = []
  const df = new Map<string, number>()
  let [count, length] = [0, 0]
  return {
    get matches(): readonly Match[] {
      return matches
    },
    add(match: Match): Match[] {
      const whole = wholeOf(match.passage)
      count++
      length += sizeOf(whole)
      const has = stemsIn(whole.toLowerCase(), words)
      if (has.length === 0) return []
      for (const word of has) df.set(word, (df.get(word) ?? 0) + 1)
      match.has = has.length
      matches.push(match)
      if (matches.length > 2 * KEPT)
        matches = matches.sort((a, b) => b.has - a.has || b.passage.order - a.passage.order).slice(0, KEPT)
      return [match]
    },
    /** BM25 times what a passage is worth, by how rare the words are in this pool; names written in one are always rare. */
    rater(): (match: Match) => Rated {
      const average = count === 0 ? 1 : length / count
      const idf = new Map(
        [...words.stems, ...words.names].map((word) => {
          const found = df.get(word) ?? 0
          return [word, Math.log(1 + (count - found + 0.5) / (found + 0.5))]
        }),
      )
      return (match) => {
        const { passage, worth } = match
        const whole = wholeOf(passage)
        const counts = countsOf(whole, words)
        const norm = K1 * (1 - B + (B * sizeOf(whole)) / average)
        let score = 0
        for (const [word, times] of counts)
          score += ((idf.get(word) ?? 0) * times * (K1 + 1)) / (times + norm)
        return { ...match, counts, score: score * worth }
      }
    },
  }
}

/** About how many words: those of passages that cannot match are not worth counting. */
const sizeOf = (text: string): number => text.length / 6

const wholeOf = ({ text, to }: Passage): string => (to === null ? text : `${text}\n${to}`)

/** The words of a question as they are looked for: stems, and names written in one (`isTrivialLine`, `min_age`, `dry-run`). */
export interface QueryWords {
  stems: readonly string[]
  names: readonly string[]
}

const NAME = /[a-z\d]+(?:[_-][a-z\d]+)+|[a-z\d]+[A-Z][A-Za-z\d]*/g

export const queryWords = (question: string): QueryWords => ({
  stems: [...new Set(stemsOf(question))],
  names: [...new Set((question.match(NAME) ?? []).map(lettersOf))],
})

export function countsOf(text: string, { stems, names }: QueryWords): Map<string, number> {
  const counts = new Map<string, number>()
  for (const stem of stemsOf(text)) if (stems.includes(stem)) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  if (names.length > 0 && counts.size > 0) {
    const letters = lettersOf(text)
    for (const name of names) if (letters.includes(name)) counts.set(name, 1)
  }
  return counts
}

/** Stems that may stand in a text given in lower case: a cheap look before it is taken apart. */
const stemsIn = (lower: string, { stems }: QueryWords): string[] =>
  stems.filter((stem) => lower.includes(stem))

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^a-z\d]+/g, '')

/** `store`, `stored` and `stores` are one word, and so are `drop` and `dropped`. */
const stemsOf = (text: string): string[] =>
  contentWords(text).map((word) =>
    word.length < 4 ? word : word.replace(/(?<=..)(?:ed|e)$/, '').replace(/([bdgmnprt])\1$/, '$1'),
  )
