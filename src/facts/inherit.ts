import type { QuestionFact, TextFact } from '../types/evidence.ts'
import { commandOfFailing, commandText, kindOf, type Run } from './commands.ts'
import { squash } from './prose.ts'
import { contentWords } from './prose.ts'

/** What the parent hands down. */
export interface Inherited {
  id: string
  createdAt: string
  constraints: TextFact[]
  questions: QuestionFact[]
}

interface Own {
  constraints: TextFact[]
  questions: QuestionFact[]
}

/** Begins the risk of a session that the agent's own failure ended; it is over once another session works. */
const SESSION_FAILED = 'The session ended with a failure of the agent: '

export const riskOf = (text: string, at: string | null): QuestionFact => ({
  kind: 'risk',
  text: `${SESSION_FAILED}${text.replace(/\s+/g, ' ').trim()}`,
  source: 'transcript',
  at,
})

const FAILED_EARLIER = 'Failed earlier, not run whole since: '
/** A longer request orders work; what it answers with some of its words is not known. */
const LONGEST_ANSWER = 300

/**
 * The parent's rules and open questions first, then the session's own, equal texts once. `ended`: the commands that ran, `said`:
 * decisions and requests, which may answer a question; `isChanged`: code was changed since the parent.
 */
export function withInherited(
  inherited: Inherited | null,
  own: Own,
  { ended, said, isChanged }: { ended: readonly Run[]; said: readonly string[]; isChanged: boolean },
): Own {
  if (inherited === null) return own
  const answers = said
    .filter((text) => text.length <= LONGEST_ANSWER && !/[?？]\s*$/.test(text))
    .map((text) => new Set(contentWords(text)))
  const fails = new Set(
    own.questions.map(({ text }) => commandOfFailing(text)).filter((command) => command !== null),
  )
  const open = inherited.questions.filter(({ text }) => {
    if (text.startsWith(SESSION_FAILED)) return false
    const command = commandOfFailing(text) ?? commandOfEarlier(text)
    if (command === null) return !answers.some((words) => answersQuestion(words, text))
    // A check of its kind that passed clears it, as the suite does a test of one file.
    const kind = kindOf(command)
    const isEnded = ended.some(
      (run) =>
        (run.outcome === 'ok' && run.kind === kind) || (run.outcome !== 'unknown' && run.command === command),
    )
    return !isEnded && !fails.has(command)
  })
  return {
    constraints: joined(inherited.constraints, own.constraints, inherited.id),
    questions: joined(isChanged ? open.map(asEarlier) : open, own.questions, inherited.id),
  }
}

/** Most of the content words of a question, and two at least. */
function answersQuestion(said: ReadonlySet<string>, question: string): boolean {
  const words = new Set(contentWords(question))
  const shared = [...words].filter((word) => said.has(word)).length
  return shared >= 2 && shared * 5 >= words.size * 3
}

function joined<T extends TextFact>(kept: readonly T[], own: readonly T[], id: string): T[] {
  const seen = new Set<string>()
  return [...kept.map((fact) => ({ ...fact, from: fact.from ?? id })), ...own].filter(({ text }) => {
    const key = squash(text)
    return !seen.has(key) && seen.add(key)
  })
}

/** A failing check of an earlier brief, once files changed: whether it fails now is not known. */
export function asEarlier(fact: QuestionFact): QuestionFact {
  const command = fact.kind === 'failing' ? commandOfFailing(fact.text) : null
  return command === null ? fact : { ...fact, kind: 'risk', text: FAILED_EARLIER + commandText(command) }
}

/** The command of an item that `asEarlier` wrote; null for other items. */
export const commandOfEarlier = (text: string): string | null =>
  text.startsWith(FAILED_EARLIER) ? (/: (`+)\s?(.+?)\s?\1$/.exec(text)?.[2] ?? null) : null
