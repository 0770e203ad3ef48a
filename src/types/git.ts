export type Operation = 'merge' | 'rebase' | 'am' | 'cherry-pick' | 'revert' | 'bisect'

export interface GitChange {
  /** Relative to the repository root, `/` separators. */
  path: string
  /** Old path of a rename or copy. */
  from?: string
  /** How it stands: `staged` and `unstaged` may both hold. */
  staged: boolean
  unstaged: boolean
  state: 'added' | 'modified' | 'deleted' | 'renamed' | 'untracked' | 'conflicted' | 'type-changed'
}

export interface GitCommit {
  sha: string
  subject: string
  /** When it was committed, amended or rebased last; ISO 8601. */
  at: string
  /** Trailer lines `Key: value`. */
  trailers: string[]
  /** Without those in `.handoff/` and `setUp`. */
  files: GitChange['path'][]
}

/** What commits did to one file in all. */
export interface FileEffect {
  path: GitChange['path']
  /** Its path before, where it was renamed. */
  from?: string
  kind: 'created' | 'deleted' | 'renamed' | 'changed'
}

/** Paths of files, `/` between their parts. */
export interface PathSet extends Iterable<string> {
  has(path: string): boolean
}

/** What git knows, read once. */
export interface GitState {
  /** Absolute top level of this worktree. */
  root: string
  /** Absolute top levels of all worktrees, this one first. */
  worktrees: string[]
  /** Null when detached; during a rebase or bisect the branch that git will come back to. */
  branch: string | null
  /** Full commit id; null when unborn. */
  head: string | null
  upstream: string | null
  ahead: number | null
  behind: number | null
  /** Commits of HEAD and local branches that no remote-tracking branch has; absent where there is no such branch. */
  unpushed?: ReadonlySet<string>
  /** The branch this one grew from, and where. */
  base: { ref: string; sha: string } | null
  operation: Operation | null
  /** Changes outside `.handoff/` and `setUp`. */
  changes: GitChange[]
  /** Commits since base, newest first, at most 50, without those that touch only `.handoff/`. */
  commits: GitCommit[]
  /** How many there were in all. */
  commitCount: number
  /** What the commits since base did to files in all, what they undid again left out; null where not all of them were read. */
  effect: FileEffect[] | null
  stashes: number
  shallow: boolean
  sparse: boolean
  /** Tracked paths at HEAD or in the index, and untracked ones that are not ignored. */
  files: PathSet
  /** Files that stand as `init` left them: no evidence of the work. */
  setUp: ReadonlySet<string>
  /** Old path → new path, from renames in `commits` and `changes`. */
  renames: ReadonlyMap<string, string>
  /** `user.name` and `user.email`, to keep user names out of briefs; empty when unset. */
  identity: { name: string; email: string }
}
