import type { FileEffect, GitChange, GitCommit, GitState } from '../types/git.ts'
import { readReflog } from './branch-line.ts'
import type { Repo } from './open-repo.ts'
import { branchOfWork, readOperation } from './operation.ts'
import { logRecords, type RawChange } from './read-history.ts'
import { listWorktrees } from './refs.ts'
import { readConfig } from './settings.ts'
import type { RepoSnapshot } from './snapshot.ts'

/** What `init` wrote, as who knows it tells: `has` of a path that git tells of, and whether somebody changed it since HEAD. */
interface OwnFiles {
  recorded: ReadonlySet<string>
  has(path: string, isChanged: boolean): boolean
}

const NOTHING_OWN: OwnFiles = { recorded: new Set(), has: () => false }

/** A place the current branch may have grown from. */
export interface BaseCandidate {
  /** Short name as a person says it: `main`, `origin/main`. */
  ref: string
  /** Revision that git understands: a commit id or `@{upstream}`. */
  rev: string
}

/** Commits kept in `GitState.commits`. */
const MAX_COMMITS = 50
/** Commits read when there is no base. */
const MAX_LOG = 100
/** Commits read to find 50 since the base that touch more than the handoff folder. */
const MAX_READ = 200
/** Untracked files kept in `changes`; beyond this a folder was simply not ignored. */
const MAX_UNTRACKED = 1000

/**
 * Reads everything git knows about this worktree, each command once and side by side; takes no lock.
 * `branch` is, during a rebase or bisect, the branch that git will come back to. `commits` without a base (the default
 * branch with nothing to compare with) are those after the newest handoff among the last 100, or after `since`
 * (ISO 8601); none when neither is known. `worktrees`: those already listed; `reading`: what has been asked already; `base`: what commits are counted from.
 * Throws `gitFailed`; rejects with the signal's reason on abort.
 */
export async function readState(
  repo: Repo,
  {
    since,
    worktrees: known,
    reading,
    base: counted,
    own = NOTHING_OWN,
  }: {
    since?: string
    worktrees?: readonly string[]
    reading: RepoSnapshot
    base: Promise<BaseCandidate | null>
    /** Files that `init` wrote and nobody went on with. */
    own?: OwnFiles
  },
): Promise<GitState> {
  const [status, base] = await Promise.all([reading.status, counted])
  const isChanged = new Set(
    status.changes.flatMap(({ path, state }) => (state === 'untracked' ? [] : [path])),
  )
  const setUp = new Set(own.recorded)
  const ours = (path: string): boolean => {
    if (path === '.handoff' || path.startsWith('.handoff/') || setUp.has(path)) return true
    if (!own.has(path, isChanged.has(path))) return false
    setUp.add(path)
    return true
  }
  const others = (commit: GitCommit) => commit.files.length === 0 || !commit.files.every(ours)
  const [history, worktrees, tracked, settings] = await Promise.all([
    readCommits(repo, status.head, base, others, since),
    known ?? listWorktrees(repo),
    reading.tracked,
    readConfig(repo),
  ])
  let untracked = 0
  const changes = status.changes.filter(
    ({ path, state }) => !ours(path) && (state !== 'untracked' || ++untracked <= MAX_UNTRACKED),
  )
  const changed = status.changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))
  const files = new Set([...tracked, ...changed])
  return {
    ...status,
    root: repo.root,
    worktrees: [...worktrees],
    branch: branchOfWork(repo.gitDir, status.branch),
    base: history.base,
    operation: readOperation(repo.gitDir),
    changes,
    commits: history.commits.slice(0, MAX_COMMITS).map((commit) => plain(commit, ours)),
    commitCount: history.count,
    effect: history.count > history.commits.length ? null : effectOf(history.commits, ours),
    stashes: readReflog(repo.commonDir, 'refs/stash').length,
    shallow: repo.shallow,
    sparse: settings.isOn('core.sparsecheckout'),
    files,
    setUp,
    renames: followRenames(history.commits, changes, files),
    identity: settings.identity,
  }
}

/** A commit as it is handed on: of its files those that are not ours. */
const plain = ({ raw: _, files, ...commit }: LoggedCommit, ours: (path: string) => boolean): GitCommit => ({
  ...commit,
  files: files.filter((path) => !ours(path)),
})

/** What the commits did in all, by path. One that only joins two lines brings no change of its own. */
function effectOf(commits: readonly LoggedCommit[], ours: (path: string) => boolean): FileEffect[] {
  /** By the path of now: where the file was before the first commit, null for one that was not there, and what it held then and holds now. */
  const files = new Map<string, { from: string | null; before: string; now: string | null }>()
  for (const { path, from, status, before, oid } of commits.toReversed().flatMap(({ raw }) => raw)) {
    const old = status === 'R' ? (from ?? path) : path
    const file = files.get(old) ?? { from: status === 'A' ? null : old, before, now: null }
    if (old !== path) files.delete(old)
    files.set(path, { ...file, now: status === 'D' ? null : oid })
  }
  return [...files]
    .flatMap(([path, { from, before, now }]): FileEffect[] => {
      if (ours(path) || (from === null && now === null)) return []
      if (from === null) return [{ path, kind: 'created' }]
      if (now === null) return [{ path: from, kind: 'deleted' }]
      if (from !== path) return [{ path, from, kind: 'renamed' }]
      return before === now ? [] : [{ path, kind: 'changed' }]
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Old path → newest path. A path that exists again is nobody's old name. */
function followRenames(
  commits: readonly LoggedCommit[],
  changes: readonly GitChange[],
  files: GitState['files'],
): Map<string, string> {
  const renames = new Map<string, string>()
  const committed = commits.toReversed().flatMap(({ raw }) => raw.filter(({ status }) => status === 'R'))
  for (const { from = '', path } of [...committed, ...changes.filter(({ state }) => state === 'renamed')]) {
    for (const [old, now] of renames) if (now === from) renames.set(old, path)
    renames.set(from, path)
  }
  const lastFrom = new Set(changes.flatMap((change) => change.from ?? []))
  for (const [old, now] of renames) {
    if (old === now || (files.has(old) && !lastFrom.has(old))) renames.delete(old)
  }
  return renames
}

/**
 * The commits since the base, newest first; without one, those after the newest handoff among the last hundred, or after `since` (ISO 8601).
 * `others` says whether a commit counts. One `git log`, two processes where branches met. Throws `gitFailed`.
 */
async function readCommits(
  repo: Repo,
  head: string | null,
  base: BaseCandidate | null,
  others: (commit: GitCommit) => boolean,
  since: string | undefined,
) {
  if (head === null) return { base: null, commits: [], count: 0 }
  if (!base) {
    const start = since === undefined ? Number.NaN : Date.parse(since)
    const all = await readLog(repo, MAX_LOG, head)
    const handoff = all.findIndex(({ trailers }) => trailers.some((line) => line.startsWith('Handoff-Id:')))
    const fresh = Number.isNaN(start)
      ? all.slice(0, Math.max(handoff, 0))
      : all.filter(({ at }) => Date.parse(at) >= start)
    const commits = fresh.filter(others)
    return { base: null, commits, count: commits.length }
  }
  const range = `${base.rev}..${head}`
  const read = await readLog(repo, MAX_READ, range)
  const fork = await findFork(repo, base.rev, head, read)
  const commits = read.filter(others)
  const count =
    read.length < MAX_READ
      ? read.length
      : await repo.git(['rev-list', '--count', '--end-of-options', range, '--'])
  return {
    base: fork === null ? null : { ref: base.ref, sha: fork },
    commits,
    count: Number(count) - (read.length - commits.length),
  }
}

/**
 * Where `head` left the base; null when the histories have nothing in common, or a shallow clone ends before. The one commit that those since
 * the base stand on is the fork, which spares a process.
 */
async function findFork(
  repo: Repo,
  base: string,
  head: string,
  read: readonly LoggedCommit[],
): Promise<string | null> {
  const known = new Set(read.map(({ sha }) => sha))
  const [below = null, ...others] = new Set(
    read.flatMap(({ parents }) => parents.filter((sha) => !known.has(sha))),
  )
  if (read.length > 0 && read.length < MAX_READ && others.length === 0) return below
  const found = await repo.git(['merge-base', '--end-of-options', base, head], { answers: [1] })
  return found.trim() || null
}

interface LoggedCommit extends GitCommit {
  parents: string[]
  raw: RawChange[]
}

/** Newest first. `at` is when it was committed, amended or rebased last, in UTC. */
async function readLog(repo: Repo, most: number, range: string): Promise<LoggedCommit[]> {
  const args = ['log', '-z', '-M', '--raw', '--no-abbrev', '--no-ext-diff', `--format=${LOG_FORMAT}`]
  const text = await repo.git([...args, '-n', String(most), '--end-of-options', range, '--'])
  return logRecords(text, 5).map(
    ({ head: [sha = '', parents = '', time = '', subject = '', trailers = ''], changes }) => ({
      ...{ sha, subject, at: new Date(time).toISOString() },
      parents: parents.split(' ').filter((parent) => parent !== ''),
      trailers: trailers.split('\n').filter((line) => line !== ''),
      files: changes.map(({ path }) => path),
      raw: changes,
    }),
  )
}

const LOG_FORMAT = '%x01%H%x00%P%x00%cI%x00%s%x00%(trailers:only=true,unfold=true)%x00'
