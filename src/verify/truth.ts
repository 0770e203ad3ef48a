import type { ParsedBrief } from '../brief/parse.ts'
import { dirtyFacts, workTree } from '../brief/status.ts'
import { plural } from '../text/count.ts'
import { oneLine } from '../text/safe-text.ts'
import type { FileTruth } from '../types/checks.ts'
import type { GitState } from '../types/git.ts'
import { HEAD_UNKNOWN, type TruthFacts, type TruthItem, truthItems } from './truth-items.ts'

/** Is the brief still true: everything found, findings first. */
export interface Truth extends TruthFacts {
  id: string
  stillTrue: boolean
  items: TruthItem[]
}

/** Judges what was found. */
export function judgeTruth(facts: TruthFacts, parsed: ParsedBrief): Truth {
  const items = truthItems(facts, parsed)
  const of = (wanted: TruthItem['level']) => items.filter(({ level }) => level === wanted)
  const findings = of('finding')
  return {
    ...facts,
    id: parsed.meta.id,
    stillTrue: findings.length === 0,
    items: [...findings, ...of('note')],
  }
}

/** How many things the brief states are no longer so. */
export const findingsIn = ({ items }: Pick<Truth, 'items'>): number =>
  items.filter(({ level }) => level === 'finding').length

/** The verdict in one safe line. */
export function verdictLine(truth: Pick<Truth, 'items'>): string {
  const found = findingsIn(truth)
  return `${found === 0 ? 'No contradictions' : plural(found, 'contradiction')} found.`
}

/** What became of commits and files of a brief. */
export type Drift = Pick<TruthFacts, 'commits' | 'files'> & {
  lacking: Omit<TruthFacts['lacking'], 'ref'>
}

export const NOTHING_SINCE = 'Nothing was committed since.'

/** What was committed since a brief was made, in one safe line; `null` when its commit is not known here. */
export function driftLine(drift: Drift | null): string {
  if (drift === null) return `${HEAD_UNKNOWN}, so what changed since is not known; verify every fact.`
  const files = (...states: FileTruth['state'][]): number =>
    drift.files.filter(({ state, work }) => states.includes(state) && work !== 'deleted').length
  const lacking = drift.lacking.listed.filter(({ fate }) => fate !== 'rebased').length
  const counts: [number, string][] = [
    [drift.commits.count, plural(drift.commits.count, 'commit')],
    [lacking, `${plural(lacking, 'earlier commit')} missing here`],
    ...[
      [files('changed', 'added', 'made'), 'changed'] as const,
      [files('renamed'), 'renamed'] as const,
      [files('gone'), 'gone'] as const,
    ].map(([count, what]): [number, string] => [count, `${count} of the files it names ${what}`]),
  ]
  const told = counts.flatMap(([count, words]) => (count === 0 ? [] : words))
  return told.length === 0 ? NOTHING_SINCE : `Since then: ${told.join(', ')}.`
}

const OTHER: readonly FileTruth['state'][] = ['renamed', 'gone', 'made', 'back', 'missing']

/**
 * What git tells is not what the brief says any more: other commits, another branch, other uncommitted changes, files that went
 * or came. Commits of handoff itself count for nothing, nor does what was only said since.
 */
export function hasMoved(
  { meta, brief }: ParsedBrief,
  git: GitState,
  truth: Pick<Truth, 'head' | 'commits' | 'lacking' | 'files'>,
): boolean {
  if (hasCommitted(git, truth)) return true
  if (meta.branch !== git.branch || !brief.status.includes(workTree(git.changes))) return true
  const told = new Set(brief.progress.inProgress.map(({ text }) => text))
  const isListed = brief.cuts.progress === undefined
  if (isListed && dirtyFacts(git).some(({ text }) => !told.has(oneLine(text)))) return true
  return truth.files.some(({ state }) => OTHER.includes(state))
}

/** HEAD has commits that are not handoff's own and that it did not have then, or lacks some. */
export const hasCommitted = (git: GitState, truth: Pick<Truth, 'head' | 'commits' | 'lacking'>): boolean =>
  truth.head === 'unknown' ||
  truth.commits.count > 0 ||
  truth.lacking.count > 0 ||
  (truth.head === 'none' && git.commitCount > 0)
