import type { SessionEvent } from '../../types/session.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import type { GeminiResult } from './calls.ts'

type Bare<E> = E extends SessionEvent ? Omit<E, 'at' | 'sub' | 'cwd'> : never
type Draft = Bare<Extract<SessionEvent, { kind: 'question' | 'answer' | 'proposal' | 'prompt' }>>

/** The questions of an `ask_user` call. */
export const geminiQuestions = (id: string, args: Fields): Draft[] =>
  listOf(args.questions)
    .map(fieldsOf)
    .map((asked, index) => ({
      kind: 'question',
      id: questionId(id, index),
      text: textOf(asked.question),
      options: listOf(asked.options).map((option) => textOf(fieldsOf(option).label)),
    }))

/** The person's answers, told by the number of the question. */
export function geminiAnswers(id: string, { output }: GeminiResult): Draft[] {
  const answers = fieldsOf(fieldsOf(parse(output)).answers)
  return Object.entries(answers)
    .filter(([, text]) => textOf(text) !== '')
    .map(([index, text]) => ({ kind: 'answer', id: questionId(id, Number(index)), text: textOf(text) }))
}

const questionId = (id: string, index: number): string => (index === 0 ? id : `${id}#${index + 1}`)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The client's words when the person gave no answer.
    return null
  }
}

/**
 * A plan the person was shown (`exit_plan_mode`) and what they said to it. `text`: the plan's file as it was written last; empty
 * when no tool of this session wrote it.
 */
export function geminiProposal(text: string, result: GeminiResult): Draft[] {
  const { output } = result
  const accepted = /^The approved implementation plan is stored at: /m.test(output)
  const rejected = output.startsWith('Plan rejected.')
  // Any other answer means that nobody was asked: the file was not there, or the tool itself failed.
  if (!accepted && !rejected && !output.startsWith('User cancelled the plan approval dialog')) return []
  const feedback = /^Plan rejected\. User feedback: ([\s\S]*?)\n\nThe plan is stored at: /.exec(output)?.[1]
  return [
    ...(text === ''
      ? []
      : [{ kind: 'proposal' as const, text, accepted: accepted || (rejected ? false : null) }]),
    ...(feedback === undefined ? [] : [{ kind: 'prompt' as const, text: feedback }]),
  ]
}
