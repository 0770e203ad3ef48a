import type { SessionEvent } from '../types.ts'
import { contentWords } from './goal.ts'
import { isOwnCall, ownShare } from './own.ts'

/** Who said or did what a passage holds. */
export type Speaker = 'user' | 'agent' | 'command' | 'summary' | 'brief'

/** A piece of text and where it stands. */
export interface Passage {
  /** Which of the sources that were added, counted from 0, oldest first. */
  source: number
  /** The prompts up to here in that source; 0 before the first. */
  turn: number
  /** ISO, or null. */
  at: string | null
  who: Speaker
  text: string
  /** In order of time over all sources. */
  order: number
}

export interface Hit {
  passage: Passage
  score: number
  /** The lines of it that fit best, verbatim and whole, so that a secret in them is still known for one. */
  quote: string
  /** The last passage after it on the same matter: what became of it. */
  later: { passage: Passage; quote: string } | null
}

export interface Search {
  /** Begins the next source, older ones first. */
  begin(): void
  add(event: SessionEvent): void
  /** One piece of a text that is no session. */
  tell(text: string, at: string | null): void
  hits(most: number): Hit[]
}

/** Okapi BM25, the usual constants: how soon repetition stops to count, and how much length does. */
const K1 = 1.2
const B = 0.75
/** UTF-16 units of one passage: a paragraph or two. */
const PASSAGE = 900
/** Passages kept for ranking; beyond that those with fewer of the words go first. */
const KEPT = 4000
/** Share of a hit's words that a later passage must have, and of its score, to be on the same matter. */
const SAME_WORDS = 0.5
const SAME_SCORE = 0.4
/** Lines of a quote, and UTF-16 units of each. */
const LINES = 3
const LINE = 240

/**
 * Searches what was said and done for the words of a question, in one pass: passages without any of them are only counted. The order
 * of equal hits is that of time, so the same input gives the same answer.
 */
export function createSearch(question: string): Search {
  const words = [...new Set(contentWords(question))]
  const matches: Match[] = []
  const df = new Map<string, number>(words.map((word) => [word, 0]))
  const commands = new Map<string, string>()
  let [source, turn, order, count, length] = [-1, 0, 0, 0, 0]

  const take = (who: Speaker, text: string, at: string | null): void => {
    for (const piece of piecesOf(text)) {
      count++
      length += sizeOf(piece)
      const lower = piece.toLowerCase()
      const has = words.filter((word) => lower.includes(word))
      if (has.length === 0) continue
      for (const word of has) df.set(word, (df.get(word) ?? 0) + 1)
      matches.push({ passage: { source, turn, at, who, text: piece, order: order++ }, has: has.length })
      if (matches.length > 2 * KEPT) shrink()
    }
  }
  const shrink = (): void => {
    matches.sort((a, b) => b.has - a.has || b.passage.order - a.passage.order)
    matches.length = KEPT
  }

  return {
    begin() {
      source++
      turn = 0
      commands.clear()
    },
    add(event) {
      switch (event.kind) {
        case 'prompt':
          turn++
          return take('user', event.text, event.at)
        case 'answer':
          return take('user', event.text, event.at)
        case 'reply':
        case 'question':
        case 'proposal':
          return take('agent', event.text, event.at)
        case 'compaction':
          return take('summary', event.summary, event.at)
        case 'call':
          if (
            event.action.type === 'run' &&
            !isOwnCall(event.tool, event.action) &&
            ownShare(event.action.command) === 'none'
          )
            commands.set(event.id, event.action.command)
          else if (event.action.type === 'edit' && !isOwnCall(event.tool, event.action))
            take(
              'command',
              `${event.tool}: ${event.action.files.map(({ path }) => path).join(', ')}`,
              event.at,
            )
          return
        case 'result': {
          const command = commands.get(event.id)
          commands.delete(event.id)
          if (command !== undefined) take('command', `$ ${command}\n${event.text}`, event.at)
        }
      }
    },
    tell: (text, at) => take('brief', text, at),
    hits(most) {
      const average = count === 0 ? 1 : length / count
      const idf = new Map(
        words.map((word) => {
          const found = df.get(word) ?? 0
          return [word, Math.log(1 + (count - found + 0.5) / (found + 0.5))]
        }),
      )
      const ranked = matches
        .map(({ passage }) => {
          const counts = countsOf(passage.text, words)
          return { passage, counts, score: bm25(counts, sizeOf(passage.text), idf, average) }
        })
        // A word inside of another one is none.
        .filter(({ counts }) => counts.size > 0)
        .sort((a, b) => b.score - a.score || a.passage.order - b.passage.order)
      const found: Hit[] = []
      const shown = new Set<number>()
      for (const match of ranked) {
        if (found.length === most) break
        if (shown.has(match.passage.order)) continue
        const { passage, score, counts } = match
        const later = ranked
          .filter((other) => other.passage.order > passage.order && isElsewhere(other.passage, passage))
          .filter((other) => other.score >= SAME_SCORE * score && shared(other.counts, counts) >= SAME_WORDS)
          .sort((a, b) => b.passage.order - a.passage.order)[0]
        shown.add(passage.order)
        if (later !== undefined) shown.add(later.passage.order)
        found.push({
          passage,
          score,
          quote: quoteOf(passage.text, words),
          later:
            later === undefined
              ? null
              : { passage: later.passage, quote: quoteOf(later.passage.text, words) },
        })
      }
      return found
    },
  }
}

/** A passage that holds `has` of the words, at least inside of others. */
interface Match {
  passage: Passage
  has: number
}

/** About how many words: those of passages that cannot match are not worth counting. */
const sizeOf = (text: string): number => text.length / 6

function countsOf(text: string, words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of contentWords(text))
    if (words.includes(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function bm25(
  counts: ReadonlyMap<string, number>,
  length: number,
  idf: ReadonlyMap<string, number>,
  average: number,
): number {
  let score = 0
  for (const [word, times] of counts)
    score += ((idf.get(word) ?? 0) * times * (K1 + 1)) / (times + K1 * (1 - B + (B * length) / average))
  return score
}

/** A later turn, or a later source: the rest of the same turn is the same story. */
const isElsewhere = (a: Passage, b: Passage): boolean => a.source !== b.source || a.turn > b.turn

const shared = (of: ReadonlyMap<string, number>, words: ReadonlyMap<string, number>): number =>
  [...words.keys()].filter((word) => of.has(word)).length / words.size

/** Whole paragraphs up to the size of a passage; longer ones are cut at lines. */
function piecesOf(text: string): string[] {
  if (text.length <= PASSAGE) return text.trim() === '' ? [] : [text]
  const pieces: string[] = []
  let piece = ''
  for (const line of text.split('\n')) {
    if (piece !== '' && piece.length + line.length > PASSAGE) {
      pieces.push(piece)
      piece = ''
    }
    piece = piece === '' ? line : `${piece}\n${line}`
  }
  return [...pieces, piece].filter((one) => one.trim() !== '')
}

/** The line with most of the words and its neighbours. */
function quoteOf(text: string, words: readonly string[]): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const found = lines.map((line) => {
    const has = new Set(contentWords(line))
    return words.filter((word) => has.has(word)).length
  })
  const best = found.indexOf(Math.max(...found))
  const first = Math.max(0, Math.min(best - 1, lines.length - LINES))
  return lines
    .slice(first, first + LINES)
    .map((line) => line.trimEnd())
    .join('\n')
}

/** The lines of a quote, each cut to its room around the first word of the question that it holds; secrets are replaced before. */
export function clipQuote(quote: string, question: string): string {
  const words = contentWords(question)
  return quote
    .split('\n')
    .map((line) => clip(line, words))
    .join('\n')
}

function clip(line: string, words: readonly string[]): string {
  if (line.length <= LINE) return line
  const lower = line.toLowerCase()
  const at = Math.min(
    ...words.map((word) => lower.indexOf(word)).filter((place) => place >= 0),
    line.length - 1,
  )
  const start = Math.max(0, Math.min(at - LINE / 3, line.length - LINE))
  const cut = line.slice(start, start + LINE)
  return `${start > 0 ? '…' : ''}${cut}${start + LINE < line.length ? '…' : ''}`
}
