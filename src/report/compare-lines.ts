import { chainOf, type Linked } from '../brief/chain.ts'
import { plural } from '../text/count.ts'
import { clipLine, codeSpan, escapeText } from '../text/safe-text.ts'
import type { CommandFact, DecisionFact, QuestionFact } from '../types/evidence.ts'
import type { BriefChange, ListChange, MemoryItem, ValueChange } from './compare.ts'

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
    ...constraints.added.map(({ text }) => `Constraint added: "${say(text)}"`),
    ...closing(change),
    ...value('Goal', change.goal, say),
    ...list('Decision', change.decisions, decisionText),
    ...questions.gone.map((fact) => `Question gone: ${questionText(fact)}`),
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

const list = <T>(what: string, { added }: ListChange<T>, textOf: (item: T) => string): string[] =>
  added.map((item) => `${what} added: ${textOf(item)}`)

const value = <T>(what: string, change: ValueChange<T> | null, textOf: (text: T) => string): string[] =>
  change === null ? [] : [`${what} changed: ${textOf(change.before)} → ${textOf(change.after)}`]

/** Each agent writes its notes anew, so that a heading is one line, whatever is new under it. */
function memory({ added }: ListChange<MemoryItem>): string[] {
  const headings = new Map<string, string[]>()
  for (const { heading, text } of added) headings.set(heading, [...(headings.get(heading) ?? []), text])
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

/** How two briefs stand to each other in the chain. */
export type Relation =
  | { kind: 'same' | 'parent' | 'other-chain' }
  /** The older one is an ancestor of the newer, or the other way round, so many steps apart. */
  | { kind: 'ancestor' | 'descendant'; steps: number }
  /** Two lines of one chain; `common`: the last brief of both. */
  | { kind: 'fork'; common: string }
  /** A parent is missing, so that the lines cannot be followed to where they begin. */
  | { kind: 'unknown'; missing: { id: string; parent: string } }

/** `nodes`: every brief that is known here, the two themselves too. Cycles and missing parents end a line. */
export function relationOf(older: Linked, newer: Linked, nodes: readonly Linked[]): Relation {
  if (older.id === newer.id) return { kind: 'same' }
  if (newer.parents.includes(older.id)) return { kind: 'parent' }
  const all = [older, newer, ...nodes.filter(({ id }) => id !== older.id && id !== newer.id)]
  const [then, now] = [chainOf(older.id, all), chainOf(newer.id, all)]
  if (now.some(({ id }) => id === older.id)) return { kind: 'ancestor', steps: stepsUp(newer, older, now) }
  if (then.some(({ id }) => id === newer.id))
    return { kind: 'descendant', steps: stepsUp(older, newer, then) }
  const shared = new Set(then.map(({ id }) => id))
  const common = now.findLast(({ id }) => shared.has(id))
  if (common !== undefined) return { kind: 'fork', common: common.id }
  const known = new Set(all.map(({ id }) => id))
  const [missing] = [...then, ...now].flatMap(({ id, parents }) =>
    parents.filter((parent) => !known.has(parent)).map((parent) => ({ id, parent })),
  )
  return missing === undefined ? { kind: 'other-chain' } : { kind: 'unknown', missing }
}

/** Parents on the shortest way from a brief up to one of its ancestors. */
function stepsUp(from: Linked, to: Linked, line: readonly Linked[]): number {
  const byId = new Map(line.map((node) => [node.id, node]))
  const seen = new Set([from.id])
  let steps = 0
  for (let row: readonly string[] = [from.id]; row.length > 0 && !row.includes(to.id); steps++)
    row = row.flatMap((id) => byId.get(id)?.parents ?? []).filter((id) => !seen.has(id) && seen.add(id))
  return steps
}

/** The relation in one safe sentence; null where it goes without saying. */
export function relationLine(relation: Relation): string | null {
  switch (relation.kind) {
    case 'same':
    case 'parent':
      return null
    case 'ancestor':
      return `Between the two: ${plural(relation.steps - 1, 'handoff')}.`
    case 'descendant':
      return 'The first of the two is the newer one.'
    case 'fork':
      return `Two lines of one chain, which part after ${relation.common}.`
    case 'unknown':
      return `Whether they belong to one chain is not known: the parent ${relation.missing.parent} of ${relation.missing.id} is not in the history that is here.`
    case 'other-chain':
      return 'They belong to different chains.'
  }
}
