import type { ParsedBrief } from '../brief/parse.ts'
import type { FrontMatter } from '../types/brief.ts'
import type { CommandFact, DecisionFact, QuestionFact, TextFact } from '../types/evidence.ts'
import { type ListChange, pairItems, sameText, type ValueChange } from './compare-pairs.ts'
import { type MemoryItem, memoryItems } from './memory-items.ts'

/** What changed from one brief to another, by meaning. */
export interface BriefChange {
  older: FrontMatter
  newer: FrontMatter
  /** What is gone is told only of constraints and questions, which stand until something settles them. */
  constraints: ListChange<TextFact>
  decisions: ListChange<DecisionFact>
  questions: ListChange<QuestionFact>
  commits: ListChange<TextFact>
  nextSteps: ListChange<TextFact>
  notes: ListChange<MemoryItem>
  /** Commands that both tell, with another outcome. */
  checks: ValueChange<CommandFact>[]
  goal: ValueChange<string> | null
  branch: ValueChange<string | null> | null
  /** The newer one closes the chain, or opens it again. */
  kind: ValueChange<'handoff' | 'done'> | null
  /** How the chain was closed, when the newer brief closes it. */
  closed: string | null
}

/**
 * What `newer` tells otherwise than `older`. A brief lists what matters for its goal, so that what is merely absent from the newer
 * one means nothing; only constraints and questions stand until something settles them. Marks of inheritance count for nothing. A
 * closing record says nothing of the lists: what was open is closed with it.
 */
export function compareBriefs(older: ParsedBrief, newer: ParsedBrief): BriefChange {
  const [from, to] = [older.meta.kind ?? 'handoff', newer.meta.kind ?? 'handoff']
  const isRecord = from === 'done' || to === 'done'
  const list = <T>(
    itemsOf: (brief: ParsedBrief['brief'], parsed: ParsedBrief) => readonly T[],
    textOf: (item: T) => string,
    settledIn?: 'constraints' | 'questions',
  ): ListChange<T> => {
    if (isRecord) return { added: [], gone: [], reworded: [] }
    const pairs = pairItems(itemsOf(older.brief, older), itemsOf(newer.brief, newer), textOf)
    // What a section had to cut may still stand.
    const isSettled = settledIn !== undefined && newer.brief.cuts[settledIn] === undefined
    return { ...pairs, gone: isSettled ? pairs.gone : [] }
  }
  return {
    older: older.meta,
    newer: newer.meta,
    constraints: list(({ constraints }) => constraints, textOf, 'constraints'),
    decisions: list(
      ({ decisions }) => decisions,
      ({ what }) => what,
    ),
    questions: list(({ questions }) => questions, textOf, 'questions'),
    commits: { added: isRecord ? [] : newCommits(older, newer), gone: [], reworded: [] },
    nextSteps: list(({ nextSteps }) => nextSteps, textOf),
    notes: list((_, parsed) => memoryItems(parsed), textOf),
    checks: isRecord ? [] : checks(older.brief.commands, newer.brief.commands),
    goal: valueChange(older.meta.goal, newer.meta.goal),
    branch: valueChange(older.meta.branch, newer.meta.branch),
    kind: valueChange(from, to),
    closed: newer.closed,
  }
}

const textOf = ({ text }: { text: string }): string => text

function valueChange<T>(before: T, after: T): ValueChange<T> | null {
  const isSame =
    typeof before === 'string' && typeof after === 'string'
      ? sameText(before) === sameText(after)
      : before === after
  return isSame ? null : { before, after }
}

/** By subject, since a rebase gives a commit another id. */
function newCommits(older: ParsedBrief, newer: ParsedBrief): TextFact[] {
  const subjectOf = ({ text }: TextFact) => text.replace(/^`[0-9a-f]+` /, '')
  const known = new Map<string, number>()
  for (const fact of older.brief.progress.done)
    known.set(subjectOf(fact), (known.get(subjectOf(fact)) ?? 0) + 1)
  return newer.brief.progress.done.filter((fact) => {
    const left = known.get(subjectOf(fact)) ?? 0
    known.set(subjectOf(fact), left - 1)
    return left <= 0
  })
}

function checks(older: readonly CommandFact[], newer: readonly CommandFact[]): ValueChange<CommandFact>[] {
  const keyOf = ({ command, cwd }: CommandFact) => JSON.stringify([sameText(command), cwd])
  const then = new Map(older.map((fact) => [keyOf(fact), fact]))
  return newer.flatMap((after) => {
    const before = then.get(keyOf(after))
    return before === undefined || before.outcome === after.outcome ? [] : [{ before, after }]
  })
}
