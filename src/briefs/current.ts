import { type ParsedBrief, parseBrief } from '../brief/parse.ts'
import { currentOf, type StateNode } from '../brief/state.ts'
import { changesListed } from '../brief/status.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { BRIEFS, type BriefBlob, briefsIn } from '../git/brief-path.ts'
import { grownFrom, openLanding, type PlacedBrief, shortName } from '../git/landing.ts'
import { readBlobs } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { branchOfWork } from '../git/operation.ts'
import { listParked, parkedHere } from '../git/parked.ts'
import { readHeadId } from '../git/read-briefs.ts'
import { branchName, type Ref, readHead, readRefs } from '../git/refs.ts'
import { readSeparateBriefs, separateRefsHere, workBranch } from '../git/separate-branch.ts'
import { type HeadSnapshot, readHeadView } from '../git/snapshot.ts'
import { type MetaIndex, openMetaIndex } from '../store/meta-index.ts'
import { codeSpan } from '../text/safe-text.ts'
import type { Config } from '../types/config.ts'
import { metasOf } from './read-metas.ts'

/** A brief with its text, wherever it was found. */
export interface CurrentBrief {
  id: string
  path: string
  /** Blob id. */
  oid: string
  text: string
  parsed: ParsedBrief
  /** It stands in the tree of HEAD. */
  committed: boolean
  /** Full name of the branch of briefs that holds it instead (`--branch separate`). */
  apart?: string
  /** It waits under a ref of its own until an operation of git is over. */
  parked?: true
}

/** What HEAD has at its path, as the look that found the brief has seen it; null when nothing. */
export const inHeadOf = ({ committed, oid }: CurrentBrief): { mode: string; oid: string } | null =>
  committed ? { mode: '100644', oid } : null

/** The file was not committed when the brief was made. */
export const hasLeft = ({ parsed }: CurrentBrief, path: string): boolean =>
  changesListed(parsed.brief).some(({ text }) => text.includes(codeSpan(path)))

/** The hash in the base of a brief, `main@1a2b3c4…`. */
export const endOfBase = ({ base }: CurrentBrief['parsed']['meta']): string | undefined =>
  base?.split('@').at(-1)

/** A chain on a branch of briefs goes on there. */
export const configOnward = (config: Config, { apart }: CurrentBrief): Config =>
  apart === undefined ? config : { ...config, commit: { ...config.commit, branch: 'separate' } }

/** What is open in a checkout, and what is over. */
export interface Checkout {
  /** The open brief, which people and agents are told of. */
  current: CurrentBrief | null
  /** The record that closed this branch; null unless that is the last that was said here. */
  closing: CurrentBrief | null
  /** Briefs of HEAD's tree that have landed, newest first; not all where there are many. */
  landed: LandedBrief[]
}

export type LandedBrief = Pick<Node, 'id' | 'path' | 'oid' | 'goal' | 'branch' | 'createdAt'>

interface Node extends StateNode, PlacedBrief, Pick<BriefBlob, 'oid'> {
  goal: string
  createdAt: string
  isApart: boolean
  apart?: string
}

/** Briefs looked at first while searching for one of this branch, newest first; then twice as many. */
const BATCH = 64

/** The open brief of this checkout by the rule of `currentOf`, or null. `reading`: what has been asked of git already. */
export const readCurrent = async (
  repo: Repo,
  reading: HeadSnapshot | null = null,
): Promise<CurrentBrief | null> => (await readCheckout(repo, reading)).current

/** The same with what is over. A brief that cannot be read is passed over; `check` tells what is wrong with it. */
export async function readCheckout(repo: Repo, reading: HeadSnapshot | null = null): Promise<Checkout> {
  const place = await readPlace(repo, reading)
  const landed = await place.landing.byWork(place.beside.filter(({ isApart }) => isApart))
  let nodes = [...place.beside]
  let left = place.tree
  const index = await openMetaIndex(repo.commonDir, left)
  for (let size = BATCH; ; size *= 2) {
    const batch = await readNodes(repo, left.slice(-size), index)
    left = left.slice(0, -size)
    nodes.push(...batch)
    for (const id of await place.landing.byFile(batch)) landed.add(id)
    // Briefs are read newest first, so that those read decide over those that are not.
    const isSeen = left.every(({ id }) => id !== place.headId)
    const choice = currentOf({ ...place, nodes, landed })
    if (left.length > 0 && !(isSeen && ['head', 'branch', 'closed'].includes(choice.by))) continue
    const settled =
      choice.by === 'history-needed'
        ? currentOf(
            { ...place, nodes, landed },
            await grownFrom(repo, place.refs, choice.among.slice(-BATCH)),
          )
        : choice
    const brief = settled.node === null ? null : await readNode(repo, settled.node)
    if (settled.node !== null && brief === null) {
      nodes = nodes.filter((node) => node !== settled.node)
      continue
    }
    await index.save()
    return {
      current: settled.by === 'closed' ? null : brief,
      closing: settled.by === 'closed' ? brief : null,
      landed: nodes
        .filter(({ id, kind }) => kind !== 'done' && landed.has(id))
        .sort((a, b) => (a.id < b.id ? 1 : -1)),
    }
  }
}

async function readPlace(repo: Repo, reading: HeadSnapshot | null) {
  const [refs, view, { ref }] = await Promise.all([
    reading?.refs ?? readRefs(repo, ['refs/heads', 'refs/remotes', 'refs/handoff']),
    reading?.head() ?? readHeadView(repo),
    readHead(repo),
  ])
  const branch = branchOfWork(repo.gitDir, branchName(ref))
  const atHead = refs.flatMap(({ name, oid }) => (oid === view.commit ? (shortName(name) ?? []) : []))
  const landing = openLanding(repo, refs)
  const [apart, parked, headId] = await Promise.all([
    readApart(repo, refs),
    readParked(repo, refs),
    readHeadId(repo, view),
  ])
  return {
    headId,
    names: [...new Set([...(branch === null ? [] : [branch]), ...atHead])],
    trunk: landing.trunk,
    landing,
    refs,
    // Briefs in the tree of HEAD, oldest first, and those that are kept for this checkout elsewhere.
    tree: briefsIn(view.folders.get(BRIEFS) ?? []).filter(({ mode }) => mode === '100644'),
    beside: [...apart, ...parked],
  }
}

/** Those about this line of work on a branch of briefs, a local or a fetched one. */
async function readApart(repo: Repo, refs: Ref[] | null): Promise<Node[]> {
  const found = await separateRefsHere(repo, refs)
  if (found.refs.length === 0) return []
  const blobs = (await readSeparateBriefs(repo, found.refs)).slice(0, BATCH)
  const nodes = await readNodes(repo, blobs)
  return nodes.filter(({ apart = '', branch }) => branch === workBranch(apart))
}

/** Those that wait for this branch until an operation of git is over. */
async function readParked(repo: Repo, refs: Ref[]): Promise<Node[]> {
  const nodes = await readNodes(repo, await parkedHere(repo, await listParked(repo, refs)))
  return nodes.map((node) => ({ ...node, parked: true }))
}

async function readNodes(
  repo: Repo,
  blobs: readonly (Pick<BriefBlob, 'id' | 'path' | 'oid'> & { apart?: string })[],
  index?: MetaIndex,
): Promise<Node[]> {
  const metas = await metasOf(repo, blobs, index)
  return blobs.flatMap(({ id, path, oid, apart }) => {
    const meta = metas.get(oid)
    if (meta === undefined) return []
    const { parent, kind = 'handoff', branch, base = null, head, goal, createdAt } = meta
    const node = { id, path, oid, parent, kind, branch, base, head, goal, createdAt }
    return [apart === undefined ? { ...node, isApart: false } : { ...node, isApart: true, apart }]
  })
}

async function readNode(repo: Repo, { id, path, oid, apart, parked }: Node): Promise<CurrentBrief | null> {
  const brief = await readBlobBrief(repo, { id, path, oid }, apart === undefined && parked !== true)
  if (brief === null) return null
  return { ...brief, ...(apart === undefined ? {} : { apart }), ...(parked === undefined ? {} : { parked }) }
}

/** One brief of git, parsed; null when it is gone, too large or no brief. */
export async function readBlobBrief(
  repo: Repo,
  blob: Pick<BriefBlob, 'id' | 'path' | 'oid'>,
  committed: boolean,
): Promise<CurrentBrief | null> {
  const content = (await readBlobs(repo, [blob.oid])).get(blob.oid)
  if (content === undefined) return null
  const text = content.toString('utf8')
  try {
    return {
      id: blob.id,
      path: blob.path,
      oid: blob.oid,
      text,
      parsed: parseBrief(text, blob.path),
      committed,
    }
  } catch (error) {
    if (isHandoffError(error) && error.code === 'E_BRIEF_UNREADABLE') return null
    throw error
  }
}
