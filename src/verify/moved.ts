import type { ParsedBrief } from '../brief/parse.ts'
import { dirtyFacts, workTree } from '../brief/status.ts'
import { oneLine } from '../text/safe-text.ts'
import type { FileTruth } from '../types/checks.ts'
import type { GitState } from '../types/git.ts'
import type { Truth } from './truth.ts'

const OTHER: readonly FileTruth['state'][] = ['renamed', 'gone', 'made', 'back', 'missing']

/**
 * What git tells is not what the brief says any more: other commits, another branch, other uncommitted changes, files or
 * commands that went or came. Commits of handoff itself count for nothing, nor does what was only said since.
 */
export function hasMoved(
  { meta, brief }: ParsedBrief,
  git: GitState,
  truth: Pick<Truth, 'head' | 'commits' | 'lacking' | 'files' | 'commands'>,
): boolean {
  if (hasCommitted(git, truth)) return true
  if (meta.branch !== git.branch || !brief.status.includes(workTree(git.changes))) return true
  const told = new Set(brief.progress.inProgress.map(({ text }) => text))
  const isListed = brief.cuts.progress === undefined
  if (isListed && dirtyFacts(git).some(({ text }) => !told.has(oneLine(text)))) return true
  if (truth.files.some(({ state }) => OTHER.includes(state))) return true
  const marked = new Set(brief.commands.flatMap(({ mark, command }) => (mark === 'gone' ? command : [])))
  return truth.commands.some(({ command }) => !marked.has(command))
}

/** HEAD has commits that are not handoff's own and that it did not have then, or lacks some. */
export const hasCommitted = (git: GitState, truth: Pick<Truth, 'head' | 'commits' | 'lacking'>): boolean =>
  truth.head === 'unknown' ||
  truth.commits.count > 0 ||
  truth.lacking.count > 0 ||
  (truth.head === 'none' && (git.lineage ?? []).some((commit) => commit.own !== true))
