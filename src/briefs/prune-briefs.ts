import { lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { chainOf } from '../brief/chain.ts'
import { type Held, type Limits, type Retention, retain } from '../brief/retention.ts'
import type { Invocation } from '../command.ts'
import { notPruned, stayOnDisk } from '../errors/briefs.ts'
import { isHandoffError, orNull } from '../errors/handoff-error.ts'
import { whyNotCommitted } from '../errors/writing.ts'
import { type CommitOutcome, commitFiles, readEntries } from '../git/commit-files.ts'
import { holdsBlob } from '../git/files.ts'
import type { Repo } from '../git/open-repo.ts'
import { readBriefTrees } from '../git/read-briefs.ts'
import { branchName, hasCommits, readHead, readRefs } from '../git/refs.ts'
import { separateRef } from '../git/separate-branch.ts'
import { readTrunk } from '../life/trunk.ts'
import { type Checkout, readCheckout } from './current.ts'
import { readChain } from './read-chain.ts'
import { metasOf } from './read-metas.ts'

/** A place that briefs are committed in: the tree of HEAD, or a branch of briefs. */
export interface Shelf {
  /** Null for HEAD. */
  ref: string | null
  held: (Held & { oid: string })[]
}

/** The briefs in the tree of HEAD, or on a branch of briefs, and whether they are in this worktree as they are there. Throws what the file system says. */
export async function readShelf(repo: Repo, ref: string | null): Promise<Shelf> {
  const [blobs = []] = await readBriefTrees(repo, [ref ?? 'HEAD'])
  const [metas, entries] = await Promise.all([
    metasOf(repo, blobs),
    ref === null
      ? readEntries(
          repo,
          blobs.map(({ path }) => path),
        )
      : new Map<string, { oid: string }>(),
  ])
  return {
    ref,
    held: blobs.map(({ id, path, oid, mode }) => {
      const staged = entries.get(path)
      return {
        id,
        path,
        oid,
        createdAt: mode === '100644' ? (metas.get(oid)?.createdAt ?? null) : null,
        isEdited:
          ref === null &&
          ((staged !== undefined && staged.oid !== oid) ||
            (orNull(() => lstatSync(join(repo.root, path))) !== null && !holdsBlob(repo, path, oid))),
      }
    }),
  }
}

type Plan = Retention<Shelf['held'][number]> & { shelf: Shelf }

/** What would leave the tree of HEAD and the branch of briefs that belongs to this branch. Reads only. `known`: what is open here, when it is. */
export async function planPrune(
  repo: Repo,
  limits: Limits,
  now: number,
  known: Checkout | null = null,
): Promise<Plan[]> {
  const branch = branchName((await readHead(repo)).ref)
  const apart = branch === null ? null : separateRef(branch)
  const [isBorn, refs, here, chain, inTrunk] = await Promise.all([
    hasCommits(repo),
    apart === null ? [] : readRefs(repo, [apart]),
    known ?? readCheckout(repo),
    readChain(repo, { all: true }),
    idsOfTrunk(repo, branch),
  ])
  const shelves = await Promise.all([
    ...(isBorn ? [readShelf(repo, null)] : []),
    ...(apart !== null && refs.some(({ name }) => name === apart) ? [readShelf(repo, apart)] : []),
  ])
  return shelves.map((shelf) => {
    // On a branch of briefs the newest is the current one, also while HEAD has one that is newer still.
    const last = shelf.ref === null ? undefined : shelf.held.at(-1)?.id
    // The record that closed this branch stays, or it would be open again.
    const ids = [here.current?.id, here.closing?.id, last].filter((id) => id !== undefined)
    return { shelf, ...retain(shelf.held, chain, ids, limits, now, inTrunk) }
  })
}

/** Ids of the briefs in the trees of the trunks; none on a trunk itself, which may take them out. */
async function idsOfTrunk(repo: Repo, branch: string | null): Promise<Set<string>> {
  const { names, refsOf } = await readTrunk(repo, await readRefs(repo, ['refs/heads', 'refs/remotes']))
  if (branch !== null && names.includes(branch)) return new Set()
  const trees = await readBriefTrees(
    repo,
    names.flatMap(refsOf).map(({ oid }) => oid),
  )
  return new Set(trees.flat().map(({ id }) => id))
}

/**
 * Takes briefs out of a tree with a commit of its own, then their files off the disk, as far as those are what was committed;
 * history keeps them. Returns the commit. Throws `notPruned`, with nothing changed, and `stayOnDisk`.
 */
export async function removeBriefs(
  { place }: Invocation,
  repo: Repo,
  { ref }: Shelf,
  removed: Shelf['held'],
): Promise<string> {
  const { commit } = await commitFiles(repo, {
    id: place.newId(null),
    files: removed.map(({ path }) => ({ path, content: null })),
    message: messageOf(removed),
    ...(ref === null ? {} : { ref }),
  }).catch((error: unknown) => {
    if (!isHandoffError(error) || error.code !== 'E_NOT_COMMITTED') throw error
    throw notPruned(whyNotCommitted(error), error)
  })
  if (ref !== null) return commit
  const stay: string[] = []
  let cause: unknown = null
  for (const { path, oid } of removed)
    try {
      // Somebody may have written to one meanwhile.
      if (holdsBlob(repo, path, oid)) rmSync(join(repo.root, path), { force: true })
    } catch (error) {
      stay.push(path)
      cause = error
    }
  if (stay.length > 0) throw stayOnDisk(stay, cause)
  return commit
}

/** Takes the briefs that led to `id` out of the tree that its record was committed in; what was edited stays, and is said. */
export async function pruneChain(
  invocation: Invocation,
  repo: Repo,
  id: string,
  { ref }: CommitOutcome,
): Promise<Shelf['held']> {
  const shelf = await readShelf(repo, ref.startsWith('refs/heads/handoff/') ? ref : null)
  const nodes = await readChain(repo, { all: true })
  const line = new Set(chainOf(id, nodes).map((node) => node.id))
  const inTrunk = await idsOfTrunk(repo, branchName((await readHead(repo)).ref))
  const found = shelf.held.filter(({ id }) => line.has(id) && !inTrunk.has(id))
  for (const { path, isEdited } of found)
    if (isEdited) invocation.out.warn(`${path} stays: it has changes that are not committed`)
  const removed = found.filter(({ isEdited }) => !isEdited)
  if (removed.length > 0) await removeBriefs(invocation, repo, shelf, removed)
  return removed
}

/** Ids named in the message; git lists the paths, and knows by them as well. */
const NAMED = 20

function messageOf(removed: readonly Held[]): string {
  const count = removed.length
  const ids = removed.slice(0, NAMED).map(({ id }) => id)
  const more = count > NAMED ? [`These, and ${count - NAMED} more.`, ''] : []
  return [
    `chore(handoff): take ${count} brief${count === 1 ? '' : 's'} out of the tree`,
    '',
    'History keeps them; `git handoff log` lists them and `git handoff show <id>` prints them.',
    '',
    ...more,
    // By these a clone knows that the briefs have landed, whatever the tree holds.
    ...ids.map((id) => `Handoff-Pruned: ${id}`),
    '',
  ].join('\n')
}
