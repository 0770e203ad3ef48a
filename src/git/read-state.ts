import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { GitChange, GitCommit, GitState, LineCommit, PathSet } from '../types/git.ts'
import { chooseBase } from './find-base.ts'
import type { Repo } from './open-repo.ts'
import { branchOfWork, readOperation } from './operation.ts'
import { openPaths } from './path-set.ts'
import { type LoggedCommit, readCommits } from './read-commits.ts'
import { openSimpleGit } from './simple-git.ts'
import { type RepoSnapshot, takeSnapshot } from './snapshot.ts'
import { listWorktrees } from './worktrees.ts'

/** Commits kept in `GitState.commits`. */
const MAX_COMMITS = 50
/** Untracked files kept in `changes`; beyond this a folder was simply not ignored. */
const MAX_UNTRACKED = 1000

/**
 * Reads everything git knows about this worktree, each command once and side by side; takes no lock.
 * `branch` is, during a rebase or bisect, the branch that git will come back to. `commits` without a base (the default
 * branch with nothing to compare with) are those after the newest handoff among the last 100, or after `since`
 * (ISO 8601); none when neither is known. `worktrees`: those already listed; `reading`: what has been asked already.
 * Throws `gitFailed`; rejects with the signal's reason on abort.
 */
export async function readState(
  repo: Repo,
  {
    since,
    worktrees: known,
    reading = takeSnapshot(repo),
  }: { since?: string; worktrees?: readonly string[]; reading?: RepoSnapshot } = {},
): Promise<GitState> {
  const ours = (path: string) => path === '.handoff' || path.startsWith('.handoff/')
  const others = (commit: GitCommit) => commit.files.length === 0 || !commit.files.every(ours)
  const [status, refs] = await Promise.all([reading.status, reading.refs])
  const upstream =
    status.upstream !== null && status.ahead !== null ? { ref: status.upstream, rev: '@{upstream}' } : null
  const base = status.head === null ? null : chooseBase(refs, status.branch, upstream)
  const [history, worktrees, stashes, tracked, settings] = await Promise.all([
    readCommits(repo, status.head, base, refs, others, since),
    known ?? listWorktrees(repo),
    hasStashes(repo) ? countStashes(repo) : 0,
    reading.tracked,
    reading.settings,
  ])
  const changes = capUntracked(status.changes.filter((change) => !ours(change.path)))
  const changed = status.changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))
  const files = openPaths([...tracked, ...changed])
  return {
    root: repo.root,
    worktrees: [...worktrees],
    branch: branchOfWork(repo.gitDir, status.branch),
    head: status.head,
    upstream: status.upstream,
    ahead: status.ahead,
    behind: status.behind,
    base: history.base,
    operation: readOperation(repo.gitDir),
    changes,
    commits: history.commits.slice(0, MAX_COMMITS).map((commit) => plain(commit, ours)),
    commitCount: history.count,
    lineage: lineageOf(history.read, ours),
    stashes,
    shallow: repo.shallow,
    sparse: settings.sparse,
    files,
    renames: followRenames(history.commits, changes, files),
    identity: settings.identity,
  }
}

/** The stash is a reflog; in files it has one of its own. */
const hasStashes = (repo: Repo) =>
  ['logs/refs/stash', 'reftable'].some((name) => existsSync(join(repo.commonDir, name)))

/** The last one may be dropped meanwhile, or its ref be broken: then there are none. Rejects on abort. */
async function countStashes(repo: Repo): Promise<number> {
  const list = await (await openSimpleGit(repo)).stashList().catch(() => null)
  repo.signal?.throwIfAborted()
  return list?.total ?? 0
}

function lineageOf(read: readonly LoggedCommit[], ours: (path: string) => boolean): LineCommit[] {
  return read.map(({ sha, parents, files }) => {
    const others = files.filter((path) => !ours(path))
    const own = files.length > 0 && others.length === 0
    return own ? { sha, parents, files: others, own } : { sha, parents, files: others }
  })
}

/** A commit as it is handed on: of its files those that are not ours. */
const plain = (
  { renames: _, parents: __, files, ...commit }: LoggedCommit,
  ours: (path: string) => boolean,
): GitCommit => ({ ...commit, files: files.filter((path) => !ours(path)) })

function capUntracked(changes: GitChange[]): GitChange[] {
  let untracked = 0
  return changes.filter((change) => change.state !== 'untracked' || ++untracked <= MAX_UNTRACKED)
}

/** Old path → newest path. A path that exists again is nobody's old name. */
function followRenames(
  commits: readonly LoggedCommit[],
  changes: readonly GitChange[],
  files: PathSet,
): Map<string, string> {
  const renames = new Map<string, string>()
  const steps = [
    ...commits.toReversed().flatMap((commit) => commit.renames),
    ...changes.flatMap((change) =>
      change.state === 'renamed' && change.from !== undefined ? [{ from: change.from, to: change.path }] : [],
    ),
  ]
  for (const { from, to } of steps) {
    for (const [old, now] of renames) if (now === from) renames.set(old, to)
    renames.set(from, to)
  }
  const lastFrom = new Set(changes.flatMap((change) => change.from ?? []))
  for (const [old, now] of renames) {
    if (old === now || (files.has(old) && !lastFrom.has(old))) renames.delete(old)
  }
  return renames
}
