import { isCollecting } from '../git/refs.ts'
import type { BriefState } from '../types/brief.ts'

/** A brief as far as its life is concerned. */
export interface LifeNode {
  id: string
  /** Ids of the briefs that it follows. */
  parents: readonly string[]
  kind: 'handoff' | 'done'
  /** Null for one made on a detached HEAD. */
  branch: string | null
  /** It waits under a ref of its own until an operation of git on this branch is over. */
  parked?: true
}

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

export interface LifeFacts {
  /** Ids of the briefs that a trunk has or had. */
  landed: ReadonlySet<string>
  /** Of each branch that there is the ids of the briefs on it. A branch that is not among them is gone. */
  branches: ReadonlyMap<string, ReadonlySet<string>>
  /** Ids of the briefs at the end of any line of work; needed where an open brief is of a branch that is gone. */
  tips: ReadonlySet<string>
}

/**
 * The state of each brief. `landed`: a trunk has or had it. `closed` and `followed`: a `done` record or a brief that has it as an ancestor stands on
 * its own branch; where that branch is gone, on any other. A fork of the line that was followed or closed elsewhere changes nothing here.
 */
export function statesOf(
  nodes: readonly LifeNode[],
  { landed, branches, tips }: LifeFacts,
): Map<string, BriefState> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const closed = new Set<string>()
  const followed = new Set<string>()
  const isGone = ({ branch }: LifeNode): boolean => branch === null || !branches.has(branch)
  const among = (ids: Iterable<string>): LifeNode[] => [...ids].flatMap((id) => byId.get(id) ?? [])
  for (const [branch, ids] of branches) mark(among(ids), (node) => node.branch === branch)
  mark(among(tips), isGone)
  return new Map(
    nodes.map(({ id, kind }) => {
      if (kind === 'done' || (closed.has(id) && !landed.has(id))) return [id, 'closed']
      return [id, landed.has(id) ? 'landed' : followed.has(id) ? 'followed' : 'open']
    }),
  )

  /** Marks the ancestors of these ends that are of one kind. Without recursion: a line of work may be thousands long. */
  function mark(ends: readonly LifeNode[], isOf: (node: LifeNode) => boolean): void {
    for (const kind of ['done', 'handoff'] as const) {
      // One that names itself, by mistake, does not follow itself.
      const others = ({ id, parents }: LifeNode): string[] => parents.filter((parent) => parent !== id)
      const way = ends.flatMap((end) => (end.kind === kind ? others(end) : []))
      const seen = new Set<string>()
      for (let id = way.pop(); id !== undefined; id = way.pop()) {
        const node = byId.get(id)
        if (node === undefined || seen.has(id)) continue
        seen.add(id)
        if (isOf(node)) (kind === 'done' ? closed : followed).add(id)
        way.push(...node.parents)
      }
    }
  }
}

/** Where somebody works. */
export interface Spot {
  /** The branch that work here belongs to, and the other name under which a remote has it; none on a detached HEAD. */
  names: readonly string[]
  /** Every other branch that points at HEAD. */
  atHead: readonly string[]
  /** `Handoff-Id` of HEAD's own commit. */
  headId: string | null
  /** Names of the trunks. */
  trunks: readonly string[]
  /** Ids of the briefs that a session in another worktree has picked up. */
  taken: ReadonlySet<string>
}

export interface Choice<N> {
  /** `own`: of this branch; `grown`: of the branch that it grew from; `trunk`: the same, where that is a trunk; `closed`: `node` closed this branch. */
  by: 'own' | 'grown' | 'trunk' | 'closed' | 'none'
  /** The brief that people and agents are told of; null where there is none, or somebody has it in another worktree. */
  node: N | null
  /** The open heads, newest first, which the next brief follows. */
  heads: N[]
}

/**
 * What is open in a checkout: the newest open head of its own line, which is what was made on its branch and what follows that; else of the branch
 * that it grew from. `nodes` are those that stand in the checkout. `grown` gives, of several, the one on which the work in HEAD was built; asked only where that decides, as it costs.
 */
export async function currentOf<N extends LifeNode>(
  nodes: readonly N[],
  states: ReadonlyMap<string, BriefState>,
  { branches }: Pick<LifeFacts, 'branches'>,
  { names, atHead, headId, trunks, taken }: Spot,
  grown: (among: readonly N[]) => Promise<N | null>,
): Promise<Choice<N>> {
  const newest = [...nodes].sort((a, b) => (a.id < b.id ? 1 : -1))
  const open = newest.filter(({ id }) => states.get(id) === 'open')
  const isOn = (node: N, names: readonly string[]): boolean =>
    node.branch !== null && names.includes(node.branch)
  const isOfTrunk = (node: N): boolean => isOn(node, trunks)
  // Another living branch has it as its own: from there it was picked.
  const isPicked = (node: N): boolean => node.branch !== null && branches.has(node.branch)
  const line = new Set<string>()
  // Parents are older than what follows them.
  for (const node of newest.toReversed())
    if (isOn(node, names.length > 0 ? names : atHead) || node.parents.some((id) => line.has(id)))
      line.add(node.id)
  const isOwn = (node: N): boolean =>
    node.parked === true || line.has(node.id) || (node.id === headId && !isPicked(node))
  for (const [by, isHere] of [
    ['own', isOwn],
    ['grown', (node: N) => isOn(node, atHead)],
  ] as const) {
    const heads = open.filter(isHere)
    if (heads.length > 0) return choice(by, heads)
    const last = newest.find(isHere)
    if (last?.kind === 'done') return { by: 'closed', node: last, heads: [] }
  }
  // A trunk grows from no branch of work: what it has of a living one and is open was picked.
  const isTrunk = names.some((name) => trunks.includes(name))
  const isForeign = (node: N): boolean => isTrunk && isPicked(node) && !isCollecting(node.branch ?? '')
  const others = open.filter((node) => !isOfTrunk(node) && !isForeign(node))
  const from = (others.length === 0 ? null : await grown(others)) ?? open.find(isOfTrunk)
  if (from === undefined) return { by: 'none', node: null, heads: [] }
  const beside = open.filter((node) => node !== from && node.branch === from.branch)
  return choice('grown', [from, ...beside])

  function choice(by: 'own' | 'grown', heads: N[]): Choice<N> {
    const isGrown = by === 'grown'
    const node = heads.find(({ id }) => !isGrown || !taken.has(id)) ?? null
    return { by: isGrown && heads.some(isOfTrunk) ? 'trunk' : by, node, heads }
  }
}
