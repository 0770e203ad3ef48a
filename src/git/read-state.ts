import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { GitChange, GitCommit, GitState } from '../types.ts'
import { type BaseCandidate, chooseBase, readBaseRefs } from './find-base.ts'
import { LOG_FORMAT, type LoggedCommit, parseLog } from './log-records.ts'
import type { Repo } from './open-repo.ts'
import { operationBranch, readOperation } from './operation.ts'
import { parseStatus } from './status.ts'
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
 * (ISO 8601); none when neither is known. `worktrees`: those already listed. Throws `gitFailed`; rejects with the signal's reason on abort.
 */
export async function readState(
  repo: Repo,
  options: { handoffDir?: string; since?: string; worktrees?: readonly string[] } = {},
): Promise<GitState> {
  const folder = options.handoffDir ?? '.handoff'
  const ours = (path: string) => path === folder || path.startsWith(`${folder}/`)
  const [statusText, refs, worktrees, stashes, tracked, config] = await Promise.all([
    readStatus(repo, []),
    readBaseRefs(repo),
    options.worktrees ?? listWorktrees(repo),
    hasStashes(repo) ? repo.git(['stash', 'list', '--format=%H']) : '',
    repo.git(['ls-files', '-z']),
    repo.git(['config', '-z', '--get-regexp', '^(user\\.name|user\\.email|core\\.sparsecheckout)$'], {
      answers: [1],
    }),
  ])
  const status = parseStatus(statusText)
  const upstream =
    status.upstream !== null && status.ahead !== null ? { ref: status.upstream, rev: '@{upstream}' } : null
  const base = status.head === null ? null : chooseBase(refs, status.branch, upstream)
  const history = await readCommits(repo, status.head, base, ours, options.since)
  const changes = capUntracked(status.changes.filter((change) => !ours(change.path)))
  const files = new Set(tracked.split('\0').filter((path) => path !== ''))
  for (const change of status.changes) {
    files.add(change.path)
    if (change.from !== undefined) files.add(change.from)
  }
  const settings = parseConfig(config)
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
    commits: history.commits.slice(0, MAX_COMMITS).map(({ renames: _, ...commit }) => commit),
    commitCount: history.count,
    stashes: stashes.split('\n').filter((line) => line !== '').length,
    shallow: repo.shallow,
    sparse: settings.get('core.sparsecheckout') === 'true',
    files,
    renames: followRenames(history.commits, changes, files),
    identity: { name: settings.get('user.name') ?? '', email: settings.get('user.email') ?? '' },
  }
}

/** Where a filter's program is missing (LFS not installed), git itself gives up; then the files are compared as they are. */
async function readStatus(repo: Repo, withoutFilters: readonly string[]): Promise<string> {
  const args = ['status', '--porcelain=v2', '-z', '--branch', '--untracked-files=all', '--find-renames']
  try {
    return await repo.git(args, { withoutFilters })
  } catch (error) {
    const name =
      error instanceof Error ? /clean filter '([^'=\n]+)' failed/.exec(error.message)?.[1] : undefined
    if (name === undefined || withoutFilters.includes(name)) throw error
    return readStatus(repo, [...withoutFilters, name])
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
  const log = ['log', '-z', '-M', '--name-status', '--no-ext-diff', `--format=${LOG_FORMAT}`]
  const others = (commit: GitCommit) => commit.files.length === 0 || !commit.files.every(ours)
  if (!base) {
    const all = parseLog(await repo.git([...log, '-n', String(MAX_COMMITS), '--end-of-options', head, '--']))
    const handoff = all.findIndex((commit) => commit.trailers.some((line) => line.startsWith('Handoff-Id:')))
    const start = since === undefined ? Number.NaN : Date.parse(since)
    const fresh = Number.isNaN(start)
      ? all.slice(0, Math.max(handoff, 0))
      : all.filter((commit) => Date.parse(commit.at) >= start)
    const commits = fresh.filter(others)
    return { base: null, commits, count: commits.length }
  }
  const [fork, text] = await Promise.all([
    // Exit 1: the histories have nothing in common, or a shallow clone ends before the fork.
    repo.git(['merge-base', '--end-of-options', base.rev, head], { answers: [1] }),
    repo.git([...log, '-n', String(MAX_READ), '--end-of-options', `${base.rev}..${head}`, '--']),
  ])
  const read = parseLog(text)
  const commits = read.filter(others)
  const sha = fork.trim()
  const count =
    read.length < MAX_READ
      ? commits.length
      : Number(await repo.git(['rev-list', '--count', '--end-of-options', `${base.rev}..${head}`, '--'])) -
        (read.length - commits.length)
  return { base: sha === '' ? null : { ref: base.ref, sha }, commits, count }
}

function capUntracked(changes: GitChange[]): GitChange[] {
  let untracked = 0
  return changes.filter((change) => change.state !== 'untracked' || ++untracked <= MAX_UNTRACKED)
}

function parseConfig(text: string): Map<string, string> {
  const settings = new Map<string, string>()
  for (const entry of text.split('\0')) {
    const cut = entry.indexOf('\n')
    if (cut === -1) {
      // A key without `=` means true.
      if (entry !== '') settings.set(entry, 'true')
    } else settings.set(entry.slice(0, cut), entry.slice(cut + 1))
  }
  return settings
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
