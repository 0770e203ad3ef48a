import type { QuestionFact, TextFact } from '../types/evidence.ts'
import { asEarlier, commandOfFailing, commandsOfEarlier, settles } from './check-facts.ts'
import { shapeOf } from './command-kind.ts'
import type { Fold } from './fold.ts'
import { contentWords } from './goal.ts'
import { squash } from './prose.ts'

export interface Inherited {
  id: string
  createdAt: string
  constraints: TextFact[]
  questions: QuestionFact[]
}

/** Risks of a session that ended are over once another session works; this is how we word them. */
export const SESSION_FAILED = 'The session ended with a failure of the agent: '

/** The parent's demands that this session did not take back, first, then the session's own; equal texts once. */
export function withInheritedConstraints(inherited: Inherited | null, fold: Fold): TextFact[] {
  const own = fold.standing.rules()
  if (inherited === null) return own
  const kept = inherited.constraints.filter(({ text }) => !fold.standing.isTakenBack(text))
  return joined(kept, own, inherited.id)
}

/** The parent's questions that stand open after this session, then the session's own. `isChanged`: code was, since the parent. */
export function withInheritedQuestions(
  inherited: Inherited | null,
  own: QuestionFact[],
  fold: Fold,
  isChanged: boolean,
): QuestionFact[] {
  if (inherited === null) return own
  const answers = answersIn(fold)
  const failing = new Set(
    own.filter((item) => item.kind === 'failing').map((item) => commandOfFailing(item.text)),
  )
  const kept = inherited.questions
    .filter((question) => isStillOpen(question, fold, answers))
    .filter(({ kind, text }) => kind !== 'failing' || !failing.has(commandOfFailing(text)))
    .map((question) => (isChanged ? asEarlier(question) : question))
  return joined(kept, own, inherited.id)
}

function joined<T extends TextFact>(kept: readonly T[], own: readonly T[], id: string): T[] {
  const seen = new Set<string>()
  return [...kept.map((fact) => ({ ...fact, from: fact.from ?? id })), ...own].filter(({ text }) => {
    const key = squash(text)
    return !seen.has(key) && seen.add(key)
  })
}

/** A request longer than this orders work; what it answers with some of its words is not known. */
const LONGEST_ANSWER = 300

function hasEnded(command: string, fold: Fold): boolean {
  const whole = command.replace(/ \[…\]$/, '')
  const check = shapeOf(whole)
  return [...fold.commands.records.values()].some(
    (run) => (run.outcome !== 'unknown' && run.command.includes(whole)) || settles(run, check),
  )
}

/** The words of each decision, demand and short request of the person: what may answer a question. */
const answersIn = (fold: Fold): ReadonlySet<string>[] =>
  [
    ...fold.asks.decisions([]).map((decision) => decision.what),
    ...fold.picks.map((decision) => decision.what),
    ...fold.standing.rules().map((fact) => fact.text),
    ...fold.turns.requests().filter((text) => text.length <= LONGEST_ANSWER && !/[?？]\s*$/.test(text)),
  ].map((text) => new Set(contentWords(text)))

function isStillOpen(question: QuestionFact, fold: Fold, answers: readonly ReadonlySet<string>[]): boolean {
  if (question.text.startsWith(SESSION_FAILED)) return false
  const command = question.kind === 'failing' ? commandOfFailing(question.text) : null
  const failed = command === null ? commandsOfEarlier(question.text) : [command]
  if (failed.length > 0) return !failed.every((one) => hasEnded(one, fold))
  const words = new Set(contentWords(question.text))
  if (words.size === 0) return true
  // Answered when one of them speaks of most of the same things.
  return !answers.some((spoken) => {
    const shared = [...words].filter((word) => spoken.has(word)).length
    return shared >= 2 && shared * 5 >= words.size * 3
  })
}
