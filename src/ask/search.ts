import { picksOf, SHORT_ANSWER } from '../facts/decisions.ts'
import { createTurnCount, isOwnCall, ownShare, withoutOwnText } from '../facts/shell.ts'
import { contentWords } from '../text/blocks.ts'
import type { SessionEvent } from '../types/session.ts'

type Speaker = 'user' | 'agent' | 'command' | 'summary' | 'brief'

/** A piece of text with words of the question, and where it stands. */
export interface Passage {
  /** Which of the sources that were added, counted from 0, oldest first. */
  source: number
  /** The person's requests up to here in that source; 0 before the first. */
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
  worth: number
  /** How often each word of the question stands in it and in what it answers. */
  counts: ReadonlyMap<string, number>
}

export interface Hit {
  passage: Passage
  score: number
  /** The lines of it that fit best, verbatim and whole, so that a secret in them is still known for one. */
  quote: string
  /** The same of what it answers. */
  to: string | null
  /** The last thing said after it on the same matter: what became of it. */
  later: { passage: Passage; quote: string } | null
}

interface Search {
  /** Begins the next source, older ones first. */
  begin(): void
  add(event: SessionEvent): void
  /** One piece of a text that is no session. */
  tell(text: string, at: string | null): void
  hits(most: number): Hit[]
}

/** UTF-16 units of one passage: a paragraph or two. */
const PASSAGE = 900
/** Passages kept for ranking; beyond twice as many those with fewer of the words go first. */
const KEPT = 4000
/** What a passage is worth: the person's own words first, what commands printed last. A long message is mostly pasted, and counts as any other text. */
const WORTH = { own: 2, said: 1, command: 0.2 }

/**
 * Searches what was said and done for the words of a question, in one pass: passages without any of them are only counted. The order
 * of equal hits is that of time, so the same input gives the same answer.
 */
export function createSearch(question: string): Search {
  const words = [...new Set(contentWords(question))]
  let passages: Passage[] = []
  const commands = new Map<string, string>()
  /** Questions of the question tool that wait for an answer, by call. */
  const asked = new Map<string, string[]>()
  /** The last reply of the turn, which the next prompt may agree to. */
  let reply = ''
  let [source, message, order] = [-1, 0, 0]
  let turns = createTurnCount()
  /** Passages of any words but those of commands, and how many of them have each word. */
  let total = 0
  const having = new Map<string, number>()

  const take = (
    who: Speaker,
    text: string,
    at: string | null,
    worth: number,
    to: string | null = null,
  ): void => {
    message++
    const found = piecesOf(text).flatMap((piece): Passage[] => {
      const counts = countsOf(to === null ? piece : `${piece}\n${to}`, words)
      // What commands print repeats a word too often to tell how rare it is.
      if (who !== 'command') {
        total++
        for (const word of counts.keys()) having.set(word, (having.get(word) ?? 0) + 1)
      }
      const place = { source, turn: turns.turn, at, who, to, message, order: order++ }
      return counts.size === 0 ? [] : [{ ...place, text: piece, worth, counts }]
    })
    passages.push(...found)
    if (passages.length > 2 * KEPT)
      passages = passages.sort((a, b) => b.counts.size - a.counts.size || b.order - a.order).slice(0, KEPT)
  }

  return {
    begin() {
      source++
      turns = createTurnCount()
      reply = ''
      commands.clear()
      asked.clear()
    },
    add(event) {
      switch (event.kind) {
        case 'prompt': {
          turns.begins(event)
          const text = withoutOwnText(event.text)
          const worth = text.length <= PASSAGE ? WORTH.own : WORTH.said
          take('user', text, event.at, worth, assentedTo(text, reply))
          reply = ''
          return
        }
        case 'question': {
          const text = [event.text, ...event.options.map((option) => `- ${option}`)].join('\n')
          asked.set(event.id, [...(asked.get(event.id) ?? []), text])
          take('agent', text, event.at, WORTH.said)
          return
        }
        case 'answer': {
          const [to = null, ...rest] = asked.get(event.id) ?? []
          asked.set(event.id, rest)
          take('user', event.text, event.at, WORTH.own, to)
          return
        }
        case 'reply':
          if (event.sub === null) reply = event.text
          take('agent', event.text, event.at, WORTH.said)
          return
        case 'proposal':
          take('agent', event.text, event.at, WORTH.said)
          return
        case 'compaction':
          take('summary', event.summary, event.at, WORTH.said)
          return
        case 'call':
          if (isOwnCall(event.tool, event.action) || event.action.type !== 'run') return
          if (ownShare(event.action.command) === 'none') commands.set(event.id, event.action.command)
          return
        case 'result': {
          const command = commands.get(event.id)
          commands.delete(event.id)
          if (command !== undefined) take('command', `$ ${command}\n${event.text}`, event.at, WORTH.command)
        }
      }
    },
    tell: (text, at) => take('brief', text, at, WORTH.said),
    hits(most) {
      const ranked = passages
        .map((passage) => ({ passage, score: scoreOf(passage, total, having) }))
        .sort((a, b) => b.score - a.score || a.passage.order - b.passage.order)
      return chooseHits(ranked, most, words)
    },
  }
}

/** How often each of these words stands in a text. */
function countsOf(text: string, words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  const lower = text.toLowerCase()
  // A cheap look before the text is taken apart.
  if (!words.some((word) => lower.includes(word))) return counts
  for (const word of contentWords(text))
    if (words.includes(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Okapi BM25: how soon repetition stops to count. Passages differ too little in length for its other constant. */
const K1 = 1.2

/** BM25 times what a passage is worth, by how rare the words are. */
function scoreOf({ counts, worth }: Passage, total: number, having: ReadonlyMap<string, number>): number {
  let score = 0
  for (const [word, times] of counts) {
    const found = having.get(word) ?? 0
    score += (Math.log(1 + (total - found + 0.5) / (found + 0.5)) * times * (K1 + 1)) / (times + K1)
  }
  return score * worth
}

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

/** Lines of a quote: of what was said, of what it answers or was said later, and of a command. */
const LINES = { said: 8, beside: 4, command: 3 }
/** A line of more UTF-16 units than these says the same thing where it stands again. */
const SHOWN = 40
/** Share of a hit's words that a later passage must have, and of its score, to be on the same matter. */
const SAME_WORDS = 0.5
const SAME_SCORE = 0.7

/** The best passages, one of each message, and none whose lines stand in a better one. */
function chooseHits(
  ranked: readonly { passage: Passage; score: number }[],
  most: number,
  words: readonly string[],
): Hit[] {
  const found: Hit[] = []
  const messages = new Set<number>()
  const shown = new Set<string>()
  const isShown = (quote: string): boolean =>
    quote.split('\n').some((line) => line.length > SHOWN && shown.has(line.trim()))
  for (const { passage, score } of ranked) {
    if (found.length === most) break
    const quote = quoteOf(passage.text, words, passage.who === 'command' ? LINES.command : LINES.said)
    if (messages.has(passage.message) || isShown(quote)) continue
    const [later] = ranked
      .filter((one) => one.passage.who !== 'command' && one.score >= SAME_SCORE * score)
      .map((one) => one.passage)
      .filter((one) => isLater(one, passage) && shared(one, passage) >= SAME_WORDS)
      .sort((a, b) => b.order - a.order)
    found.push({
      ...{ passage, score, quote },
      to: passage.to === null ? null : quoteOf(passage.to, words, LINES.said),
      later: later === undefined ? null : { passage: later, quote: quoteOf(later.text, words, LINES.beside) },
    })
    messages.add(passage.message)
    if (later !== undefined) messages.add(later.message)
    for (const text of [quote, passage.to ?? '']) for (const line of text.split('\n')) shown.add(line.trim())
  }
  return found
}

/** A later turn, or a later source: the rest of the same turn is the same story. */
const isLater = (a: Passage, b: Passage): boolean =>
  a.source > b.source || (a.source === b.source && a.turn > b.turn)

const shared = (a: Passage, b: Passage): number =>
  [...b.counts.keys()].filter((word) => a.counts.has(word)).length / b.counts.size

/** The line with most of the words, one before it and those behind, `most` in all; whole, so that a secret in them is still known for one. */
function quoteOf(text: string, words: readonly string[], most: number): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const found = lines.map((line) => countsOf(line, words).size)
  const best = found.indexOf(Math.max(...found))
  const first = Math.max(0, Math.min(best - 1, lines.length - most))
  return lines
    .slice(first, first + most)
    .map((line) => line.trimEnd())
    .join('\n')
}

/** UTF-16 units of the end of a reply that an assent agrees to. */
const CLOSING = 900
const AGREES =
  /^(?:(?:ok|okay|great|good|perfect|fine|nice|cool|thanks|right)\b\W*)*(?:y|yes|yep|yeah|yup|sure|agreed?|exactly|both|sounds good|go (?:ahead|for|with)|do (?:it|that|so|both|all)|let['’]?s|please do)\b/i

/** What a short message agrees to in the reply before it: the items that it picks, and the end of the reply. Null where it agrees to nothing. */
function assentedTo(message: string, reply: string): string | null {
  const picked = picksOf(message, reply)
  if (reply.trim() === '') return null
  if (picked.length === 0 && (message.length > SHORT_ANSWER || !AGREES.test(message.trim()))) return null
  const end = reply.trim().slice(-CLOSING)
  // Whole paragraphs, at least one.
  const closing =
    reply.length <= CLOSING
      ? end
      : (reply
          .trim()
          .split(/\n\s*\n/)
          .at(-1) ?? '')
  return [...picked.filter((text) => !closing.includes(text)), closing].join('\n')
}
