import { fetchRefs, listRemote } from './network.ts'
import { checkObjects } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { branchName, moveRefs } from './refs.ts'
import { isCopy, type Remotes, type Upstream } from './remotes.ts'
import { separateRef } from './separate-branch.ts'
import { readWorktrees } from './worktrees.ts'

/** A branch as a remote has it and as this clone has it. */
export interface Source {
  /** Its short name here. */
  branch: string
  /** The remote that was asked; null where there is none. */
  remote: string | null
  /** Where it comes from; null where that remote lacks it. */
  from: (Upstream & { oid: string }) | null
  /** The branch of its briefs there, by its full name. */
  apart: { ref: string; oid: string } | null
  /** Its commit here; null where there is no such branch yet. */
  local: string | null
}

/**
 * Looks for a branch where it is pulled from, else where it is pushed to: by its own name, else by that of its upstream. `far`: on this remote
 * alone. Throws what `listRemote` throws.
 */
export async function findSource(
  repo: Repo,
  remotes: Remotes,
  branch: string,
  isAttended: boolean,
  far?: string,
): Promise<Source> {
  const own = `refs/heads/${branch}`
  const apart = separateRef(branch)
  const [local] = await checkObjects(repo, [`${own}^{commit}`])
  const upstream = remotes.upstreamOf(branch)
  const remote = far ?? upstream?.remote ?? remotes.pushTo(branch)
  const here = { branch, remote, local: local?.oid ?? null }
  if (remote === null) return { ...here, from: null, apart: null }
  const theirs = upstream?.remote === remote ? [upstream.ref] : []
  const listed = await listRemote(repo, { remote, isAttended }, [own, apart, ...theirs])
  // Of a pull request only the host's own ref is it.
  const names = theirs.length > 0 && upstream !== null && isCopy(upstream) ? theirs : [own, ...theirs]
  const ref = names.find((name) => listed.has(name))
  const oidOf = (name: string): string => listed.get(name) ?? ''
  return {
    ...here,
    from: ref === undefined ? null : { remote, ref, oid: oidOf(ref) },
    apart: listed.has(apart) ? { ref: apart, oid: oidOf(apart) } : null,
  }
}

/**
 * Fetches what of a branch is not here, and nothing else; its own branch of briefs goes on to what was fetched where nothing was made here
 * since. True when there are new briefs on that. Throws what `fetchRefs` throws.
 */
export async function fetchSource(
  repo: Repo,
  remotes: Remotes,
  { remote, from, apart }: Source,
  isAttended: boolean,
): Promise<boolean> {
  if (remote === null) return false
  const isNamed = remotes.list.some(({ name }) => name === remote)
  const wanted = [from, apart].flatMap((one) => {
    const branch = one === null ? null : branchName(one.ref)
    const to = branch === null || !isNamed ? null : `refs/remotes/${remote}/${branch}`
    return one === null ? [] : [{ ...one, to }]
  })
  const known = await checkObjects(
    repo,
    wanted.map(({ to, oid }) => to ?? `${oid}^{commit}`),
  )
  const news = wanted.filter(({ oid }, at) => known[at]?.oid !== oid)
  if (news.length > 0)
    await fetchRefs(
      repo,
      { remote, isAttended },
      news.map(({ ref, to }) => (to === null ? ref : `+${ref}:${to}`)),
    )
  if (apart !== null) await moveApart(repo, apart)
  return news.some(({ ref }) => ref === apart?.ref)
}

/** What was made on both sides the next handoff joins. */
async function moveApart(repo: Repo, { ref, oid }: { ref: string; oid: string }): Promise<void> {
  const [local] = await checkObjects(repo, [ref])
  if (!local || local.oid === oid || (await distance(repo, local.oid, oid)).ahead > 0) return
  if ((await readWorktrees(repo)).some(({ branch }) => branch === branchName(ref))) return
  await moveRefs(repo, [{ ref, to: oid, from: local.oid }], 'handoff: fast-forward')
}

/** Commits that one side has and the other lacks. */
export interface Distance {
  ahead: number
  behind: number
}

/** How far a commit here (null: none yet) is from one that was fetched. Throws `gitFailed`. */
export async function distance(repo: Repo, ours: string | null, theirs: string): Promise<Distance> {
  const range = ours === null ? theirs : `${ours}...${theirs}`
  const counts = (await repo.git(['rev-list', '--count', '--left-right', range]))
    .trim()
    .split('\t')
    .map(Number)
  return { ahead: ours === null ? 0 : (counts[0] ?? 0), behind: counts.at(-1) ?? 0 }
}
