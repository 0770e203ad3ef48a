import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { GitChange, GitCommit, GitState } from '../types.ts'
import { type BaseCandidate, chooseBase } from './find-base.ts'
import { LOG_FORMAT, type LoggedCommit, parseLog } from './log-records.ts'
import type { Repo } from './open-repo.ts'
import { operationBranch, readOperation } from './operation.ts'
import { type Reading, startReading } from './reading.ts'
import { spawnGitOk } from './spawn.ts'
import { listWorktrees } from './worktrees.ts'

/** Commits kept in `GitState.commits`. */
const MAX_COMMITS = 50
/** Commits read to find that many that touch more than the handoff folder. */
const MAX_READ = 200
/** Untracked files kept in `changes`; beyond this a folder was simply not ignored. */
const MAX_UNTRACKED = 1000

/**
 * Reads everything git knows about this worktree, each command once and side by side; takes no lock.
 * `branch` is, during a rebase or bisect, the branch that git will come back to. `commits` without a base (the default
 * branch with nothing to compare with) are those after the newest handoff among the last 50, or after `since`
 * (ISO 8601); none when neither is known. `worktrees`: those already listed; `reading`: what has been asked already.
 * Throws `gitFailed`; rejects with the signal's reason on abort.
 */
export async function readState(
  repo: Repo,
  options: { handoffDir?: string; since?: string; worktrees?: readonly string[]; reading?: Reading } = {},
): Promise<GitState> {
  const reading = options.reading ?? startReading(repo)
  try {
    return await readFrom(repo, reading, options)
  } finally {
    if (options.reading === undefined) reading.objects.close()
  }
}

async function readFrom(
  repo: Repo,
  reading: Reading,
  options: NonNullable<Parameters<typeof readState>[1]>,
): Promise<GitState> {
  const folder = options.handoffDir ?? '.handoff'
  const ours = (path: string) => path === folder || path.startsWith(`${folder}/`)
  const [status, refs] = await Promise.all([reading.status, reading.refs])
  const upstream =
    status.upstream !== null && status.ahead !== null ? { ref: status.upstream, rev: '@{upstream}' } : null
  const base = status.head === null ? null : chooseBase(refs, status.branch, upstream)
  const [history, worktrees, stashes, tracked, settings] = await Promise.all([
    readCommits(repo, status.head, base, ours, options.since),
    options.worktrees ?? listWorktrees(repo),
    hasStashes(repo) ? repo.git(['stash', 'list', '--format=%H']) : '',
    reading.tracked,
    reading.settings,
  ])
  const changes = capUntracked(status.changes.filter((change) => !ours(change.path)))
  const files = new Set(tracked)
  for (const change of status.changes) {
    files.add(change.path)
    if (change.from !== undefined) files.add(change.from)
  }
  const operation = readOperation(repo.gitDir)
  const returning = status.branch === null && operation ? operationBranch(repo.gitDir) : null
  return {
    root: repo.root,
    worktrees: [...worktrees],
    branch: status.branch ?? returning?.slice('refs/heads/'.length) ?? null,
    head: status.head,
    upstream: status.upstream,
    ahead: status.ahead,
    behind: status.behind,
    base: history.base,
    operation,
    changes,
    commits: history.commits.slice(0, MAX_COMMITS).map(plain),
    commitCount: history.count,
    stashes: stashes.split('\n').filter((line) => line !== '').length,
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

interface History {
  base: GitState['base']
  commits: LoggedCommit[]
  count: number
}

async function readCommits(
  repo: Repo,
  head: string | null,
  base: BaseCandidate | null,
  ours: (path: string) => boolean,
  since: string | undefined,
): Promise<History> {
  if (head === null) return { base: null, commits: [], count: 0 }
  const others = (commit: GitCommit) => commit.files.length === 0 || !commit.files.every(ours)
  if (!base) {
    const all = await readLog(repo, head, MAX_COMMITS)
    const handoff = all.findIndex((commit) => commit.trailers.some((line) => line.startsWith('Handoff-Id:')))
    const start = since === undefined ? Number.NaN : Date.parse(since)
    const fresh = Number.isNaN(start)
      ? all.slice(0, Math.max(handoff, 0))
      : all.filter((commit) => Date.parse(commit.at) >= start)
    const commits = fresh.filter(others)
    return { base: null, commits, count: commits.length }
  }
  const range = `${base.rev}..${head}`
  const read = await readLog(repo, range, MAX_READ)
  const isAll = read.length < MAX_READ
  const commits = read.filter(others)
  const [sha, count] = await Promise.all([
    (isAll ? forkOf(read, head) : undefined) ?? mergeBase(repo, base.rev, head),
    isAll ? read.length : repo.git(['rev-list', '--count', '--end-of-options', range, '--']),
  ])
  return {
    base: sha === '' ? null : { ref: base.ref, sha },
    commits,
    count: Number(count) - (read.length - commits.length),
  }
}

async function readLog(repo: Repo, range: string, most: number): Promise<LoggedCommit[]> {
  const args = ['log', '-z', '-M', '--name-status', '--no-ext-diff', `--format=${LOG_FORMAT}`]
  const text = await spawnGitOk([...args, '-n', String(most), '--end-of-options', range, '--'], repo.child())
  return parseLog(text.toString('utf8'))
}

/**
 * The merge base of the two ends of `base..head`, told by the commits of that range: everything both have in common is
 * reached through the parents outside it, so a single one is the best. Empty when there is none; undefined when there
 * are several, which only git can compare.
 */
function forkOf(commits: readonly LoggedCommit[], head: string): string | undefined {
  if (commits.length === 0) return head
  const inside = new Set(commits.map(({ sha }) => sha))
  const outside = new Set(commits.flatMap(({ parents }) => parents.filter((sha) => !inside.has(sha))))
  return outside.size > 1 ? undefined : ([...outside][0] ?? '')
}

/** Exit 1: the histories have nothing in common, or a shallow clone ends before the fork. */
const mergeBase = async (repo: Repo, rev: string, head: string): Promise<string> =>
  (await repo.git(['merge-base', '--end-of-options', rev, head], { answers: [1] })).trim()

const plain = ({ renames: _, parents: __, ...commit }: LoggedCommit): GitCommit => commit

function capUntracked(changes: GitChange[]): GitChange[] {
  let untracked = 0
  return changes.filter((change) => change.state !== 'untracked' || ++untracked <= MAX_UNTRACKED)
}

/** Old path → newest path. A path that exists again is nobody's old name. */
function followRenames(
  commits: readonly LoggedCommit[],
  changes: readonly GitChange[],
  files: ReadonlySet<string>,
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
