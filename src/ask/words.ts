import { contentWords } from '../extract/goal.ts'

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

/** How often each word of a question stands in a text. */
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
export const stemsIn = (lower: string, { stems }: QueryWords): string[] =>
  stems.filter((stem) => lower.includes(stem))

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^a-z\d]+/g, '')

/** `store`, `stored` and `stores` are one word, and so are `drop` and `dropped`. */
const stemsOf = (text: string): string[] =>
  contentWords(text).map((word) =>
    word.length < 4 ? word : word.replace(/(?<=..)(?:ed|e)$/, '').replace(/([bdgmnprt])\1$/, '$1'),
  )
