import type { CommandFact, DecisionFact, FileFact, FrontMatter, QuestionFact, TextFact } from '../types.ts'
import { commands, decisions, files, notes, questions, texts, work, workOf } from './compare-lists.ts'
import { likenessOf, sameText } from './compare-pairs.ts'
import type { ParsedBrief } from './parse.ts'
import type { SectionId } from './sections.ts'

/** One thing that both briefs tell, otherwise. */
export interface Changed<T> {
  before: T
  after: T
  /** How alike the texts that identify it are, from 0.6 to 1 (`pairItems`): 1 when only what is said of it differs. */
  likeness: number
}

export interface ListChange<T> {
  added: T[]
  gone: T[]
  changed: Changed<T>[]
  /** The newer brief says that it left items of this list out: what is gone may only have been cut. */
  cut?: true
}

/** One value where two briefs differ. */
export interface ValueChange<T> {
  before: T
  after: T
}

/** A line of Progress and the list it stands in. */
export interface WorkItem extends TextFact {
  list: keyof typeof workLists
}

/** The lists of Progress, as they are called. */
export const workLists = { done: 'done', inProgress: 'in progress', pending: 'pending' } as const

export interface NoteItem {
  slot: 'lineOfAttack' | 'hypothesis' | 'abandoned' | 'question' | 'other'
  text: string
}

/** Which of the two a fact is from, as far as it tells them apart. */
export type BriefSide = Pick<FrontMatter, 'id' | 'createdAt' | 'branch' | 'head' | 'parent'> & {
  kind: 'handoff' | 'done'
}

/** What changed from one brief to another, by meaning. */
export interface BriefChange {
  older: BriefSide
  newer: BriefSide
  constraints: ListChange<TextFact>
  decisions: ListChange<DecisionFact>
  /** `gone`: answered or dropped. */
  questions: ListChange<QuestionFact>
  files: ListChange<FileFact>
  commands: ListChange<CommandFact>
  progress: ListChange<WorkItem>
  nextSteps: ListChange<TextFact>
  information: ListChange<TextFact>
  notes: ListChange<NoteItem>
  goal: (ValueChange<string> & { likeness: number }) | null
  focus: ValueChange<string | null> | null
  /** Label and model of the departing agent. */
  agent: ValueChange<string> | null
  persona: ValueChange<string | null> | null
  branch: ValueChange<string | null> | null
  /** The newer one closes the chain, or opens it again. */
  kind: ValueChange<'handoff' | 'done'> | null
  /** How the chain was closed, when the newer brief closes it. */
  closed: string | null
}

/** The lists of a change, in the order in which they matter to a reader. */
export const changeLists = [
  'constraints',
  'decisions',
  'questions',
  'progress',
  'files',
  'commands',
  'nextSteps',
  'information',
  'notes',
] as const

/** The single values of a change, null where both briefs say the same. */
export const changeValues = ['goal', 'focus', 'agent', 'persona', 'branch', 'kind'] as const

/**
 * What `newer` tells otherwise than `older`. Items are matched by meaning: files by path, commands by their normalised text
 * and folder, everything else by its words; marks of inheritance count for nothing. A closing record says nothing of the
 * lists, so that none of them is compared with it: what was open is closed with it.
 */
export function compareBriefs(older: ParsedBrief, newer: ParsedBrief): BriefChange {
  const [then, now] = [older.brief, newer.brief]
  const [from, to] = [sideOf(older), sideOf(newer)]
  const isRecord = from.kind === 'done' || to.kind === 'done'
  const list = <T>(change: ListChange<T>, ...ids: SectionId[]): ListChange<T> =>
    isRecord
      ? { added: [], gone: [], changed: [] }
      : { ...change, ...(ids.some((id) => now.cuts[id] !== undefined) ? { cut: true } : {}) }
  return {
    older: from,
    newer: to,
    constraints: list(texts(then.constraints, now.constraints), 'constraints'),
    decisions: list(decisions(then.decisions, now.decisions), 'decisions'),
    questions: list(questions(then.questions, now.questions), 'questions'),
    files: list(files(then.files, now.files), 'files'),
    commands: list(commands(then.commands, now.commands), 'commands'),
    progress: list(work(workOf(older), workOf(newer)), 'progress'),
    nextSteps: list(texts(then.nextSteps, now.nextSteps), 'steps'),
    information: list(texts(then.information, now.information), 'information'),
    notes: list(notes(then.notes, now.notes), 'memory'),
    goal: goalChange(older.meta.goal, newer.meta.goal),
    focus: valueChange(older.meta.focus ?? null, newer.meta.focus ?? null),
    agent: valueChange(agentName(older.meta), agentName(newer.meta)),
    persona: valueChange(older.meta.persona ?? null, newer.meta.persona ?? null),
    branch: valueChange(older.meta.branch, newer.meta.branch),
    kind: valueChange(from.kind, to.kind),
    closed: newer.closed,
  }
}

/** True when the two say the same. */
export const isUnchanged = (change: BriefChange): boolean =>
  changeLists.every((name) => isEmpty(change[name])) && changeValues.every((name) => change[name] === null)

export const isEmpty = ({ added, gone, changed }: ListChange<unknown>): boolean =>
  added.length + gone.length + changed.length === 0

const sideOf = ({ meta }: ParsedBrief): BriefSide => ({
  id: meta.id,
  createdAt: meta.createdAt,
  branch: meta.branch,
  head: meta.head,
  parent: meta.parent,
  kind: meta.kind ?? 'handoff',
})

/** Label and model of the agent that wrote a brief. */
export const agentName = ({ agent }: FrontMatter): string =>
  agent.model === undefined ? agent.label : `${agent.label} (${agent.model})`

function valueChange<T>(before: T, after: T): ValueChange<T> | null {
  const isSame =
    typeof before === 'string' && typeof after === 'string'
      ? sameText(before) === sameText(after)
      : before === after
  return isSame ? null : { before, after }
}

function goalChange(before: string, after: string): BriefChange['goal'] {
  const change = valueChange(before, after)
  return change === null ? null : { ...change, likeness: likenessOf(before, after) }
}
