import { clipQuote, type Hit } from './hits.ts'
import type { Passage } from './pool.ts'

/** Where the passages of one source come from. */
interface AnswerSource {
  /** Briefs made from it, newest first. */
  briefs: readonly string[]
  label: string | null
  /** The session; null when it is not on this machine. */
  ref: { id: string } | null
}

export interface Answer {
  score: number
  brief: string
  agent: string | null
  session: string | null
  turn: number
  at: string | null
  who: Passage['who']
  quote: string
  /** What it answers or agrees to. */
  to: string | null
  later: Place | null
}

type Place = Omit<Answer, 'score' | 'to' | 'later'>

/** A hit with its place and its clipped quotes. Secrets must be replaced in the hit before. */
export function answerOf(
  { passage, quote, score, to, later }: Hit,
  sources: readonly AnswerSource[],
  question: string,
): Answer {
  const clip = (text: string) => clipQuote(text, question)
  const at = (one: Passage, text: string): Place => {
    const source = sources[one.source]
    return {
      brief: source?.briefs[0] ?? '',
      agent: source?.label ?? null,
      session: source?.ref?.id ?? null,
      turn: one.turn,
      at: one.at,
      who: one.who,
      quote: clip(text),
    }
  }
  return {
    score: Math.round(score * 1000) / 1000,
    ...at(passage, quote),
    to: to === null ? null : clip(to),
    later: later === null ? null : at(later.passage, later.quote),
  }
}

export const answerText = (answers: readonly Answer[]): string =>
  answers.length === 0
    ? 'No match. Try other words: the search matches words, not meanings.'
    : answers.map((answer, at) => lines(answer, at + 1, answers)).join('\n\n')

function lines({ to, later, ...hit }: Answer, number: number, answers: readonly Answer[]): string {
  const quoted = (text: string, indent: string) => text.split('\n').map((line) => `${indent}> ${line}`)
  // What came last on a matter stands once, as a hit or below the first one it came after.
  const isIt = (one: Place | null) =>
    placeIn(one) === placeIn(later) && one?.quote.includes(later?.quote ?? '')
  const first = answers.findIndex((one, at) => isIt(one) || (at < number - 1 && isIt(one.later))) + 1
  const answered = to === null ? [] : ['   in answer to:', ...quoted(to, '   ')]
  const below =
    later === null
      ? []
      : first > 0
        ? [`   later: see ${first}`]
        : [`   later, ${placeOf(later)}:`, ...quoted(later.quote, '   ')]
  return [`${number}. ${placeOf(hit)}:`, ...quoted(hit.quote, ''), ...answered, ...below].join('\n')
}

const placeIn = (one: Place | null) => one && placeOf(one)

function placeOf({ who, turn, at, agent, session, brief }: Place): string {
  const where = session === null ? `brief ${brief}` : `turn ${turn} of ${agent ?? 'session'} ${session}`
  return [who === 'brief' ? '' : who, where, at ?? ''].filter((part) => part !== '').join(', ')
}
