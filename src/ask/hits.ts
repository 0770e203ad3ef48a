import type { Passage, Rated } from './pool.ts'
import { quoteOf } from './quote.ts'
import type { QueryWords } from './words.ts'

export interface Hit {
  passage: Passage
  score: number
  /** The lines of it that fit best, verbatim and whole, so that a secret in them is still known for one. */
  quote: string
  /** The same of what it answers. */
  to: string | null
  /** The answer of the person that agreed to it, else the last thing said after it on the same matter: what became of it. */
  later: { passage: Passage; quote: string } | null
}

/** Lines of a quote: of what was said, of what it answers or was said later, and of a command. */
const LINES = { said: 8, beside: 4, command: 3 }
/** A line of more UTF-16 units than these says the same thing where it stands again. */
const SHOWN = 40
/** Share of a hit's words that a later passage must have, and of its score, to be on the same matter. */
const SAME_WORDS = 0.5
const SAME_SCORE = 0.7

/** The best passages, one of each message, and none whose lines stand in a better one. */
export function chooseHits(ranked: readonly Rated[], most: number, words: QueryWords): Hit[] {
  const found: Hit[] = []
  const messages = new Set<number>()
  const shown = new Set<string>()
  const isShown = (quote: string): boolean =>
    quote.split('\n').some((line) => line.length > SHOWN && shown.has(line.trim()))
  const quote = (text: string, lines: number): string => quoteOf(text, words, lines)
  for (const { passage, counts, score, agreed } of ranked) {
    if (found.length === most) break
    const said = quote(passage.text, passage.who === 'command' ? LINES.command : LINES.said)
    if (messages.has(passage.message) || isShown(said)) continue
    const later =
      agreed ??
      ranked
        .filter(({ passage: other }) => other.who !== 'command' && isElsewhere(other, passage))
        .filter((other) => other.score >= SAME_SCORE * score && shared(other.counts, counts) >= SAME_WORDS)
        .map((other) => other.passage)
        .sort((a, b) => b.order - a.order)[0]
    found.push({
      passage,
      score,
      quote: said,
      to: passage.to === null ? null : quote(passage.to, LINES.said),
      later: later === undefined ? null : { passage: later, quote: quote(later.text, LINES.beside) },
    })
    messages.add(passage.message)
    if (later !== undefined) messages.add(later.message)
    for (const text of [said, passage.to ?? '']) for (const line of text.split('\n')) shown.add(line.trim())
  }
  return found
}

/** A later turn, or a later source: the rest of the same turn is the same story. */
const isElsewhere = (a: Passage, b: Passage): boolean =>
  a.source > b.source || (a.source === b.source && a.turn > b.turn)

const shared = (of: ReadonlyMap<string, number>, words: ReadonlyMap<string, number>): number =>
  [...words.keys()].filter((word) => of.has(word)).length / words.size
