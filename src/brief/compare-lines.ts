import type { CommandFact, DecisionFact, FileFact, QuestionFact } from '../types.ts'
import {
  type BriefChange,
  type Changed,
  type ListChange,
  type NoteItem,
  type WorkItem,
  workLists,
} from './compare.ts'
import { clipLine, codeSpan, escapeText } from './safe-text.ts'

/** Characters of one text in a line; the whole of it stands in the brief. */
const MOST = 240

/**
 * A change as plain lines, one fact per line, safe in markdown (behind a label nothing can start a block) and in a terminal.
 * What the person demanded and is told no longer comes first and is the only thing in capitals. Empty when nothing changed.
 */
export function changeLines(change: BriefChange): string[] {
  const { constraints, decisions, questions, files, commands, progress, nextSteps, information, notes } =
    change
  return [
    ...constraints.gone.map(({ text }) => `CONSTRAINT DROPPED: "${say(text)}"${cutNote(constraints)}`),
    ...constraints.changed.map(
      (pair) => `CONSTRAINT REWORDED${alike(pair)}: ${turned(pair, ({ text }) => `"${say(text)}"`)}`,
    ),
    ...constraints.added.map(({ text }) => `Constraint added: "${say(text)}"`),
    ...closing(change),
    ...value('Goal', change.goal),
    ...value('Focus', change.focus),
    ...list('Decision', decisions, decisionText, 'no longer told'),
    ...list('Question', questions, questionText, 'no longer open', 'opened'),
    ...list('Work item', progress, workText, 'no longer listed'),
    ...list('File', files, fileText, 'no longer listed', 'listed'),
    ...list("Command", commands, commandText, 'no longer listed', 'listed'),
    ...list('Next step', nextSteps, textOf, 'no longer listed'),
    ...list('Context', information, textOf, 'no longer told'),
    ...list('Working memory', notes, noteText, 'no longer told'),
    ...value('Agent', change.agent),
    ...value('Persona', change.persona),
    ...value('Branch', change.branch, (name) => (name === null ? '(detached)' : codeSpan(name))),
  ]
}

function closing({ kind, closed }: BriefChange): string[] {
  if (kind === null) return []
  if (kind.after === 'handoff') return ['Chain opened again: the older one of the two had closed it']
  return [`Chain closed: ${closed === null || closed === '' ? 'nothing is open' : say(closed)}`]
}

function list<T>(
  what: string,
  change: ListChange<T>,
  textOf: (item: T) => string,
  goneWord: string,
  addedWord = 'added',
): string[] {
  return [
    ...change.added.map((item) => `${what} ${addedWord}: ${textOf(item)}`),
    ...change.changed.map((pair) => `${what} changed${alike(pair)}: ${turned(pair, textOf)}`),
    ...change.gone.map((item) => `${what} ${goneWord}: ${textOf(item)}${cutNote(change)}`),
  ]
}

function value<T extends string | null>(
  what: string,
  change: { before: T; after: T } | null,
  textOf: (text: T) => string = (text) => (text === null ? '(none)' : say(text)),
): string[] {
  return change === null ? [] : [`${what} changed: ${textOf(change.before)} → ${textOf(change.after)}`]
}

/** What is the same on both sides is said once: an item's name, then what became of it. */
function turned<T>({ before, after }: Changed<T>, textOf: (item: T) => string): string {
  const [then, now] = [textOf(before), textOf(after)]
  const [name, rest] = [then.split(' — ', 1)[0] ?? '', now.split(' — ', 1)[0] ?? '']
  return name === rest && name !== then && name !== now
    ? `${name}: ${then.slice(name.length + 3)} → ${now.slice(rest.length + 3)}`
    : `${then} → ${now}`
}

/** What is told to be the same thing in other words is told with the measure; see `pairItems`. */
const alike = ({ likeness }: Changed<unknown>): string => (likeness < 1 ? ` (${likeness} alike)` : '')

const cutNote = ({ cut }: ListChange<unknown>): string =>
  cut === true ? ' (the newer brief was cut here, so it may only have been left out)' : ''

const say = (text: string): string => escapeText(clipLine(text, MOST))
const textOf = ({ text }: { text: string }): string => say(text)

const decisionText = ({ what, why, alternatives, by }: DecisionFact): string => {
  const others = alternatives.length === 0 ? '' : `; instead of: ${alternatives.map(say).join(', ')}`
  return `${say(what)} — ${why === null ? 'no reason told' : say(why)}${others} (by ${by})`
}

const questionText = ({ kind, text }: QuestionFact): string =>
  kind === 'question' ? say(text) : `${kind}: ${say(text)}`

const workText = ({ list, text }: WorkItem): string => `${say(text)} — ${workLists[list]}`

const fileText = ({ path, reason, mark }: FileFact): string =>
  `${codeSpan(path)} — ${[...(mark === undefined ? [] : [mark]), ...(reason === '' ? [] : [say(reason)])].join('; ') || 'no reason told'}`

function commandText({ command, cwd, outcome, exitCode }: CommandFact): string {
  const exit = outcome === 'failed' && exitCode !== null ? ` (exit ${exitCode})` : ''
  const words = outcome === 'unknown' ? 'outcome unknown' : `${outcome}${exit}`
  return `${codeSpan(clipLine(command, MOST))}${cwd === null ? '' : ` in ${codeSpan(cwd)}`} — ${words}`
}

const SLOTS = {
  lineOfAttack: 'line of attack',
  hypothesis: 'hypothesis',
  abandoned: 'abandoned',
  question: 'open question',
  other: 'notes',
} as const
const noteText = ({ slot, text }: NoteItem): string => `${SLOTS[slot]} — ${say(text)}`
