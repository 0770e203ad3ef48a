import type { DecisionFact, QuestionFact } from '../types/evidence.ts'
import { isContent } from './placeholder.ts'
import { cutAtWord } from './prose.ts'

/** What an agent states in lines that name their kind: `Decision: …`, `We chose …`, `Open question: …`. */
export interface Stated {
  hear(text: string, at: string | null): void
  decisions(): DecisionFact[]
  questions(): QuestionFact[]
}

const MAX = 30
const MAX_LINE = 400
const MARK = String.raw`^\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)?(?:\*\*)?`
const DECISION = new RegExp(String.raw`${MARK}(?:decision|decided)(?:\*\*)?:(?:\*\*)?\s+(\S.*)$`, 'i')
const CHOSE = new RegExp(
  String.raw`${MARK}((?:we|i)(?:['’]ve| have)? (?:chose|decided|picked|opted|went with|settled on|agreed)\b.*)$`,
  'i',
)
const QUESTION = new RegExp(String.raw`${MARK}open questions?(?:\*\*)?:(?:\*\*)?\s+(\S.*)$`, 'i')

export function createStated(): Stated {
  const decisions: DecisionFact[] = []
  const questions: QuestionFact[] = []
  return {
    hear(text, at) {
      if (!/decision|decided|chose|picked|opted|went with|settled|agreed|open question/i.test(text)) return
      for (const line of text.split('\n')) {
        const decided = DECISION.exec(line)?.[1] ?? CHOSE.exec(line)?.[1]
        if (decided !== undefined && isContent(decided))
          keep(decisions, { ...partsOf(decided), by: 'agent', source: 'agent', at }, ({ what }) => what)
        const asked = QUESTION.exec(line)?.[1]
        if (asked !== undefined && isContent(asked))
          keep(
            questions,
            { kind: 'question', text: short(asked), source: 'agent', at },
            (question) => question.text,
          )
      }
    },
    decisions: () => decisions,
    questions: () => questions,
  }
}

function keep<T>(list: T[], item: T, key: (item: T) => string): void {
  const held = list.findIndex((other) => key(other) === key(item))
  if (held !== -1) list.splice(held, 1)
  list.push(item)
  if (list.length > MAX) list.shift()
}

const short = (text: string): string => cutAtWord(text.replace(/\*\*/g, '').trim(), MAX_LINE)

/** `X because Y` and `X instead of Z` as what, why and alternative. */
function partsOf(text: string): Pick<DecisionFact, 'what' | 'why' | 'alternatives'> {
  const line = short(text)
  const because = /^(.*?\S),? (?:because|since|so that) (.*)$/i.exec(line)
  const what = because?.[1] ?? line
  const instead = /^(.*?\S),? (?:instead of|rather than) (.*)$/i.exec(what)
  return {
    what: instead?.[1] ?? what,
    why: because?.[2] ?? null,
    alternatives: instead?.[2] === undefined ? [] : [instead[2]],
  }
}
