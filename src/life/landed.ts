import { BRIEFS, type BriefBlob } from '../git/files.ts'
import { checkObjects } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { listParked, type ParkedBrief } from '../git/parked.ts'
import { listBriefsAtHead, readBriefTrees, readTipTrees } from '../git/read-briefs.ts'
import { logRecords } from '../git/read-history.ts'
import { isCollecting, type Ref, zeroId } from '../git/refs.ts'
import { workBranch } from '../git/separate-branch.ts'
import type { BriefState } from '../types/brief.ts'
import { type LifeFacts, type PlacedNode, statesOf } from './state.ts'
import { AT_COMMIT, baseName, shortName, type Trunk } from './trunk.ts'

/** The commits at which a brief can have landed: of the trunks, and of another branch that it was made to go into. */
interface Places {
  trunk: string[]
  /** There it counts only when it came with work: a push of the branch itself brings the same commit. */
  base: string[]
}

/** Tells which briefs have landed: what a trunk has now, and what it had. */
export function openLandings(repo: Repo, refs: readonly Ref[], trunk: Trunk) {
  /** Of each branch that there is the commit: of the local one, which comes first, else of a fetched one. */
  const living = new Map<string, string>()
  for (const { name, oid } of refs) {
    const short = shortName(name, trunk.remotes)
    if (short !== null && !living.has(short)) living.set(short, oid)
  }
  /** By branch and base: thousands of briefs are of some branches. */
  const places = new Map<string, Promise<Places>>()
  const ownOf = ({ branch }: PlacedNode): string => living.get(branch ?? '') ?? ''
  return { standing, takenOut }

  function placesOf({ branch, base }: PlacedNode): Promise<Places> {
    const ref = base?.replace(AT_COMMIT, '') ?? null
    const key = `${branch} ${ref}`
    const found = places.get(key) ?? findPlaces(branch, ref)
    places.set(key, found)
    return found
  }

  async function findPlaces(branch: string | null, base: string | null): Promise<Places> {
    const into = base === null ? null : baseName(base, refs, trunk.remotes)
    // Made on the trunk itself, which may have another name now.
    const isHome = branch !== null && (into === branch || (into === null && !living.has(branch)))
    if (isHome) return { trunk: [], base: [] }
    const isUsual = into !== null && isCollecting(into)
    const names = [...new Set([...trunk.names, ...(isUsual ? [into] : [])])].filter((name) => name !== branch)
    const isOther = into !== null && !isUsual && !trunk.names.includes(into)
    const found = await Promise.all(names.map((name) => newestOf(repo, trunk.refsOf(name))))
    return {
      trunk: [...new Set(found.flat())],
      base: isOther ? await newestOf(repo, trunk.refsOf(into)) : [],
    }
  }

  /** Ids of those that stand in the trees of their places with their work; what is kept apart lands with its work. */
  async function standing(nodes: readonly PlacedNode[]): Promise<Set<string>> {
    const landed = new Set<string>()
    const placed = await Promise.all(nodes.map(async (node) => ({ node, ...(await placesOf(node)) })))
    const tips = [...new Set(placed.flatMap(({ trunk, base }) => [...trunk, ...base]))]
    const found = await readBriefTrees(repo, tips)
    for (const [nth, tip] of tips.entries()) {
      const paths = new Set((found[nth] ?? []).map(({ path }) => path))
      const at = (kind: keyof Places): PlacedNode[] =>
        placed.flatMap((one) => (!landed.has(one.node.id) && one[kind].includes(tip) ? one.node : []))
      const isFile = ({ path, apart }: PlacedNode): boolean => apart === undefined && paths.has(path)
      const ofTrunk = at('trunk')
      for (const some of [
        await cameWithWork(tip, ofTrunk.filter(isFile)),
        await broughtWithWork(tip, at('base').filter(isFile)),
        await madeIn(tip, ofTrunk),
      ])
        for (const { id } of some) landed.add(id)
    }
    return landed
  }

  /**
   * Those whose file did not come into `tip` alone, as by a cherry-pick: their branch is gone, or shares the commit that brought it, or has changed
   * a file that was changed in `tip`, too, since the two parted.
   */
  async function cameWithWork(tip: string, nodes: readonly PlacedNode[]): Promise<PlacedNode[]> {
    const newest = nodes.toSorted((a, b) => (a.id < b.id ? 1 : -1))
    const owns = [...new Set(newest.map(ownOf))].filter((own) => own !== '').slice(0, MOST_ASKED)
    if (owns.length === 0) return [...nodes]
    const input = [...owns, `^${tip}`, ''].join('\n')
    const log = await repo.git([...LOG, '--topo-order', '--format=%x01%H %P', '--stdin'], { input })
    const outside = logRecords(log)
    const branches = owns.map((own) => {
      const first = changedOutside(own, outside)
      const alone = nodes.filter((node) => ownOf(node) === own && first.get(node.path) === zeroId(repo))
      const work = [...first.keys()].filter((path) => !isOurs({ path }) && !path.includes('\n'))
      return { own, first, alone, work: alone.length === 0 ? [] : work }
    })
    const asked = [...new Set(branches.flatMap(({ work }) => work))]
    const found = await checkObjects(
      repo,
      asked.map((path) => `${tip}:${path}`),
    )
    const there = new Map(asked.map((path, at) => [path, found[at]?.oid ?? zeroId(repo)]))
    const picked = new Set<PlacedNode>()
    for (const { own, first, alone, work } of branches) {
      const isIn = work.length === 0 || work.some((path) => there.get(path) !== first.get(path))
      if (!isIn && !(await isChanged(repo, tip, own, work))) for (const node of alone) picked.add(node)
    }
    return nodes.filter((node) => !picked.has(node))
  }

  /** Those that a commit on the first-parent line of `tip` brought together with other files: a merge, a squash. */
  async function broughtWithWork(tip: string, nodes: readonly PlacedNode[]): Promise<PlacedNode[]> {
    if (nodes.length === 0) return []
    const args = [...LOG, '-m', '--first-parent', '--full-diff', '--format=%x01%H%x00']
    const commits = logRecords(await repo.git([...args, ...sinceOldest(nodes), tip, '--', BRIEFS]))
    const withWork = commits.filter(({ changes }) => !changes.every(isOurs))
    const paths = new Set(withWork.flatMap(({ changes }) => changes.map(({ path }) => path)))
    return nodes.filter(({ path }) => paths.has(path))
  }

  /** Those beside the work whose commit is in the history of `tip`, where that did not stand at the same commit when nothing was done yet. */
  async function madeIn(tip: string, nodes: readonly PlacedNode[]): Promise<PlacedNode[]> {
    const beside = nodes.filter(({ head, base, apart }) => apart !== undefined && !base?.endsWith(`@${head}`))
    const heads = beside.flatMap(({ head }) => head ?? [])
    const inside = await reachable(repo, heads, tip)
    return beside.filter(({ head }) => inside.has(head ?? ''))
  }

  /**
   * Ids of those that a trunk had and took out: `Handoff-Pruned` in a commit of it, or a commit that touches nothing but our folder and reverts
   * nothing, as hosts drop trailers when they squash. A revert of a merge takes the work out as well. `inHead`: HEAD has all of them, so that
   * its own history took out none.
   */
  async function takenOut(nodes: readonly PlacedNode[], inHead: boolean): Promise<Set<string>> {
    const groups = new Map<string, PlacedNode[]>()
    for (const node of nodes) {
      const key = (await placesOf(node)).trunk.join(' ')
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
      const asked = new Map<string, string[]>()
      for (const { head, changes } of commits) {
        const [commit = '', ids = '', subject = ''] = head
        for (const id of ids.split(' ')) if (known.has(id)) found.add(id)
        const gone = changes.flatMap(({ path }) => byPath.get(path) ?? []).filter((id) => !found.has(id))
        if (gone.length > 0 && !/^revert\b/i.test(subject)) asked.set(commit, gone)
      }
      if (asked.size === 0) continue
      const whole = [...LOG, '--no-walk', '-m', '--first-parent', '--format=%x01%H%x00', '--stdin']
      const input = [...asked.keys(), ''].join('\n')
      for (const { head, changes } of logRecords(await repo.git(whole, { input })))
        if (changes.every(isOurs)) for (const id of asked.get(head[0] ?? '') ?? []) found.add(id)
    }
    return found
  }
}

/** A local trunk that is behind the fetched one, or the other way round, has what was reverted since: those that no other goes on from. */
async function newestOf(repo: Repo, refs: readonly Ref[]): Promise<string[]> {
  const oids = [...new Set(refs.map(({ oid }) => oid))]
  if (oids.length < 2) return oids
  return (await repo.git(['merge-base', '--independent', ...oids])).trim().split('\n')
}

/** Living branches whose work is looked for in a trunk, those with the newest briefs first. */
const MOST_ASKED = 64

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

/** Days that clocks may be wrong by, in ms. */
const SLACK_MS = 7 * 86_400_000

/** A limit for a walk through history: commits well before the oldest of these briefs brought and took out none of them. */
function sinceOldest(nodes: readonly PlacedNode[]): string[] {
  const oldest = Math.min(...nodes.map(({ createdAt }) => Date.parse(createdAt)))
  return Number.isNaN(oldest) ? [] : [`--since=${new Date(oldest - SLACK_MS).toISOString()}`]
}

const LOG = ['log', '-z', '--raw', '--no-abbrev', '--no-renames']
const isOurs = ({ path }: { path: string }): boolean => path.startsWith('.handoff/')

/** Those of the commits that are in the history of `tip`; one that this clone lacks is in none. */
export async function reachable(repo: Repo, commits: readonly string[], tip: string): Promise<Set<string>> {
  const asked = [...new Set(commits)].filter((commit) => /^[0-9a-f]{40,64}$/.test(commit))
  const found = await repo.objects.read(asked)
  const known = asked.filter((_, at) => found[at]?.type === 'commit')
  if (known.length === 0) return new Set()
  const listing = await repo.git(['rev-list', '--stdin'], { input: `${known.join('\n')}\n^${tip}\n` })
  const outside = new Set(listing.split('\n'))
  return new Set(known.filter((commit) => !outside.has(commit)))
}

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
