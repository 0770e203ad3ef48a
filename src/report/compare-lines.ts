import { clipLine, codeSpan, escapeText } from '../text/safe-text.ts'
import type { CommandFact, DecisionFact, QuestionFact } from '../types/evidence.ts'
import type { BriefChange } from './compare.ts'
import type { ListChange, ValueChange } from './compare-pairs.ts'
import type { MemoryItem } from './memory-items.ts'

/** Characters of one text in a line; the whole of it stands in the brief. */
export const MAX_TEXT = 240

/**
 * A change as plain lines, one fact per line, safe in markdown (behind a label nothing can start a block) and in a terminal.
 * What the person demanded and is told no longer comes first and is the only thing in capitals. Empty when nothing changed.
 */
export function changeLines(change: BriefChange): string[] {
  const { constraints, questions, checks } = change
  return [
    ...constraints.gone.map(({ text }) => `CONSTRAINT DROPPED: "${say(text)}"`),
    ...constraints.reworded.map(
      ({ before, after }) => `CONSTRAINT REWORDED: "${say(before.text)}" → "${say(after.text)}"`,
    ),
    ...constraints.added.map(({ text }) => `Constraint added: "${say(text)}"`),
    ...closing(change),
    ...value('Goal', change.goal, say),
    ...list('Decision', change.decisions, decisionText),
    ...questions.gone.map((fact) => `Question answered or dropped: ${questionText(fact)}`),
    ...questions.added.map((fact) => `Question opened: ${questionText(fact)}`),
    ...change.commits.added.map(({ text }) => `Committed: ${say(text)}`),
    ...checks.map(
      ({ before, after }) => `Check changed: ${nameOf(after)}: ${endOf(before)} → ${endOf(after)}`,
    ),
    ...list('Next step', change.nextSteps, textOf),
    ...memory(change.notes),
    ...value('Branch', change.branch, (name) => (name === null ? '(detached)' : codeSpan(name))),
  ]
}

function closing({ kind, closed }: BriefChange): string[] {
  if (kind === null) return []
  if (kind.after === 'handoff') return ['Chain opened again: the older one of the two had closed it']
  return [`Chain closed: ${closed === null || closed === '' ? 'nothing is open' : say(closed)}`]
}

const list = <T>(what: string, { added, reworded }: ListChange<T>, textOf: (item: T) => string): string[] => [
  ...added.map((item) => `${what} added: ${textOf(item)}`),
  ...reworded.map(({ before, after }) => `${what} changed: ${textOf(before)} → ${textOf(after)}`),
]

const value = <T>(what: string, change: ValueChange<T> | null, textOf: (text: T) => string): string[] =>
  change === null ? [] : [`${what} changed: ${textOf(change.before)} → ${textOf(change.after)}`]

/** Each agent writes its notes anew, so that a heading is one line, whatever is new under it. */
function memory({ added, reworded }: ListChange<MemoryItem>): string[] {
  const headings = new Map<string, string[]>()
  for (const { heading, text } of [...added, ...reworded.map(({ after }) => after)])
    headings.set(heading, [...(headings.get(heading) ?? []), text])
  return [...headings].map(([heading, texts]) => `Working memory: ${say(heading)} — ${say(texts.join('; '))}`)
}

/** A text in the middle of a line. */
export const say = (text: string): string => escapeText(clipLine(text, MAX_TEXT))
const textOf = ({ text }: { text: string }): string => say(text)

export const decisionText = ({ what, why, alternatives, by }: DecisionFact): string => {
  const others = alternatives.length === 0 ? '' : `; instead of: ${alternatives.map(say).join(', ')}`
  return `${say(what)}${why === null ? '' : ` — ${say(why)}`}${others} (by ${by})`
}

export const questionText = ({ kind, text }: QuestionFact): string =>
  kind === 'question' ? say(text) : `${kind}: ${say(text)}`

const nameOf = ({ command, cwd }: CommandFact): string =>
  `${codeSpan(clipLine(command, MAX_TEXT))}${cwd === null ? '' : ` in ${codeSpan(cwd)}`}`

const endOf = ({ outcome, exitCode }: CommandFact): string =>
  outcome === 'unknown'
    ? 'outcome unknown'
    : `${outcome}${outcome === 'failed' && exitCode !== null ? ` (exit ${exitCode})` : ''}`
