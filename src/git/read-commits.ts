import type { GitCommit, GitState } from '../types/git.ts'
import type { BaseCandidate } from './find-base.ts'
import type { Repo } from './open-repo.ts'
import type { Ref } from './refs.ts'

/** Commits read when there is no base. */
const MAX_LOG = 100
/** Commits read to find 50 since the base that touch more than the handoff folder. */
const MAX_READ = 200
/**
 * First parents of the base that are read too: a brief made before the base moved on began among them. In a packed repository of 100,000 commits and
 * 10,000 files they take `git log` from 5 to 20 ms, beside a `git status` of 70.
 */
const EARLIER = 60
/** Read at most when those are asked for; in a history of many merges they may be more, and then the range is asked alone. */
const MAX_WITH_EARLIER = 300

export interface Commits {
  base: GitState['base']
  /** Since the base, newest first. */
  commits: LoggedCommit[]
  count: number
  /** All that were read, those before the base and of the handoff folder too. */
  read: LoggedCommit[]
}

/**
 * The commits since the base; without one, those after the newest handoff among the last hundred, or after `since` (ISO 8601).
 * `others` says whether a commit counts; `refs` should know the base's tip. One `git log`, seldom two. Throws `gitFailed`.
 */
export async function readCommits(
  repo: Repo,
  head: string | null,
  base: BaseCandidate | null,
  refs: readonly Ref[],
  others: (commit: GitCommit) => boolean,
  since: string | undefined,
): Promise<Commits> {
  if (head === null) return { base: null, commits: [], count: 0, read: [] }
  const start = since === undefined ? Number.NaN : Date.parse(since)
  if (!base) {
    const all = await readLog(repo, MAX_LOG, [head])
    const handoff = all.findIndex((commit) => commit.trailers.some((line) => line.startsWith('Handoff-Id:')))
    const fresh = new Set(
      Number.isNaN(start)
        ? all.slice(0, Math.max(handoff, 0))
        : all.filter((commit) => Date.parse(commit.at) >= start),
    )
    const commits = [...fresh].filter(others)
    return { base: null, commits, count: commits.length, read: all }
  }
  const { read, isAll, earlier } = await readSince(repo, head, base, tipOf(base, refs))
  const commits = read.filter(others)
  const [sha, count] = await Promise.all([
    (isAll ? forkOf(read, head) : undefined) ?? mergeBase(repo, base.rev, head),
    isAll ? read.length : repo.git(['rev-list', '--count', '--end-of-options', `${base.rev}..${head}`, '--']),
  ])
  return {
    base: sha === '' ? null : { ref: base.ref, sha },
    commits,
    count: Number(count) - (read.length - commits.length),
    read: [...read, ...earlier],
  }
}

interface Since {
  read: LoggedCommit[]
  isAll: boolean
  earlier: LoggedCommit[]
}

/**
 * The commits of `base..head`, and of those the base has the ones that its sixtieth first parent has not. The parents tell
 * both apart without error: a way from the base to a commit that was read leads over such commits alone.
 */
async function readSince(repo: Repo, head: string, base: BaseCandidate, tip: string | null): Promise<Since> {
  let earlier: LoggedCommit[] = []
  if (tip !== null) {
    const all = await readLog(repo, MAX_WITH_EARLIER, [head, tip, `^${tip}~${EARLIER}`])
    const shared = reachable(all, tip)
    earlier = all.filter(({ sha }) => shared.has(sha))
    if (all.length < MAX_WITH_EARLIER) {
      const read = all.filter(({ sha }) => !shared.has(sha))
      return { read: read.slice(0, MAX_READ), isAll: read.length < MAX_READ, earlier }
    }
  }
  const read = await readLog(repo, MAX_READ, [`${base.rev}..${head}`])
  return { read, isAll: read.length < MAX_READ, earlier }
}

/** Full id of the commit a base stands for, when that is known without asking git. */
function tipOf({ ref, rev }: BaseCandidate, refs: readonly Ref[]): string | null {
  if (/^[0-9a-f]{40,64}$/.test(rev)) return rev
  const names = [`refs/remotes/${ref}`, `refs/heads/${ref}`]
  const found = refs.filter(({ name }) => names.includes(name))
  return found.length === 1 ? (found[0]?.oid ?? null) : null
}

/** Those of the commits that can be reached from `tip`, itself included. */
function reachable(commits: readonly LoggedCommit[], tip: string): Set<string> {
  const parents = new Map(commits.map((commit) => [commit.sha, commit.parents]))
  const found = new Set<string>()
  const open = [tip]
  for (let sha = open.pop(); sha !== undefined; sha = open.pop()) {
    const next = parents.get(sha)
    if (next === undefined || found.has(sha)) continue
    found.add(sha)
    open.push(...next)
  }
  return found
}

/** Newest first. `--ignore-missing`: a young base has no sixtieth first parent. */
async function readLog(repo: Repo, most: number, revisions: readonly string[]): Promise<LoggedCommit[]> {
  const args = ['log', '-z', '-M', '--name-status', '--no-ext-diff', `--format=${LOG_FORMAT}`]
  args.push('--ignore-missing', '-n', String(most), '--end-of-options', ...revisions, '--')
  return parseLog(await repo.git(args))
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

/** `git log` format of one commit; \x01 and a full id begin a record, NUL ends each field. */
export const LOG_FORMAT = '%x01%H%x00%P%x00%cI%x00%s%x00%(trailers:only=true,unfold=true)%x00'

export interface LoggedCommit extends GitCommit {
  renames: { from: string; to: string }[]
  parents: string[]
}

/** Reads `git log -z --name-status -M --format=LOG_FORMAT`, in the order given. `at` is when it was committed, amended or rebased last, in UTC. */
export function parseLog(text: string): LoggedCommit[] {
  const commits: LoggedCommit[] = []
  const fields = text.split('\0')
  let commit: LoggedCommit | undefined
  for (let at = 0; at < fields.length; at++) {
    // A line break parts the format from the list of files.
    const field = (fields[at] ?? '').replace(/^\n/, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the marker of LOG_FORMAT
    if (/^\x01[0-9a-f]{40,64}$/.test(field)) {
      const [parents = '', time = '', subject = '', trailers = ''] = fields.slice(at + 1, at + 5)
      at += 4
      commit = {
        sha: field.slice(1),
        subject,
        at: new Date(time).toISOString(),
        trailers: trailers.split('\n').filter((line) => line !== ''),
        files: [],
        renames: [],
        parents: parents.split(' ').filter((parent) => parent !== ''),
      }
      commits.push(commit)
    } else if (commit && /^[RC]\d+$/.test(field)) {
      const [from = '', to = ''] = fields.slice(at + 1, at + 3)
      at += 2
      commit.files.push(to)
      if (field.startsWith('R')) commit.renames.push({ from, to })
    } else if (commit && /^[ADMTUX]$/.test(field)) {
      commit.files.push(fields[++at] ?? '')
    }
  }
  return commits
}
