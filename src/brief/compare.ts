import type {
  CommandFact,
  DecisionFact,
  FileFact,
  FrontMatter,
  Notes,
  QuestionFact,
  TextFact,
} from '../types.ts'
import { likenessOf, pairItems, sameText } from './compare-pairs.ts'
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
  list: 'done' | 'inProgress' | 'pending'
}

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
  mission: ValueChange<string | null> | null
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

/**
 * What `newer` tells otherwise than `older`. Items are matched by meaning: files by path, commands by their normalised text
 * and folder, everything else by its words; marks of inheritance count for nothing. A closing record says nothing of the
 * lists, so that none of them is compared with it: what was open is closed with it.
 */
export function compareBriefs(older: ParsedBrief, newer: ParsedBrief): BriefChange {
  const [then, now] = [older.brief, newer.brief]
  const isRecord = sideOf(older).kind === 'done' || sideOf(newer).kind === 'done'
  const list = <T>(change: ListChange<T>, ...ids: SectionId[]): ListChange<T> =>
    isRecord
      ? { added: [], gone: [], changed: [] }
      : { ...change, ...(ids.some((id) => now.cuts[id] !== undefined) ? { cut: true } : {}) }
  return {
    older: sideOf(older),
    newer: sideOf(newer),
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
    mission: isRecord ? null : valueChange(then.mission?.text ?? null, now.mission?.text ?? null),
    agent: valueChange(agentOf(older.meta), agentOf(newer.meta)),
    persona: valueChange(older.meta.persona ?? null, newer.meta.persona ?? null),
    branch: valueChange(older.meta.branch, newer.meta.branch),
    kind: valueChange(sideOf(older).kind, sideOf(newer).kind),
    closed: newer.closed,
  }
}

/** True when the two say the same. */
export const isUnchanged = (change: BriefChange): boolean =>
  changeLists.every((name) => isEmpty(change[name])) &&
  [change.goal, change.focus, change.mission, change.agent, change.persona, change.branch, change.kind].every(
    (value) => value === null,
  )

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

const agentOf = ({ agent }: FrontMatter): string =>
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

// ---------------------------------------------------------------- lists

/** Pairs two lists; `isSame` says whether a pair tells the same. */
function changeOf<T>(
  older: readonly T[],
  newer: readonly T[],
  keyOf: (item: T) => string,
  wordsOf: ((item: T) => string) | null,
  isSame: (before: T, after: T) => boolean,
): ListChange<T> {
  const { pairs, added, gone } = pairItems(older, newer, keyOf, wordsOf)
  return {
    added,
    gone,
    changed: pairs.filter(
      ({ before, after, likeness }) =>
        likeness < 1 || keyOf(before) !== keyOf(after) || !isSame(before, after),
    ),
  }
}

const textOf = ({ text }: { text: string }): string => text
const textKey = ({ text }: { text: string }): string => sameText(text)

const texts = (older: readonly TextFact[], newer: readonly TextFact[]): ListChange<TextFact> =>
  changeOf(older, newer, textKey, textOf, () => true)

const decisions = (
  older: readonly DecisionFact[],
  newer: readonly DecisionFact[],
): ListChange<DecisionFact> =>
  changeOf(
    older,
    newer,
    ({ what }) => sameText(what),
    ({ what }) => what,
    (before, after) => saidOf(before) === saidOf(after),
  )

const saidOf = ({ why, alternatives, by }: DecisionFact): string =>
  JSON.stringify([sameText(why ?? ''), alternatives.map(sameText), by])

const questions = (
  older: readonly QuestionFact[],
  newer: readonly QuestionFact[],
): ListChange<QuestionFact> =>
  changeOf(older, newer, textKey, textOf, (before, after) => before.kind === after.kind)

/** A file that was renamed between the two is one file: the newer brief tells the old name. */
function files(older: readonly FileFact[], newer: readonly FileFact[]): ListChange<FileFact> {
  const isSame = (before: FileFact, after: FileFact): boolean =>
    before.mark === after.mark && reasonOf(before) === reasonOf(after)
  const byPath = changeOf(older, newer, ({ path }) => path, null, isSame)
  const { pairs, added, gone } = pairRenamed(byPath.gone, byPath.added)
  const order = new Map(newer.map((file, at) => [file, at]))
  const changed = [...byPath.changed, ...pairs]
  changed.sort((a, b) => (order.get(a.after) ?? 0) - (order.get(b.after) ?? 0))
  return { added, gone, changed }
}

function pairRenamed(gone: readonly FileFact[], added: readonly FileFact[]) {
  const left = new Map(gone.map((file) => [file.path, file]))
  const folded = new Map(gone.map((file) => [file.path.toLowerCase(), file.path]))
  const pairs: Changed<FileFact>[] = []
  const rest = added.filter((after) => {
    const from = /\brenamed from (.+?)(?:, uncommitted)?(?:;|$)/.exec(after.reason)?.[1]
    const path = from !== undefined && left.has(from) ? from : folded.get(after.path.toLowerCase())
    const before = path === undefined ? undefined : left.get(path)
    if (before === undefined) return true
    left.delete(before.path)
    pairs.push({ before, after, likeness: 1 })
    return false
  })
  return { pairs, added: rest, gone: gone.filter(({ path }) => left.has(path)) }
}

/** How often a file was edited or read makes no other reason. */
const reasonOf = ({ reason }: FileFact): string =>
  sameText(reason)
    .replace(/\b(?:once|\d+ times)\b/g, 'n times')
    .replace(/\b\d+ (commit|command)s?\b/g, 'n $1')

const commands = (older: readonly CommandFact[], newer: readonly CommandFact[]): ListChange<CommandFact> =>
  changeOf(
    older,
    newer,
    ({ command, cwd, habit }) => JSON.stringify([sameCommand(command), cwd ?? '', habit === true]),
    null,
    (before, after) => before.outcome === after.outcome && before.exitCode === after.exitCode,
  )

/** A command without what says nothing: white space around it and between words outside of quotes. */
const sameCommand = (command: string): string =>
  /["'`\\\n]/.test(command)
    ? command.trim()
    : command
        .replace(/[ \t]+/g, ' ')
        .replace(/[ ;]+$/, '')
        .trim()

const workOf = ({ brief: { progress } }: ParsedBrief): WorkItem[] =>
  (['done', 'inProgress', 'pending'] as const).flatMap((list) =>
    progress[list].map((item) => ({ ...item, list })),
  )

const work = (older: readonly WorkItem[], newer: readonly WorkItem[]): ListChange<WorkItem> =>
  changeOf(
    older,
    newer,
    ({ text }) => sameText(text),
    textOf,
    (before, after) => before.list === after.list,
  )

function notes(older: Notes | null, newer: Notes | null): ListChange<NoteItem> {
  const [then, now] = [noteItems(older), noteItems(newer)]
  const slots = [...new Set([...then, ...now].map(({ slot }) => slot))]
  const parts = slots.map((slot) => {
    const of = (items: readonly NoteItem[]) => items.filter((item) => item.slot === slot)
    const [before, after] = [of(then), of(now)]
    const [one, other] = [before[0], after[0]]
    // These slots hold one text, which is another one now, however little the two have in common.
    const isSingle = slot === 'lineOfAttack' || slot === 'hypothesis' || slot === 'other'
    if (!isSingle || one === undefined || other === undefined)
      return changeOf(before, after, textKey, textOf, () => true)
    const change = textKey(one) === textKey(other)
    const likeness = likenessOf(one.text, other.text)
    return { added: [], gone: [], changed: change ? [] : [{ before: one, after: other, likeness }] }
  })
  return {
    added: parts.flatMap(({ added }) => added),
    gone: parts.flatMap(({ gone }) => gone),
    changed: parts.flatMap(({ changed }) => changed),
  }
}

function noteItems(notes: Notes | null): NoteItem[] {
  if (notes === null) return []
  const one = (slot: NoteItem['slot'], text: string | null): NoteItem[] =>
    text === null || text.trim() === '' ? [] : [{ slot, text }]
  return [
    ...one('lineOfAttack', notes.currentLineOfAttack),
    ...one('hypothesis', notes.activeHypothesis),
    ...notes.abandonedApproaches.flatMap((text) => one('abandoned', text)),
    ...notes.openQuestions.flatMap((text) => one('question', text)),
    ...one('other', notes.other),
  ]
}
