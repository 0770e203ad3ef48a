import { chainOf } from '../brief/chain.ts'
import { type ParsedBrief, parseBrief } from '../brief/parse.ts'
import { changesListed } from '../brief/status.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import type { TreeView } from '../git/build-tree.ts'
import { type BriefBlob, ID } from '../git/files.ts'
import { readBlobs } from '../git/objects.ts'
import { once, type Repo } from '../git/open-repo.ts'
import { branchOfWork } from '../git/operation.ts'
import { listParked, parkedHere } from '../git/parked.ts'
import { briefsOf } from '../git/read-briefs.ts'
import { branchName, type Ref, readHead, readRefs } from '../git/refs.ts'
import { readSeparateBriefs, separateRefsHere, workBranch } from '../git/separate-branch.ts'
import { type RepoSnapshot, readHeadView } from '../git/snapshot.ts'
import { grownFrom, readStates } from '../life/landed.ts'
import { currentOf, type PlacedNode } from '../life/state.ts'
import { readTrunk, shortName } from '../life/trunk.ts'
import { takenElsewhere } from '../store/journal.ts'
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
  /** Ids of the briefs that it follows, and its own, where others are open beside it. */
  line?: ReadonlySet<string>
  /** What is open here as well, newest first, where it is the open brief of a checkout: two people handed over at once. */
  beside?: readonly CurrentBrief[]
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
  /** The open brief, which people and agents are told of; null also where a session in another worktree has it. */
  current: CurrentBrief | null
  /** Every open head of this line of work, newest first: two people who hand over at once make two. */
  heads: CurrentBrief[]
  /** They were made on the trunk that this branch grew from. */
  isOfTrunk: boolean
  /** The record that closed this branch; null unless that is the last that was said here. */
  closing: CurrentBrief | null
  /** Briefs of HEAD's tree that have landed, newest first. */
  landed: LandedBrief[]
  /** Paths of unreadable briefs of this line of work, newest first, that are newer than the current one, else than every other. */
  lost: string[]
}

export type LandedBrief = Pick<Node, 'id' | 'path' | 'oid' | 'goal' | 'branch' | 'createdAt'>

interface Node extends PlacedNode, Pick<BriefBlob, 'oid'> {
  goal: string
}

type Blob = Pick<BriefBlob, 'id' | 'path' | 'oid'> & { mode?: string; apart?: string }

/** The open brief of this checkout by the rule of `currentOf`, or null. `reading`: what has been asked of git already. */
export const readCurrent = async (
  repo: Repo,
  reading: RepoSnapshot | null = null,
): Promise<CurrentBrief | null> => (await readCheckout(repo, reading)).current

/** The same with what is over. A brief that cannot be read is passed over; `check` tells what is wrong with it. */
export const readCheckout = (repo: Repo, reading: RepoSnapshot | null = null): Promise<Checkout> =>
  once(repo, 'checkout', () => lookAtCheckout(repo, reading))

async function lookAtCheckout(repo: Repo, reading: RepoSnapshot | null): Promise<Checkout> {
  const unread: Blob[] = []
  const { refs, trunk, spot, blobs, elsewhere } = await readPlace(repo, reading, unread)
  let nodes = [...elsewhere, ...(await readNodes(repo, blobs, unread))]
  const known = new Set(blobs.map(({ id }) => id))
  const judged = await readStates(
    repo,
    refs,
    trunk,
    nodes,
    (others) => readNodes(repo, others),
    ({ id }) => known.has(id),
  )
  const here = { ...spot, trunks: trunk.names }
  for (;;) {
    const grown = (among: readonly Node[]) => grownFrom(repo, judged, refs, among.slice(0, MOST_GROWN))
    const { by, node, heads } = await currentOf(nodes, judged.states, judged, here, grown)
    const asked = node === null || heads.includes(node) ? heads : [node]
    const read = await Promise.all(asked.map((one) => readNode(repo, one)))
    const gone = asked.filter((_, at) => read[at] === null)
    nodes = nodes.filter((one) => !gone.includes(one))
    unread.push(...gone)
    if (gone.length > 0) continue
    const found = read.filter((brief) => brief !== null)
    const lineOf = ({ id }: CurrentBrief) => new Set(chainOf(id, nodes).map((one) => one.id))
    const briefs = found.length < 2 ? found : found.map((brief) => ({ ...brief, line: lineOf(brief) }))
    const brief = briefs.find(({ id }) => id === node?.id) ?? null
    const beside = briefs.filter(({ id }) => id !== brief?.id)
    const ids = nodes.map(({ id }) => id)
    const last = brief?.id ?? ids.sort().at(-1) ?? ''
    const lost = unread.filter(({ id }) => id > last).sort((a, b) => (a.id < b.id ? 1 : -1))
    return {
      current: by === 'closed' || brief === null ? null : { ...brief, beside },
      heads: by === 'closed' ? [] : briefs,
      isOfTrunk: by === 'trunk',
      closing: by === 'closed' ? brief : null,
      landed: nodes
        .filter(({ id }) => judged.states.get(id) === 'landed')
        .sort((a, b) => (a.id < b.id ? 1 : -1)),
      lost: lost.slice(0, MOST_LOST).map(({ path }) => path),
    }
  }
}

/** Briefs that cannot be read are named, newest first: a partial clone may lack all of them. */
const MOST_LOST = 8
/** Open briefs of other branches of which history is asked, newest first. */
const MOST_GROWN = 64

async function readPlace(repo: Repo, reading: RepoSnapshot | null, unread: Blob[]) {
  const [refs, view, { ref }] = await Promise.all([
    reading?.refs ?? readRefs(repo, ['refs/heads', 'refs/remotes', 'refs/handoff']),
    reading?.head() ?? readHeadView(repo),
    readHead(repo),
  ])
  const branch = branchOfWork(repo.gitDir, branchName(ref))
  const [trunk, apart, parked, headId, taken] = await Promise.all([
    readTrunk(repo, refs),
    readApart(repo, refs, unread),
    readParked(repo, refs, unread),
    readHeadId(view),
    takenElsewhere(repo, Date.now()),
  ])
  const names = branch === null ? [] : [branch, trunk.copyOf(branch)].filter((name) => name !== null)
  const atHead = refs.flatMap(({ name, oid }) =>
    oid === view.commit ? (shortName(name, trunk.remotes) ?? []) : [],
  )
  return {
    refs,
    trunk,
    spot: { names, headId, taken, atHead: [...new Set(atHead)].filter((name) => name !== branch) },
    // Briefs in the tree of HEAD, and those that are kept for this checkout elsewhere.
    blobs: await briefsOf(repo, view),
    elsewhere: [...apart, ...parked],
  }
}

/** Those about this line of work on a branch of briefs, a local or a fetched one. */
async function readApart(repo: Repo, refs: Ref[] | null, unread: Blob[]): Promise<Node[]> {
  const found = await separateRefsHere(repo, refs)
  if (found.refs.length === 0) return []
  const blobs = await readSeparateBriefs(repo, found.refs)
  const nodes = await readNodes(repo, blobs, unread)
  return nodes.filter(({ apart = '', branch }) => branch === workBranch(apart))
}

/** Those that wait for this branch until an operation of git is over. */
async function readParked(repo: Repo, refs: Ref[], unread: Blob[]): Promise<Node[]> {
  const nodes = await readNodes(repo, await parkedHere(repo, await listParked(repo, refs)), unread)
  return nodes.map((node) => ({ ...node, parked: true }))
}

/** `unread` is given those that cannot be read. */
async function readNodes(repo: Repo, blobs: readonly Blob[], unread: Blob[] = []): Promise<Node[]> {
  const metas = await metasOf(repo, blobs)
  unread.push(...blobs.filter(({ oid }) => !metas.has(oid)))
  return blobs.flatMap(({ id, path, oid, apart }) => {
    const meta = metas.get(oid)
    if (meta === undefined) return []
    const { parents, kind = 'handoff', branch, base = null, head, goal, createdAt } = meta
    const node = { id, path, oid, parents, kind, branch, base, head, goal, createdAt }
    return [apart === undefined ? node : { ...node, apart }]
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

/** The newest `Handoff-Id` in the trailers of a commit, its last paragraph; null where there is none. */
function readHeadId({ text }: TreeView): string | null {
  const [, , ...paragraphs] = text.trimEnd().split(/\n{2,}/)
  const ids = (paragraphs.at(-1) ?? '')
    .split('\n')
    .flatMap((line) => /^handoff-id: (\S+)\s*$/i.exec(line)?.[1] ?? [])
  return ids.findLast((id) => ID.test(id)) ?? null
}
