import type { PlanItem } from '../../types/session.ts'
import type { DraftOf } from './draft.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'

const STATUS: Record<string, PlanItem['status']> = {
  pending: 'pending',
  in_progress: 'in_progress',
  completed: 'done',
}

/** The plan in the arguments of `update_plan`; null when they hold none. */
export function planOf(args: Fields): DraftOf<'plan'> | null {
  if (!Array.isArray(args.plan)) return null
  const items = args.plan
    .map(fieldsOf)
    .filter((item) => textOf(item.step) !== '')
    .map((item): PlanItem => ({ text: textOf(item.step), status: STATUS[textOf(item.status)] ?? 'pending' }))
  return { kind: 'plan', items }
}

/** The questions of `request_user_input`, one event each; its call id alone names the only one. */
export function questionsOf(call: string, args: Fields): DraftOf<'question'>[] {
  const questions = listOf(args.questions).map(fieldsOf)
  return questions.map((question) => ({
    kind: 'question',
    id: questions.length === 1 ? call : `${call}/${textOf(question.id)}`,
    text: textOf(question.question),
    options: listOf(question.options).map((option) => textOf(fieldsOf(option).label)),
  }))
}

/** The answers to `request_user_input`: `{"answers": {"<question id>": {"answers": ["…"]}}}`. */
export function answersOf(call: string, output: string): DraftOf<'answer'>[] {
  let answers: Fields
  try {
    answers = fieldsOf(fieldsOf(JSON.parse(output)).answers)
  } catch {
    // Not answered: the tool says in words why (cancelled, not available in this mode).
    return []
  }
  const ids = Object.keys(answers)
  return ids
    .map(
      (id): DraftOf<'answer'> => ({
        kind: 'answer',
        id: ids.length === 1 ? call : `${call}/${id}`,
        text: listOf(fieldsOf(answers[id]).answers).map(textOf).filter(Boolean).join('\n'),
      }),
    )
    .filter(({ text }) => text !== '')
}
