import type { DecisionFact, SourceRecord } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'
import { contentWords, createAffinity } from './words.ts'

/** Half of the decisions that a brief lists by default, so that those of the session always have room. */
const MAX_DECISIONS = 4
/** Eight items are some 160 tokens, a quarter of what Progress may take by default. */
const MAX_ITEMS = 8

/**
 * Of all records those that matter: changed by the work since base or not yet committed, or naming a word of the goal; changed
 * ones first, then those that fit the goal best. A decision that is over (superseded, rejected, deprecated) counts only
 * where it was changed. Items of a changed plan file that are open, and open items elsewhere that name a goal word.
 */
export function workItems(
  records: readonly SourceRecord[],
  git: Pick<GitState, 'commits' | 'changes'> | null,
  goal: ReadonlySet<string>,
) {
  const changed = changedPaths(git)
  const decisions = best(
    records.filter(
      ({ path, decision }) =>
        decision !== null && (changed.has(path) || [null, 'accepted', 'proposed'].includes(decision.status)),
    ),
    decisionWords,
    ({ path }) => changed.has(path),
    goal,
    MAX_DECISIONS,
  )
  const open = records.flatMap(({ items }) =>
    items.filter(({ status }) => status === 'pending' || status === 'in_progress'),
  )
  const plan = best(
    open,
    (item) => item.text,
    (item) => changed.has(item.path ?? ''),
    goal,
    MAX_ITEMS,
  )
  const used = new Set(plan.map(({ path }) => path))
  return {
    decisions: decisions.map(decisionFact),
    plan,
    planFiles: records
      .filter(({ path, items }) => items.length > 0 && (used.has(path) || changed.has(path)))
      .map(({ path, items }) => {
        const counted = items.filter(({ status }) => status !== 'cancelled')
        return {
          path,
          done: counted.filter(({ status }) => status === 'done').length,
          total: counted.length,
        }
      }),
  }
}

export const changedPaths = (git: Pick<GitState, 'commits' | 'changes'> | null): ReadonlySet<string> =>
  new Set([
    ...(git?.changes ?? []).map(({ path }) => path),
    ...(git?.commits ?? []).flatMap(({ files }) => files),
  ])

/** Whether anything of a record can reach the brief. */
export function matters(
  record: SourceRecord,
  changed: ReadonlySet<string>,
  goal: ReadonlySet<string>,
): boolean {
  const { path, decision, items } = record
  if (decision === null && items.length === 0) return false
  const texts = [...(decision === null ? [] : [decisionWords(record)]), ...items.map(({ text }) => text)]
  return changed.has(path) || texts.some((text) => namesGoal(text, goal))
}

export const namesGoal = (text: string, goal: ReadonlySet<string>): boolean =>
  contentWords(text).some((word) => goal.has(word))

const decisionWords = ({ path, decision }: SourceRecord): string =>
  `${path} ${decision?.title ?? ''} ${decision?.chosen ?? ''}`

/** The items that matter, at most so many, in the order they came in. */
function best<T>(
  items: readonly T[],
  words: (item: T) => string,
  isChanged: (item: T) => boolean,
  goal: ReadonlySet<string>,
  most: number,
): T[] {
  const affinity = createAffinity(goal, items.map(words))
  // One word more or less of the goal is at most 1, so what was changed stands before what only fits.
  const score = (item: T): number => (isChanged(item) ? 1 : 0) + affinity(words(item))
  const chosen = items
    .map((item, index) => ({ index, score: score(item) }))
    .filter((one) => one.score > 0)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, most)
  const kept = new Set(chosen.map(({ index }) => index))
  return items.filter((_, index) => kept.has(index))
}

function decisionFact({ path, decision }: SourceRecord): DecisionFact {
  const { title = '', status = null, supersededBy = null, chosen = null } = decision ?? {}
  const state =
    status === null || status === 'accepted'
      ? ''
      : `, ${status}${supersededBy === null ? '' : ` by ${supersededBy}`}`
  return {
    what: `${title}${chosen === null ? '' : `: ${chosen}`} (${path}${state})`,
    why: decision?.why ?? null,
    alternatives: decision?.alternatives ?? [],
    by: 'project',
    source: 'git',
    at: null,
  }
}
