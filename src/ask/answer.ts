import { contentWords } from '../text/blocks.ts'
import type { Hit, Passage } from './search.ts'

/** Where the passages of one source come from. */
interface AnswerSource {
  /** Briefs made from it, newest first. */
  briefs: readonly string[]
  label: string | null
  /** The session; null when it is not on this machine. */
  ref: { id: string } | null
}

interface Place {
  brief: string
  agent: string | null
  session: string | null
  turn: number
  at: string | null
  who: Passage['who']
  quote: string
}

export interface Answer extends Place {
  score: number
  /** What it answers or agrees to. */
  to: string | null
  later: Place | null
}

/** A hit with its place and its clipped quotes. Secrets must be replaced in the hit before. */
export function answerOf(
  { passage, quote, score, to, later }: Hit,
  sources: readonly AnswerSource[],
  question: string,
): Answer {
  const at = (one: Passage, text: string): Place => {
    const source = sources[one.source]
    return {
      brief: source?.briefs[0] ?? '',
      agent: source?.label ?? null,
      session: source?.ref?.id ?? null,
      turn: one.turn,
      at: one.at,
      who: one.who,
      quote: clipQuote(text, question),
    }
  }
  return {
    score: Math.round(score * 1000) / 1000,
    ...at(passage, quote),
    to: to === null ? null : clipQuote(to, question),
    later: later === null ? null : at(later.passage, later.quote),
  }
}

/** UTF-16 units of a line that is shown. */
const LINE = 400

/** The lines of a quote, each cut to its room around the first word of the question that it holds. */
export function clipQuote(quote: string, question: string): string {
  const words = contentWords(question)
  const clip = (line: string): string => {
    if (line.length <= LINE) return line
    const places = words.map((word) => line.toLowerCase().indexOf(word)).filter((place) => place >= 0)
    const at = Math.min(...places, line.length - 1)
    const start = Math.max(0, Math.min(at - LINE / 2, line.length - LINE))
    const end = start + LINE
    return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`
  }
  return quote.split('\n').map(clip).join('\n')
}

export function answerText(answers: readonly Answer[]): string {
  if (answers.length === 0) return 'No match. Try other words: the search matches words, not meanings.'
  const quoted = (text: string, indent: string) => text.split('\n').map((line) => `${indent}> ${line}`)
  // What came last on a matter stands once.
  const told = new Set(answers.map(({ quote }) => quote))
  return answers
    .map(({ to, later, ...hit }, at) => {
      const isNew = later !== null && !told.has(later.quote)
      if (isNew) told.add(later.quote)
      return [
        `${at + 1}. ${placeOf(hit)}:`,
        ...quoted(hit.quote, ''),
        ...(to === null ? [] : ['   in answer to:', ...quoted(to, '   ')]),
        ...(isNew ? [`   later, ${placeOf(later)}:`, ...quoted(later.quote, '   ')] : []),
      ].join('\n')
    })
    .join('\n\n')
}

function placeOf({ who, turn, at, agent, session, brief }: Place): string {
  const where = session === null ? `brief ${brief}` : `turn ${turn} of ${agent ?? 'session'} ${session}`
  return [who === 'brief' ? '' : who, where, at ?? ''].filter((part) => part !== '').join(', ')
}
