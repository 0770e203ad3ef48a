import {
  type BriefVersion,
  type ChainNode,
  nodesOf,
  type StatelessNode,
  type Unreadable,
} from '../brief/chain.ts'
import type { BriefBlob } from '../git/files.ts'
import type { Repo } from '../git/open-repo.ts'
import { listParked, type ParkedBrief, parkedHere } from '../git/parked.ts'
import { listBriefsAtHead, listTipBriefs } from '../git/read-briefs.ts'
import { type HistoryEntry, type HistoryOptions, walkHistory } from '../git/read-history.ts'
import { readRefs } from '../git/refs.ts'
import { readSeparateHere, separateRefsHere, workBranch } from '../git/separate-branch.ts'
import { type Judged, readStates } from '../life/landed.ts'
import type { PlacedNode } from '../life/state.ts'
import { readTrunk } from '../life/trunk.ts'
import { oneLine } from '../text/safe-text.ts'
import { metasOrWhy } from './read-metas.ts'

interface ChainOptions {
  /** Of every branch, remote, worktree and parked brief; else of the current branch, wherever its briefs are kept. */
  all?: boolean
}

/** What history tells of briefs, and what it does not. */
export interface WholeChain {
  /** Each id once, newest commit first. */
  nodes: ChainNode[]
  /** Files named as briefs that are none in any version. */
  unreadable: Unreadable[]
  /** Why git could not walk all of history, in its words; null when it could. */
  broken: string | null
  parked: ParkedBrief[]
}

/** Every brief once, by id, newest commit first; the file is the truth. Throws `badRevision`, `gitFailed`. */
export const readChain = async (repo: Repo, options: ChainOptions = {}): Promise<ChainNode[]> =>
  (await readWholeChain(repo, options)).nodes

/** The same with everything that a person should be told of it. Throws `badRevision`, `gitFailed`. */
export async function readWholeChain(repo: Repo, options: ChainOptions = {}): Promise<WholeChain> {
  const parked = listParked(repo)
  const [{ versions, broken }, head, apart, waiting] = await Promise.all([
    readVersions(repo, options, parked),
    listBriefsAtHead(repo),
    readSeparateHere(repo),
    parked,
  ])
  const inTree = new Map([...apart, ...head].map(({ path, oid }) => [path, oid]))
  const { nodes, unreadable } = nodesOf(versions, inTree)
  return { nodes: await withStates(repo, nodes), unreadable, broken, parked: waiting }
}

/**
 * The briefs that stand at the end of any line of work, each id once: what most questions are about, without a walk through
 * history. Throws `gitFailed`.
 */
export async function readTips(repo: Repo): Promise<ChainNode[]> {
  const [tips, head] = await Promise.all([listTipBriefs(repo), listBriefsAtHead(repo)])
  const inTree = new Map(head.map(({ path, oid }) => [path, oid]))
  return withStates(repo, nodesOf(await read(repo, tips), inTree).nodes)
}

async function withStates(repo: Repo, nodes: readonly StatelessNode[]): Promise<ChainNode[]> {
  const inTree = new Set(nodes.flatMap((node) => (node.inTree ? [node.id] : [])))
  const { states, standing } = await judge(repo, nodes.map(placedNode), ({ id }) => inTree.has(id))
  return nodes.map((node) => ({
    ...node,
    state: states.get(node.id) ?? 'open',
    ...(node.inTree || standing.has(node.id) ? {} : { gone: true }),
  }))
}

/** The states of briefs that were found anywhere; `inHead`: HEAD's tree has it. Throws `gitFailed`. */
export async function judge(
  repo: Repo,
  nodes: readonly PlacedNode[],
  inHead: (node: PlacedNode) => boolean = () => false,
): Promise<Judged> {
  const refs = await readRefs(repo, ['refs/heads', 'refs/remotes', 'refs/handoff'])
  const others = async (blobs: readonly BriefBlob[]): Promise<PlacedNode[]> => {
    const versions = await read(
      repo,
      blobs.map((blob) => ({ ...blob, commit: '', ref: '' })),
    )
    return nodesOf(versions, new Map()).nodes.map(placedNode)
  }
  return readStates(repo, refs, await readTrunk(repo, refs), nodes, others, inHead)
}

const placedNode = (node: StatelessNode): PlacedNode => ({
  ...node,
  ...(workBranch(node.ref) === null ? {} : { apart: node.ref }),
})

async function readVersions(
  repo: Repo,
  options: ChainOptions,
  parked: Promise<ParkedBrief[]>,
): Promise<{ versions: BriefVersion[]; broken: string | null }> {
  const history: HistoryOptions = options.all === true ? options : { also: await ownRefs(repo, parked) }
  const first = await walk(repo, history)
  if (first.broken === null) return first
  // A branch that was rewritten and collected under the walk is gone when git looks again.
  const second = await walk(repo, history)
  if (second.broken === null) return second
  // What is at the end of any line of work is there even so.
  const tips = await read(repo, await listTipBriefs(repo))
  return { ...second, versions: [...second.versions, ...tips] }
}

/** Where else briefs of the current branch are kept: a branch of briefs, and those that wait for it. */
async function ownRefs(repo: Repo, parked: Promise<ParkedBrief[]>): Promise<string[]> {
  const [apart, waiting] = await Promise.all([
    separateRefsHere(repo),
    parked.then((briefs) => parkedHere(repo, briefs)),
  ])
  return [...(apart.by === 'left' ? [] : apart.refs), ...waiting.map(({ id }) => `refs/handoff/${id}`)]
}

/** What history names, read; `broken` says why it ends early, where git does. */
async function walk(
  repo: Repo,
  options: HistoryOptions,
): Promise<{ versions: BriefVersion[]; broken: string | null }> {
  const { entries, broken } = await walkHistory(repo, options)
  return { versions: await read(repo, entries), broken: broken === null ? null : oneLine(broken.message) }
}

type Entry = Pick<HistoryEntry, 'id' | 'path' | 'oid' | 'mode' | 'commit' | 'ref' | 'edited'> &
  Partial<Pick<HistoryEntry, 'author'>>

async function read(repo: Repo, entries: readonly Entry[]): Promise<BriefVersion[]> {
  const metas = await metasOrWhy(repo, entries)
  return entries.map(({ id, path, oid, commit, ref, edited, author }, at) => {
    const meta = metas[at] ?? ''
    const told = typeof meta === 'string' ? { meta: null, why: meta } : { meta }
    const more = { ...(edited === undefined ? {} : { edited }), ...(author ? { author } : {}) }
    return { ...{ id, path, oid, commit, ref }, ...more, ...told }
  })
}
