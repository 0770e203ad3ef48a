import { countsOf, type Passage, type QueryWords, queryWords, type Rated } from './pool.ts'

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

/** UTF-16 units of a line that is shown. */
const LINE = 400

/** The line with most of the words, one before it and those behind, `most` in all; whole, so that a secret in them is still known for one. */
function quoteOf(text: string, words: QueryWords, most: number): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const found = lines.map((line) => countsOf(line, words).size)
  const best = found.indexOf(Math.max(...found))
  const first = Math.max(0, Math.min(best - 1, lines.length - most))
  return lines
    .slice(first, first + most)
    .map((line) => line.trimEnd())
    .join('\n')
}

/** The lines of a quote, each cut to its room around the first word of the question that it holds; secrets are replaced before. */
export function clipQuote(quote: string, question: string): string {
  const { stems } = queryWords(question)
  return quote
    .split('\n')
    .map((line) => clip(line, stems))
    .join('\n')
}

function clip(line: string, stems: readonly string[]): string {
  if (line.length <= LINE) return line
  const lower = line.toLowerCase()
  const at = Math.min(
    ...stems.map((stem) => lower.indexOf(stem)).filter((place) => place >= 0),
    line.length - 1,
  )
  const start = Math.max(0, Math.min(at - LINE / 2, line.length - LINE))
  const cut = line.slice(start, start + LINE)
  return `${start > 0 ? '…' : ''}${cut}${start + LINE < line.length ? '…' : ''}`
}
