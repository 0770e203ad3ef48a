import type { BriefBlob } from '../git/files.ts'
import type { Repo } from '../git/open-repo.ts'
import { listParked, type ParkedBrief } from '../git/parked.ts'
import { listBriefsAtHead, readBriefTrees, readTipTrees } from '../git/read-briefs.ts'
import type { Ref } from '../git/refs.ts'
import { workBranch } from '../git/separate-branch.ts'
import type { BriefState } from '../types/brief.ts'
import { openLandings, reachable } from './landed.ts'
import { type LifeFacts, type PlacedNode, statesOf } from './state.ts'
import { shortName, type Trunk } from './trunk.ts'

/** The states of briefs, and what they were judged by. */
export interface Judged extends LifeFacts {
  states: Map<string, BriefState>
  /** Ids of those that stand in a tree that was looked at: of a trunk, of the branch that they name, of any where that is gone. */
  standing: ReadonlySet<string>
}

/**
 * Judges briefs by the trees of the trunks, of the living branches that they name, and by what a trunk took out. `read` gives the nodes of
 * briefs that stand on such a branch and are not among them; `inHead` says of a node that HEAD's tree has it. Throws `gitFailed`.
 */
export async function readStates<N extends PlacedNode>(
  repo: Repo,
  refs: readonly Ref[],
  trunk: Trunk,
  nodes: readonly N[],
  read: (blobs: readonly BriefBlob[]) => Promise<N[]>,
  inHead: (node: N) => boolean,
): Promise<Judged> {
  const landings = openLandings(repo, refs, trunk)
  const landed = new Set(await landings.standing(nodes))
  const open = nodes.filter(({ id, kind }) => kind !== 'done' && !landed.has(id))
  const parked = await listParked(repo, refs)
  const branches = await branchesOf(repo, refs, trunk, open, parked)
  const isGone = ({ branch }: PlacedNode): boolean => branch === null || !branches.has(branch)
  const anywhere = open.some(isGone) ? await tipsOf(repo, refs) : []
  // What follows a brief was made after it.
  const oldest = new Map<readonly BriefBlob[], string>()
  for (const node of open) {
    const blobs = isGone(node) ? anywhere : (branches.get(node.branch ?? '') ?? [])
    const before = oldest.get(blobs)
    if (before === undefined || node.id < before) oldest.set(blobs, node.id)
  }
  const near = [...oldest].flatMap(([blobs, id]) =>
    blobs.filter((blob) => blob.id > id && blob.mode === '100644'),
  )
  const known = new Set(nodes.map(({ id }) => id))
  const others = new Map(near.filter(({ id }) => !known.has(id)).map((blob) => [blob.id, blob]))
  const all = others.size === 0 ? nodes : [...nodes, ...(await read([...others.values()]))]
  for (const id of await landings.standing(all.slice(nodes.length))) landed.add(id)
  const inTrunk = new Set(landed)
  const doubtful = all.filter(
    ({ id, kind, parked, apart }) =>
      kind !== 'done' && !landed.has(id) && parked !== true && apart === undefined,
  )
  for (const id of await landings.takenOut(doubtful, doubtful.every(inHead))) landed.add(id)
  const ids = new Map([...branches].map(([name, blobs]) => [name, new Set(blobs.map(({ id }) => id))]))
  const facts = { landed, branches: ids, tips: new Set([...anywhere, ...parked].map(({ id }) => id)) }
  const standing = new Set([inTrunk, facts.tips, ...ids.values()].flatMap((some) => [...some]))
  return { ...facts, standing, states: statesOf(all, facts) }
}

/** The briefs on each branch that one of these names (the local one, else those fetched and those pushed there), beside it, or waiting for it. */
async function branchesOf(
  repo: Repo,
  refs: readonly Ref[],
  { remotes, copyOf }: Trunk,
  nodes: readonly PlacedNode[],
  waiting: readonly ParkedBrief[],
): Promise<Map<string, BriefBlob[]>> {
  const wanted = new Set(nodes.flatMap(({ branch }) => branch ?? []))
  const byName = new Map<string, string[]>()
  const apart = new Map<string, string[]>()
  const local = new Set(refs.map(({ name }) => name).filter((name) => name.startsWith('refs/heads/')))
  const isFar = [...wanted].some((name) => !local.has(`refs/heads/${name}`))
  for (const { name, oid, target } of refs) {
    const short = target === '' ? shortName(name, remotes) : null
    if (short === null) continue
    const work = workBranch(name)
    // Of a fork's branch of briefs nothing follows ours: origin counts, or the only remote.
    const isOfFork = remotes.length > 1 && /^refs\/remotes\/(?!origin\/)/.test(name)
    if (work !== null && wanted.has(work) && !isOfFork) apart.set(work, [...(apart.get(work) ?? []), oid])
    const copy = isFar && name.startsWith('refs/heads/') ? copyOf(short) : null
    for (const one of copy === null ? [short] : [short, copy])
      if (wanted.has(one) && (name === `refs/heads/${one}` || !local.has(`refs/heads/${one}`)))
        byName.set(one, [...(byName.get(one) ?? []), oid])
  }
  const found = await Promise.all(
    [...byName].map(async ([name, tips]): Promise<[string, BriefBlob[]]> => {
      const blobs = (await readBriefTrees(repo, [...tips, ...(apart.get(name) ?? [])])).flat()
      const parked = waiting.filter(({ branch }) => branch === `refs/heads/${name}`)
      return [name, [...blobs, ...parked.map(({ id, path, oid }) => ({ id, path, oid, mode: '100644' }))]]
    }),
  )
  return new Map(found)
}

/** The briefs at the end of every line of work, and in the tree of HEAD. */
async function tipsOf(repo: Repo, refs: readonly Ref[]): Promise<BriefBlob[]> {
  const tips = refs.map(({ oid }) => oid)
  return [...(await listBriefsAtHead(repo)), ...(await readTipTrees(repo, tips)).flat()]
}

/**
 * The brief on which the work in HEAD was built: of those made in the history of HEAD the one that was added last on the first-parent
 * line, as a merge brings what was built elsewhere.
 */
export async function grownFrom<N extends PlacedNode>(
  repo: Repo,
  { branches }: LifeFacts,
  refs: readonly Ref[],
  nodes: readonly N[],
): Promise<N | null> {
  const inside = await reachable(
    repo,
    nodes.flatMap(({ head }) => head ?? []),
    'HEAD',
  )
  const isBehind = async (node: N): Promise<boolean> => {
    if (node.head !== null && inside.has(node.head)) return true
    if (node.apart !== undefined) return false
    return node.head === null || repo.shallow || isShared(repo, branches, refs, node)
  }
  const behind = await Promise.all(nodes.map(isBehind))
  const fit = nodes.filter((_, at) => behind[at])
  const files = fit.filter(({ apart }) => apart === undefined)
  const added = files.length === 0 ? [] : await addedLast(repo, files)
  return fit
    .filter(({ apart, path }) => apart !== undefined || added.includes(path))
    .reduce<N | null>((best, node) => (best === null || node.id > best.id ? node : best), null)
}

/** After a rebase its commit is another one, but HEAD still left the brief's branch when that had the file. */
async function isShared(
  repo: Repo,
  branches: LifeFacts['branches'],
  refs: readonly Ref[],
  { branch, path }: PlacedNode,
): Promise<boolean> {
  if (branch === null || !branches.has(branch)) return false
  for (const { oid } of refs.filter(({ name }) => name.endsWith(`/${branch}`))) {
    const fork = (await repo.git(['merge-base', 'HEAD', oid], { answers: [1] })).trim()
    const [file] = fork === '' ? [] : await repo.objects.read([`${fork}:${path}`])
    if (file) return true
  }
  return false
}

/** Of these files those that the nearest commit on the first-parent line brought. */
async function addedLast(repo: Repo, files: readonly { path: string }[]): Promise<string[]> {
  const found = await repo.git([
    ...['log', '-1', '-z', '--first-parent', '--no-merges', '--diff-filter=A', '--no-renames'],
    ...['--format=', '--name-only', 'HEAD', '--', ...files.map(({ path }) => path)],
  ])
  return found.split('\0').map((path) => path.trim())
}
