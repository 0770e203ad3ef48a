import type { CommandTruth, FileTruth } from '../types/checks.ts'

/** A commit, as it is told. */
export interface TruthCommit {
  sha: string
  subject: string
}

/** What became of a commit that HEAD does not have. */
export type Fate =
  /** HEAD has it as another commit, of the same change (patch id) or of the same subject, author and date: it was rebased or picked. */
  | 'rebased'
  /** The files it changed are at HEAD as they were then: it was squashed. */
  | 'contained'
  | 'gone'

/** What git and the work tree tell of a brief now. */
export interface TruthFacts {
  /** Repository-relative file of the brief. */
  path: string
  /** The commit it was made at: in this clone, not known here, or none was there yet. */
  head: 'here' | 'unknown' | 'none'
  /** Where it is not known: the commit on which the brief stands in this history, which counts in its place. */
  standIn: string | null
  shallow: boolean
  /** HEAD and its branch; null before the first commit, and when detached. */
  now: string | null
  branch: string | null
  /** The branch of the brief exists, here or as a remote-tracking one. */
  hasBranch: boolean
  /** Commits since, without handoff's own, newest first; `count` stops at `most`. */
  commits: { listed: TruthCommit[]; count: number; own: number }
  /** Commits of then that HEAD lacks. `ref`: a branch that still has them all. */
  lacking: { listed: (TruthCommit & { fate: Fate })[]; count: number; ref: string | null }
  /** At which count of commits counting ended. */
  most: number
  files: FileTruth[]
  commands: CommandTruth[]
  /** The merge with the base branch; `why` tells what stood in the way of trying. */
  merge: { base: string | null; conflicts: string[]; why: string | null }
  /** The text differs from what was first committed, or from what is committed now. */
  edited: 'since-commit' | 'in-work-tree' | null
  isCommitted: boolean
  /** Lines of the file on which conflict markers stand. */
  markers: number[]
}
