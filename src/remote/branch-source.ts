import { fetchRefs, listRemote } from '../git/network.ts'
import type { Repo } from '../git/open-repo.ts'
import { isBehind } from '../git/operation.ts'
import { branchName, moveRefs, readWorktrees } from '../git/refs.ts'
import type { Remotes, Upstream } from '../git/remotes.ts'
import { separateRef } from '../git/separate-branch.ts'
import type { Ends } from '../git/take-branch.ts'
import { type Listed, WORK_PATTERNS } from '../work/send-work.ts'

/** A branch as a remote has it and as this clone has it. */
export interface Source extends Ends {
  /** The remote that was asked; null where there is none. */
  remote: string | null
  /** The branch of its briefs there, by its full name. */
  apart: { ref: string; oid: string } | null
  /** Refs of that remote where uncommitted work waits. */
  works: Listed
}

/** Looks for a branch where `from` says, without which no remote is asked. Throws what `listRemote` throws. */
export async function findSource(
  repo: Repo,
  branch: string,
  from: Upstream | null,
  isAttended: boolean,
): Promise<Source> {
  const apart = separateRef(branch)
  const [local] = await repo.objects.read([`refs/heads/${branch}^{commit}`])
  const listed =
    from === null
      ? new Map<string, string>()
      : await listRemote(repo, { remote: from.remote, isAttended }, [from.ref, apart, ...WORK_PATTERNS])
  const [oid, its] = [from === null ? undefined : listed.get(from.ref), listed.get(apart)]
  return {
    ...{ branch, remote: from?.remote ?? null, local: local?.oid ?? null },
    from: from === null || oid === undefined ? null : { ...from, oid },
    apart: its === undefined ? null : { ref: apart, oid: its },
    works: listed,
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
  const known = await repo.objects.read(wanted.map(({ to, oid }) => to ?? `${oid}^{commit}`))
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
  const [local] = await repo.objects.read([ref])
  if (!local || local.oid === oid || !(await isBehind(repo, local.oid, oid))) return
  if ((await readWorktrees(repo)).some(({ branch }) => branch === branchName(ref))) return
  await moveRefs(repo, [{ ref, to: oid, from: local.oid }], 'handoff: fast-forward')
}
