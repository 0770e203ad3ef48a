import { BRIEFS, type BriefBlob } from '../git/brief-path.ts'
import { checkObjects } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { listParked, type ParkedBrief } from '../git/parked.ts'
import { readBriefTrees } from '../git/read-briefs.ts'
import { logRecords } from '../git/read-history.ts'
import { type Ref, USUAL_NAMES, zeroId } from '../git/refs.ts'
import { workBranch } from '../git/separate-branch.ts'
import type { BriefState } from '../types/brief.ts'
import { type LifeFacts, type LifeNode, statesOf } from './state.ts'
import { baseName, shortName, type Trunk } from './trunk.ts'

/** What a brief says of its place. */
export interface PlacedNode extends LifeNode {
  path: string
  /** `ref@commit`: what its commits were counted from. */
  base: string | null
  /** The commit that it was made at. */
  head: string | null
  createdAt: string
  /** Full name of the branch of briefs that holds it, beside the work. */
  apart?: string
}

/** The states of briefs, and what they were judged by. */
export interface Judged extends LifeFacts {
  states: Map<string, BriefState>
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
  const living = tipsByName(refs, trunk)
  const places = placesIn(refs, trunk, living)
  const trees = openTrees(repo)
  const landed = await landedOf(repo, nodes, places, living, trees)
  const open = nodes.filter(({ id, kind }) => kind !== 'done' && !landed.has(id))
  const parked = await listParked(repo, refs)
  const branches = await branchesOf(refs, trunk, open, parked, trees)
  const isGone = ({ branch }: PlacedNode): boolean => branch === null || !branches.has(branch)
  const anywhere = open.some(isGone) ? await tipsOf(refs, trees) : []
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
  const all = await withOthers(nodes, near, read)
  for (const id of await landedOf(repo, all.slice(nodes.length), places, living, trees)) landed.add(id)
  const ids = new Map([...branches].map(([name, blobs]) => [name, new Set(blobs.map(({ id }) => id))]))
  const tips = new Set([...anywhere, ...parked].map(({ id }) => id))
  const facts = { landed, branches: ids, tips }
  const states = statesOf(all, facts)
  const doubtful = all.filter(
    ({ id, kind, parked, apart }) =>
      kind !== 'done' && !landed.has(id) && parked !== true && apart === undefined,
  )
  const pruned = await takenOut(repo, doubtful, places, doubtful.every(inHead))
  if (pruned.size === 0) return { ...facts, states }
  for (const id of pruned) landed.add(id)
  return { ...facts, states: statesOf(all, facts) }
}

type Trees = (revs: readonly string[]) => Promise<BriefBlob[][]>

/** The briefs of each tree, read once. */
function openTrees(repo: Repo): Trees {
  const known = new Map<string, Promise<BriefBlob[]>>()
  return (revs) => {
    const fresh = [...new Set(revs)].filter((rev) => !known.has(rev))
    const found = readBriefTrees(repo, fresh)
    for (const [at, rev] of fresh.entries())
      known.set(
        rev,
        found.then((trees) => trees[at] ?? []),
      )
    return Promise.all(revs.map((rev) => known.get(rev) ?? []))
  }
}

/** The refs in whose trees a brief has landed: of the trunks, and of another branch that it was made to go into. */
interface Places {
  trunk: Ref[]
  /** There it counts only when it came with work: a push of the branch itself brings the same commit. */
  base: Ref[]
}

type Tips = ReadonlyMap<string, string>

/** Of each branch that there is the commit: of the local one, else of a fetched one. */
function tipsByName(refs: readonly Ref[], { remotes }: Trunk): Tips {
  const tips = new Map<string, string>()
  for (const { name, oid } of refs) {
    const short = shortName(name, remotes)
    // Local names come first.
    if (short !== null && !tips.has(short)) tips.set(short, oid)
  }
  return tips
}

function placesIn(refs: readonly Ref[], trunk: Trunk, living: Tips): (node: PlacedNode) => Places {
  return ({ branch, base }) => {
    const into = base === null ? null : baseName(base, refs, trunk.remotes)
    // Made on the trunk itself, which may have another name now.
    const isHome = branch !== null && (into === branch || (into === null && !living.has(branch)))
    if (isHome) return { trunk: [], base: [] }
    const isUsual = into !== null && USUAL_NAMES.includes(into)
    const names = [...new Set([...trunk.names, ...(isUsual ? [into] : [])])].filter((name) => name !== branch)
    const isOther = into !== null && !isUsual && !trunk.names.includes(into)
    return { trunk: names.flatMap(trunk.refsOf), base: isOther ? trunk.refsOf(into) : [] }
  }
}

/** Ids of those that have landed, by the trees of their places; what is kept apart lands with its work. */
async function landedOf(
  repo: Repo,
  nodes: readonly PlacedNode[],
  placesOf: (node: PlacedNode) => Places,
  living: Tips,
  trees: Trees,
): Promise<Set<string>> {
  const landed = new Set<string>()
  const placed = nodes.map((node) => ({ node, ...placesOf(node) }))
  const tips = [...new Set(placed.flatMap(({ trunk, base }) => [...trunk, ...base].map(({ oid }) => oid)))]
  const found = await trees(tips)
  const held = new Map(tips.map((tip, at) => [tip, new Set((found[at] ?? []).map(({ path }) => path))]))
  const pushed = new Map<string, PlacedNode[]>()
  const made = new Map<string, PlacedNode[]>()
  const copied = new Map<string, PlacedNode[]>()
  const add = (to: Map<string, PlacedNode[]>, tip: string, node: PlacedNode): unknown =>
    to.set(tip, [...(to.get(tip) ?? []), node])
  for (const { node, trunk, base } of placed) {
    const { id, path, head, branch } = node
    const tips = [...new Set(trunk.map(({ oid }) => oid))].filter((oid) => held.get(oid)?.has(path))
    if (node.apart !== undefined) {
      // Nothing was done yet where the trunk stood at the same commit.
      const isWork = head !== null && !node.base?.endsWith(`@${head}`)
      for (const { oid } of isWork ? trunk : []) add(made, oid, node)
    } else if (tips.length > 0 && !living.has(branch ?? '')) landed.add(id)
    else if (tips.length > 0) for (const oid of tips) add(copied, oid, node)
    else for (const { oid } of base) if (held.get(oid)?.has(path)) add(pushed, oid, node)
  }
  for (const [tip, some] of pushed) {
    const withWork = await broughtWithWork(repo, tip, some)
    for (const { id, path } of some) if (withWork.has(path)) landed.add(id)
  }
  for (const [tip, some] of copied)
    for (const id of await cameWithWork(repo, tip, some, living)) landed.add(id)
  for (const [tip, some] of made) {
    const heads = some.flatMap(({ head }) => head ?? [])
    const inside = await reachable(repo, heads, tip)
    for (const { id, head } of some) if (inside.has(head ?? '')) landed.add(id)
  }
  return landed
}

/**
 * Ids of those whose file did not come into the trunk at `tip` alone, as by a cherry-pick: their branch shares the commit that brought it, or the
 * trunk changed one of the files that the branch changed since they parted.
 */
async function cameWithWork(
  repo: Repo,
  tip: string,
  nodes: readonly PlacedNode[],
  living: Tips,
): Promise<string[]> {
  const ownOf = ({ branch }: PlacedNode): string => living.get(branch ?? '') ?? ''
  const owns = [...new Set(nodes.map(ownOf))]
  const input = [...owns, `^${tip}`, ''].join('\n')
  const outside = logRecords(
    await repo.git([...LOG, '--topo-order', '--format=%x01%H %P', '--stdin'], { input }),
  )
  const branches = owns.map((own) => {
    const some = nodes.filter((node) => ownOf(node) === own)
    const first = changedOutside(own, outside)
    const alone = some.filter(({ path }) => first.get(path) === zeroId(repo))
    const work = [...first.keys()].filter((path) => !isOurs({ path }) && !path.includes('\n'))
    return { own, some, first, alone, work: alone.length === 0 ? [] : work }
  })
  const asked = [...new Set(branches.flatMap(({ work }) => work))]
  const found = await checkObjects(
    repo,
    asked.map((path) => `${tip}:${path}`),
  )
  const there = new Map(asked.map((path, at) => [path, found[at]?.oid ?? zeroId(repo)]))
  const came = await Promise.all(
    branches.map(async ({ own, some, first, alone, work }) => {
      const isIn = work.length === 0 || work.some((path) => there.get(path) !== first.get(path))
      const lost = isIn || (await isChanged(repo, tip, own, work)) ? [] : alone
      return some.filter((node) => !lost.includes(node)).map(({ id }) => id)
    }),
  )
  return came.flat()
}

/** Of the files that a branch changed in these commits, children first, what each was before. */
function changedOutside(own: string, outside: ReturnType<typeof logRecords>): Map<string, string> {
  const ids = new Set([own])
  const first = new Map<string, string>()
  for (const { head, changes } of outside) {
    const [id = '', ...parents] = (head[0] ?? '').trim().split(' ')
    if (!ids.has(id)) continue
    for (const parent of parents) ids.add(parent)
    for (const { path, before } of changes) first.set(path, before)
  }
  return first
}

/** One of these files was changed in `tip` since that and `own` parted, also where it is the same again or has another name. */
async function isChanged(repo: Repo, tip: string, own: string, paths: readonly string[]): Promise<boolean> {
  const input = [tip, `^${own}`, '--', ...paths, ''].join('\n')
  return (await repo.git(['rev-list', '-1', '--stdin'], { input })) !== ''
}

/** The briefs on each living branch that one of these names: on the local one, else on the fetched ones; beside it; and those that wait for it. */
async function branchesOf(
  refs: readonly Ref[],
  { remotes }: Trunk,
  nodes: readonly PlacedNode[],
  waiting: readonly ParkedBrief[],
  trees: Trees,
): Promise<Map<string, BriefBlob[]>> {
  const wanted = new Set(nodes.flatMap(({ branch }) => branch ?? []))
  const byName = new Map<string, string[]>()
  const apart = new Map<string, string[]>()
  const local = new Set(refs.map(({ name }) => name).filter((name) => name.startsWith('refs/heads/')))
  for (const { name, oid, target } of refs) {
    const short = target === '' ? shortName(name, remotes) : null
    if (short === null) continue
    const work = workBranch(name)
    if (work !== null && wanted.has(work)) apart.set(work, [...(apart.get(work) ?? []), oid])
    const isMeant = name.startsWith('refs/heads/') || !local.has(`refs/heads/${short}`)
    if (wanted.has(short) && isMeant) byName.set(short, [...(byName.get(short) ?? []), oid])
  }
  const found = await Promise.all(
    [...byName].map(async ([name, tips]): Promise<[string, BriefBlob[]]> => {
      const blobs = (await trees([...tips, ...(apart.get(name) ?? [])])).flat()
      const parked = waiting.filter(({ branch }) => branch === `refs/heads/${name}`)
      return [name, [...blobs, ...parked.map(({ id, path, oid }) => ({ id, path, oid, mode: '100644' }))]]
    }),
  )
  return new Map(found)
}

/** The briefs at the end of every line of work, and in the tree of HEAD. */
const tipsOf = async (refs: readonly Ref[], trees: Trees): Promise<BriefBlob[]> =>
  (await trees(['HEAD', ...refs.map(({ oid }) => oid)])).flat()

/** With the briefs of these blobs that are not among them. */
async function withOthers<N extends PlacedNode>(
  nodes: readonly N[],
  near: readonly BriefBlob[],
  read: (blobs: readonly BriefBlob[]) => Promise<N[]>,
): Promise<N[]> {
  const known = new Set(nodes.map(({ id }) => id))
  const others = new Map(near.flatMap((blob) => (known.has(blob.id) ? [] : [[blob.id, blob] as const])))
  return others.size === 0 ? [...nodes] : [...nodes, ...(await read([...others.values()]))]
}

/** Days that clocks may be wrong by, in ms. */
const SLACK_MS = 7 * 86_400_000

/** A limit for a walk through history: commits well before the oldest of these briefs brought and took out none of them. */
function sinceOldest(nodes: readonly PlacedNode[]): string[] {
  const oldest = Math.min(...nodes.map(({ createdAt }) => Date.parse(createdAt)))
  return Number.isNaN(oldest) ? [] : [`--since=${new Date(oldest - SLACK_MS).toISOString()}`]
}

const LOG = ['log', '-z', '--raw', '--no-abbrev', '--no-renames']
const isOurs = ({ path }: { path: string }): boolean => path.startsWith('.handoff/')

/** Paths that a commit on the first-parent line of `tip` brought together with other files: a merge, a squash. */
async function broughtWithWork(repo: Repo, tip: string, nodes: readonly PlacedNode[]): Promise<Set<string>> {
  const args = [...LOG, '-m', '--first-parent', '--full-diff', '--format=%x01%H%x00']
  const commits = logRecords(await repo.git([...args, ...sinceOldest(nodes), tip, '--', BRIEFS]))
  const withWork = commits.filter(({ changes }) => !changes.every(isOurs))
  return new Set(withWork.flatMap(({ changes }) => changes.map(({ path }) => path)))
}

/**
 * Ids of those that a trunk had and took out: `Handoff-Pruned` in a commit of it, or a commit that touches nothing but our folder and reverts
 * nothing, as hosts drop trailers when they squash. A revert of a merge takes the work out as well. `inHead`: HEAD has all of them, so that
 * its own history took out none.
 */
async function takenOut(
  repo: Repo,
  nodes: readonly PlacedNode[],
  placesOf: (node: PlacedNode) => Places,
  inHead: boolean,
): Promise<Set<string>> {
  const groups = new Map<string, PlacedNode[]>()
  for (const node of nodes) {
    const tips = placesOf(node).trunk.map(({ oid }) => oid)
    const key = [...new Set(tips)].join(' ')
    if (key !== '') groups.set(key, [...(groups.get(key) ?? []), node])
  }
  const found = new Set<string>()
  const format = '--format=%x01%H%x00%(trailers:key=Handoff-Pruned,valueonly,separator=%x20)%x00%s%x00'
  const args = [...LOG, '--full-history', '--diff-filter=D', format]
  for (const [key, some] of groups) {
    const byPath = new Map(some.map(({ id, path }) => [path, id]))
    const known = new Set(byPath.values())
    const tips = [...sinceOldest(some), ...key.split(' '), ...(inHead ? ['^HEAD'] : [])]
    const commits = logRecords(await repo.git([...args, ...tips, '--', BRIEFS]), 3)
    const asked = commits.map(({ head: [commit = '', ids = '', subject = ''], changes }) => {
      for (const id of ids.split(' ')) if (known.has(id)) found.add(id)
      const gone = /^revert\b/i.test(subject) ? [] : changes.flatMap(({ path }) => byPath.get(path) ?? [])
      return { commit, gone: gone.filter((id) => !found.has(id)) }
    })
    const doubtful = asked.filter(({ gone }) => gone.length > 0)
    if (doubtful.length === 0) continue
    const whole = [...LOG, '--no-walk', '-m', '--first-parent', '--format=%x01%H%x00', '--stdin']
    const input = doubtful.map(({ commit }) => `${commit}\n`).join('')
    const alone = new Set(
      logRecords(await repo.git(whole, { input })).flatMap(({ head: [commit = ''], changes }) =>
        changes.every(isOurs) ? [commit] : [],
      ),
    )
    for (const { commit, gone } of doubtful) if (alone.has(commit)) for (const id of gone) found.add(id)
  }
  return found
}

/** Those of the commits that are in the history of `tip`; one that this clone lacks is in none. */
async function reachable(repo: Repo, commits: readonly string[], tip: string): Promise<Set<string>> {
  const asked = [...new Set(commits)].filter((commit) => /^[0-9a-f]{40,64}$/.test(commit))
  const found = await repo.objects.read(asked)
  const known = asked.filter((_, at) => found[at]?.type === 'commit')
  if (known.length === 0) return new Set()
  const listing = await repo.git(['rev-list', '--stdin'], { input: `${known.join('\n')}\n^${tip}\n` })
  const outside = new Set(listing.split('\n'))
  return new Set(known.filter((commit) => !outside.has(commit)))
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
