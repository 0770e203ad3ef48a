import { noRange } from '../errors/git.ts'
import { BASE_REFS, chooseBase } from '../git/find-base.ts'
import { checkObjects } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { branchName, readHead, readRefs } from '../git/refs.ts'
import { type CiFacts, readCi } from './read-ci.ts'

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
  const [head, first, second] = await checkObjects(repo, ['HEAD', 'HEAD^1', 'HEAD^2'])
  const end = ci.head ?? head?.oid ?? 'HEAD'
  // The merge was made from the base as it is now, which may be newer than what the event tells.
  const isMerge = first && second && ci.head !== null && second.oid === ci.head
  if (isMerge) return { range: `${first.oid}...${second.oid}`, base: ci.baseName ?? base, branch }
  const ref = ci.baseName === null ? null : `refs/remotes/origin/${ci.baseName}`
  const [there, tracking] = await checkObjects(repo, [base, ...(ref === null ? [] : [ref])])
  // A push that rewrote history tells a commit that nobody fetched.
  if (!there && ci.isPush) return null
  if (ci.isPush) return { range: `${base}..${end}`, base: base.slice(0, 12), branch }
  return { range: `${there || !tracking ? base : tracking.oid}...${end}`, base: ci.baseName ?? base, branch }
}

async function rangeOfBranch(repo: Repo, ci: CiFacts | null): Promise<BranchRange> {
  const [refs, head] = await Promise.all([
    readRefs(repo, [...BASE_REFS, 'refs/remotes/origin']),
    readHead(repo),
  ])
  const branch = ci?.branch ?? branchName(head.ref)
  const named = ci?.baseName
  const known = named && refs.find(({ name }) => name === `refs/remotes/origin/${named}`)
  if (known) return { range: `${known.oid}...HEAD`, base: named, branch }
  const upstream = await readUpstream(repo, head.ref)
  const base = chooseBase(refs, branch, upstream)
  if (base === null) throw noRange()
  return { range: `${base.rev}...HEAD`, base: base.ref, branch }
}

async function readUpstream(repo: Repo, ref: string): Promise<{ ref: string; rev: string } | null> {
  if (branchName(ref) === null) return null
  const [line] = await repo
    .git(['for-each-ref', '--format=%(upstream) %(upstream:short)', ref])
    .then((text) => text.split('\n'))
  const [name = '', short = ''] = (line ?? '').split(' ')
  const [found] = name === '' ? [] : await checkObjects(repo, [name])
  return found ? { ref: short, rev: found.oid } : null
}

/** The branch at the right end of a range that somebody named; the current one for `HEAD`. */
export async function branchOf(repo: Repo, range: string): Promise<string | null> {
  const right = /\.{2,3}(.*)$/s.exec(range)?.[1] ?? ''
  if (right === '' || right === 'HEAD') return branchName((await readHead(repo)).ref)
  const name = right.replace(/^refs\/heads\//, '').replace(/^(?:refs\/remotes\/)?origin\//, '')
  const refs = await readRefs(repo, ['refs/heads', 'refs/remotes/origin'])
  const isBranch = refs.some(
    (ref) => ref.name === `refs/heads/${name}` || ref.name === `refs/remotes/origin/${name}`,
  )
  return isBranch ? name : null
}
