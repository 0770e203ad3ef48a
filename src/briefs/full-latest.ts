import { workBranch } from '../git/separate-branch.ts'
import { checkObjects } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { LATEST } from '../store/folder.ts'
import type { Config } from '../types/config.ts'
import type { Invocation } from '../command.ts'

/** Branches asked about at the same time. */
const BATCH = 8

/**
 * Warns, under `latest: full`, about the open branches that will conflict with this one in `latest.md`, whichever is
 * merged second. Open means not merged into HEAD; what was fetched counts as well. `ours`: blob id of what this branch is
 * about to hold there; else what HEAD has.
 */
export async function warnFullLatest(
  { out }: Invocation,
  repo: Repo,
  config: Config,
  ours?: string,
): Promise<void> {
  if (config.latest !== 'full') return
  const refs = await conflicting(repo, ours)
  if (refs.length === 0) return
  const local = new Set(refs.map((ref) => /^refs\/heads\/(.*)$/s.exec(ref)?.[1] ?? ''))
  const names = refs
    .filter((ref) => !local.has(ref.replace(/^refs\/remotes\/[^/]+\//, '')))
    .map((ref) => ref.replace(/^refs\/(?:heads|remotes)\//, ''))
  out.warn(
    `latest: full: ${names.sort().join(', ')} changed ${LATEST} as well; whichever is merged second will conflict there`,
  )
}

/** Full names of the branches with which a merge conflicts in `latest.md`. */
async function conflicting(repo: Repo, ours: string | undefined): Promise<string[]> {
  const listing = await repo.git(
    ['for-each-ref', '--no-merged=HEAD', '--format=%(refname)', 'refs/heads', 'refs/remotes'],
    { answers: [128, 129] },
  )
  const refs = listing.split('\n').filter((ref) => ref !== '' && !ref.endsWith('/HEAD'))
  const [head, ...found] = await blobsAt(repo, ['HEAD', ...refs])
  const mine = ours ?? head ?? null
  const other = refs.flatMap((ref, at) => (found[at] === mine ? [] : [{ ref, theirs: found[at] ?? null }]))
  const conflicts: string[] = []
  for (let at = 0; at < other.length; at += BATCH) {
    const batch = other.slice(at, at + BATCH)
    const is = await Promise.all(
      batch.map((one) => isConflict(repo, one, mine, workBranch(one.ref) !== null)),
    )
    conflicts.push(...batch.flatMap(({ ref }, index) => (is[index] ? ref : [])))
  }
  return conflicts
}

/**
 * A merge without a driver takes a file from the side that changed it. Two briefs, and a brief and the pointer, differ
 * from their first lines on, so that no hunks of theirs lie apart.
 */
async function isConflict(
  repo: Repo,
  { ref, theirs }: { ref: string; theirs: string | null },
  ours: string | null,
  isApart: boolean,
): Promise<boolean> {
  const listing = await repo.git(['merge-base', '--all', 'HEAD', ref], { answers: [1] })
  const bases = listing.split('\n').filter((line) => line !== '')
  // A branch of briefs is never merged with the work.
  if (bases.length === 0 && isApart) return false
  const before = bases.length === 0 ? [null] : await blobsAt(repo, bases)
  return !before.every((oid) => oid === theirs) && !before.every((oid) => oid === ours)
}

/** Blob ids of `latest.md` in these commits; null where there is none. */
const blobsAt = async (repo: Repo, revs: readonly string[]): Promise<(string | null)[]> => {
  const found = await checkObjects(
    repo,
    revs.map((rev) => `${rev}:${LATEST}`),
  )
  return revs.map((_, at) => found[at]?.oid ?? null)
}
