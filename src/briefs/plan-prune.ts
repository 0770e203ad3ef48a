import { type Limits, type Retention, retain } from '../brief/state.ts'
import type { Repo } from '../git/open-repo.ts'
import { branchName, hasCommits, readHead, readRefs } from '../git/refs.ts'
import { separateRef } from '../git/separate-branch.ts'
import { type Checkout, readCheckout } from './current.ts'
import { readShelf, type Shelf } from './prune-briefs.ts'
import { readChain } from './read-chain.ts'

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
  const [isBorn, refs, here, chain] = await Promise.all([
    hasCommits(repo),
    apart === null ? [] : readRefs(repo, [apart]),
    known ?? readCheckout(repo),
    readChain(repo, { all: true }),
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
    return { shelf, ...retain(shelf.held, chain, ids, limits, now) }
  })
}
