import type { Closing, QuestionFact, Turn } from '../types.ts'
import { commandText, portable } from './check-facts.ts'
import type { Fold } from './fold.ts'
import type { Resolver } from './resolve.ts'
import type { Root } from './roots.ts'
import { sentencesOf } from './prose.ts'

const MAX_NAMES = 3

/** Takes the last message of the agent out of the turns: it is told by itself. */
export function splitClosing(
  turns: readonly Turn[],
  fold: Fold,
  resolver: Resolver,
  roots: readonly Root[],
): { closing: Closing | null; turns: Turn[] } {
  const at = turns.findLastIndex(({ steps }) => steps.some(({ kind }) => kind === 'said'))
  const turn = turns[at]
  const last = turn?.steps.findLast(({ kind }) => kind === 'said')
  if (turn === undefined || last === undefined) return { closing: null, turns: [...turns] }
  const rest = { ...turn, steps: turn.steps.filter((step) => step !== last) }
  const isAnswered = at === turns.length - 1
  return {
    closing: {
      text: last.text,
      at: last.at,
      after: [
        ...(isAnswered ? [] : ['The last request came after this message and has no answer yet.']),
        ...editsAfter(fold, resolver),
        ...commandAfter(fold, roots),
      ],
    },
    turns: [...turns.slice(0, at), rest, ...turns.slice(at + 1)],
  }
}

function editsAfter({ files, said }: Fold, resolver: Resolver): string[] {
  const paths = [...files.records].flatMap(([key, { lastEdit, edits }]) => {
    const place = edits > 0 && lastEdit > said.clock ? resolver.touched(key) : { drop: '' }
    return 'drop' in place ? [] : [`\`${place.path}\``]
  })
  if (paths.length === 0) return []
  const more = paths.length > MAX_NAMES ? ` and ${paths.length - MAX_NAMES} more` : ''
  return [`After it the agent edited ${paths.slice(0, MAX_NAMES).join(', ')}${more}.`]
}

function commandAfter({ commands, said }: Fold, roots: readonly Root[]): string[] {
  let last = null
  for (const record of commands.records.values())
    if (record.order > said.order && record.outcome !== 'unknown' && record.order > (last?.order ?? 0))
      last = record
  const command = last === null ? null : portable(last, roots)
  if (last === null || command === null) return []
  const error = last.firstError === null ? '' : `: ${last.firstError}`
  return [`After it ${commandText(command)} ${last.outcome === 'ok' ? 'passed' : `failed${error}`}.`]
}

/** The questions at the end of the last message, when nothing was said after it. */
export function closingQuestions({ text, at, after }: Closing): QuestionFact[] {
  if (after.length > 0) return []
  const lines = text.trimEnd().split('\n').slice(-6)
  return sentencesOf(lines)
    .filter((sentence) => /[?？]["')\]`*]*$/.test(sentence))
    .slice(-3)
    .map((question) => ({ kind: 'question', text: question.replace(/\*\*/g, ''), source: 'agent', at }))
}
