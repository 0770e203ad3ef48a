import type { CommandFact, DecisionFact, FileFact, Notes, QuestionFact, TextFact } from '../types.ts'
import type { Changed, ListChange, NoteItem, WorkItem } from './compare.ts'
import { pairItems, sameText } from './compare-pairs.ts'
import type { ParsedBrief } from './parse.ts'

/** Pairs two lists; `isSame` says whether a pair tells the same. */
function changeOf<T>(
  older: readonly T[],
  newer: readonly T[],
  keyOf: (item: T) => string,
  wordsOf: ((item: T) => string) | null,
  isSame: (before: T, after: T) => boolean,
): ListChange<T> {
  const keys = new Map([...older, ...newer].map((item) => [item, keyOf(item)]))
  const keyIn = (item: T): string => keys.get(item) ?? keyOf(item)
  const { pairs, added, gone } = pairItems(older, newer, keyIn, wordsOf)
  return {
    added,
    gone,
    changed: pairs.filter(
      ({ before, after, likeness }) =>
        likeness < 1 || keyIn(before) !== keyIn(after) || !isSame(before, after),
    ),
  }
}

const textOf = ({ text }: { text: string }): string => text
const textKey = ({ text }: { text: string }): string => sameText(text)

export const texts = (older: readonly TextFact[], newer: readonly TextFact[]): ListChange<TextFact> =>
  changeOf(older, newer, textKey, textOf, () => true)

export const decisions = (
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

export const questions = (
  older: readonly QuestionFact[],
  newer: readonly QuestionFact[],
): ListChange<QuestionFact> =>
  changeOf(older, newer, textKey, textOf, (before, after) => before.kind === after.kind)

/** A file that was renamed between the two is one file: the newer brief tells the old name. */
export function files(older: readonly FileFact[], newer: readonly FileFact[]): ListChange<FileFact> {
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

export const commands = (
  older: readonly CommandFact[],
  newer: readonly CommandFact[],
): ListChange<CommandFact> =>
  changeOf(
    older,
    newer,
    ({ command, cwd }) => JSON.stringify([sameCommand(command), cwd ?? '']),
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

export const workOf = ({ brief: { progress } }: ParsedBrief): WorkItem[] =>
  (['done', 'inProgress', 'pending'] as const).flatMap((list) =>
    progress[list].map((item) => ({ ...item, list })),
  )

export const work = (older: readonly WorkItem[], newer: readonly WorkItem[]): ListChange<WorkItem> =>
  changeOf(
    older,
    newer,
    ({ text }) => sameText(text),
    textOf,
    (before, after) => before.list === after.list,
  )

export function notes(older: Notes | null, newer: Notes | null): ListChange<NoteItem> {
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
    const isSame = textKey(one) === textKey(other)
    return { added: [], gone: [], changed: isSame ? [] : [{ before: one, after: other, likeness: 1 }] }
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
