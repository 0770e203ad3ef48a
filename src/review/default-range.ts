import { readFile, stat } from 'node:fs/promises'
import { noRange } from '../errors/git.ts'
import type { Repo } from '../git/open-repo.ts'
import { branchName, readHead, readRefs } from '../git/refs.ts'
import { readBase } from '../life/trunk.ts'
import type { Place } from '../types/config.ts'

/** The commits that a pull request or a branch brings. */
export interface BranchRange {
  /** `a...b` or `a..b`, of full commit ids. */
  range: string
  /** What it is compared with, as people say it. */
  base: string
  /** The branch that is reviewed; null when nobody says it. */
  branch: string | null
}

/**
 * In CI the commits of the pull request, merge request or push that it runs for; elsewhere what HEAD has since it left the
 * default branch. A checkout of the merge that CI made (`refs/pull/1/merge`) counts as its second parent. Throws `noRange`,
 * `gitFailed`.
 */
export async function defaultRange(repo: Repo): Promise<BranchRange> {
  const ci = await readCi(repo.env)
  if (ci !== null) {
    const found = await rangeOfCi(repo, ci)
    if (found !== null) return found
  }
  return rangeOfBranch(repo, ci)
}

async function rangeOfCi(repo: Repo, ci: CiFacts): Promise<BranchRange | null> {
  if (ci.base === null) return null
  const { base, branch } = ci
  const [head, first, second] = await repo.objects.read(['HEAD', 'HEAD^1', 'HEAD^2'])
  const end = ci.head ?? head?.oid ?? 'HEAD'
  // The merge was made from the base as it is now, which may be newer than what the event tells.
  const isMerge = first && second && ci.head !== null && second.oid === ci.head
  if (isMerge) return { range: `${first.oid}...${second.oid}`, base: ci.baseName ?? base, branch }
  const ref = ci.baseName === null ? null : `refs/remotes/origin/${ci.baseName}`
  const [there, tracking] = await repo.objects.read([base, ...(ref === null ? [] : [ref])])
  // A push that rewrote history tells a commit that nobody fetched.
  if (!there && ci.isPush) return null
  if (ci.isPush) return { range: `${base}..${end}`, base: base.slice(0, 12), branch }
  return { range: `${there || !tracking ? base : tracking.oid}...${end}`, base: ci.baseName ?? base, branch }
}

async function rangeOfBranch(repo: Repo, ci: CiFacts | null): Promise<BranchRange> {
  const [refs, head] = await Promise.all([readRefs(repo, ['refs/heads', 'refs/remotes']), readHead(repo)])
  const branch = ci?.branch ?? branchName(head.ref)
  const named = ci?.baseName
  const known = named && refs.find(({ name }) => name === `refs/remotes/origin/${named}`)
  if (known) return { range: `${known.oid}...HEAD`, base: named, branch }
  const upstream = await readUpstream(repo, head.ref)
  const base = await readBase(repo, refs, branch, upstream)
  if (base === null) throw noRange(await lastMerge(repo))
  return { range: `${base.rev}...HEAD`, base: base.ref, branch }
}

/** The last merge that HEAD has; null where there is none. */
async function lastMerge(repo: Repo): Promise<string | null> {
  const [head] = await repo.objects.read(['HEAD'])
  if (!head) return null
  const args = ['rev-list', '-1', '--first-parent', '--merges', '--abbrev-commit', head.oid, '--']
  return (await repo.git(args)).trim() || null
}

async function readUpstream(repo: Repo, ref: string): Promise<{ ref: string; rev: string } | null> {
  if (branchName(ref) === null) return null
  const [line] = await repo
    .git(['for-each-ref', '--format=%(upstream) %(upstream:short)', ref])
    .then((text) => text.split('\n'))
  const [name = '', short = ''] = (line ?? '').split(' ')
  const [found] = name === '' ? [] : await repo.objects.read([name])
  return found ? { ref: short, rev: found.oid } : null
}

/** The branch at the right end of a range that somebody named; the current one for `HEAD`. */
export async function branchOf(repo: Repo, range: string): Promise<string | null> {
  const dots = range.lastIndexOf('..')
  const right = dots < 0 ? '' : range.slice(dots + 2)
  if (right === '' || right === 'HEAD') return branchName((await readHead(repo)).ref)
  const name = (branchName(right) ?? right).replace(/^(?:refs\/remotes\/)?origin\//, '')
  const refs = await readRefs(repo, ['refs/heads', 'refs/remotes/origin'])
  const isBranch = refs.some(
    (ref) => ref.name === `refs/heads/${name}` || ref.name === `refs/remotes/origin/${name}`,
  )
  return isBranch ? name : null
}

/** What the environment of a CI server says about the change it runs for. */
interface CiFacts {
  /** Full commit ids; null when it is not said. */
  base: string | null
  head: string | null
  /** Name of the branch that the change is to be merged into. */
  baseName: string | null
  /** Name of the branch that is to be merged; of a push the branch itself. */
  branch: string | null
  /** `base` is where the branch stood before, not where it is going. */
  isPush: boolean
}

/** Events of GitHub are at most 25 MB (docs.github.com, "Webhook events and payloads"). */
const MAX_EVENT = 32 * 1024 * 1024

/** Null where no CI server that we know has called. A file that cannot be read tells nothing. */
async function readCi(env: Place['env']): Promise<CiFacts | null> {
  if (env.GITHUB_ACTIONS === 'true' || (env.GITHUB_EVENT_PATH ?? '') !== '')
    return fromEvent(await readEvent(env.GITHUB_EVENT_PATH ?? ''), env)
  if (env.GITLAB_CI === 'true') return fromGitLab(env)
  return null
}

function fromEvent(event: Json, env: Place['env']): CiFacts {
  const { pull_request: request, merge_group: group, ref } = event
  if (isRecord(request)) {
    const [base, head] = [recordAt(request, 'base'), recordAt(request, 'head')]
    const [into, from] = [text(base.ref) ?? env.GITHUB_BASE_REF, text(head.ref) ?? env.GITHUB_HEAD_REF]
    return factsOf(base.sha, head.sha, into, from)
  }
  if (isRecord(group)) return factsOf(group.base_sha, group.head_sha, group.base_ref, group.head_ref)
  const isBranch = typeof ref === 'string' && ref.startsWith('refs/heads/')
  const into = recordAt(event, 'repository').default_branch
  return factsOf(event.before, event.after, into, isBranch ? ref : env.GITHUB_HEAD_REF, true)
}

function fromGitLab(env: Place['env']): CiFacts {
  const isRequest = text(env.CI_MERGE_REQUEST_IID) !== null
  return factsOf(
    isRequest ? env.CI_MERGE_REQUEST_DIFF_BASE_SHA : env.CI_COMMIT_BEFORE_SHA,
    // In a pipeline of a merged result CI_COMMIT_SHA is the merge.
    commitId(env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA) ?? env.CI_COMMIT_SHA,
    text(env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME) ?? env.CI_DEFAULT_BRANCH,
    text(env.CI_MERGE_REQUEST_SOURCE_BRANCH_NAME) ?? env.CI_COMMIT_BRANCH,
    !isRequest,
  )
}

function factsOf(base: unknown, head: unknown, into: unknown, from: unknown, isPush = false): CiFacts {
  const nameOf = (ref: unknown) => branchName(text(ref) ?? '') ?? text(ref)
  return { base: commitId(base), head: commitId(head), baseName: nameOf(into), branch: nameOf(from), isPush }
}

type Json = Record<string, unknown>

async function readEvent(path: string): Promise<Json> {
  try {
    if (path === '' || (await stat(path)).size > MAX_EVENT) return {}
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isRecord(value) ? value : {}
  } catch {
    return {} // Then the other variables tell what they can.
  }
}

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null
const recordAt = (value: Json, key: string): Json => (isRecord(value[key]) ? (value[key] as Json) : {})
/** No name of a branch holds a space or control character. */
const text = (value: unknown): string | null =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  typeof value === 'string' && /^[^\x00-\x20\x7f]+$/.test(value) ? value : null

/** Null for the zeros of a branch that is new. */
const commitId = (value: unknown): string | null =>
  typeof value === 'string' && /^(?!0+$)[0-9a-f]{40,64}$/.test(value) ? value : null
