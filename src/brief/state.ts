/**
 * What became of a brief. `landed`: its work is in the base branch. `closed`: a `done` record of its chain ended it. `followed`: its
 * branch has a newer one. People and agents are told of open briefs only.
 */
export type BriefState = 'open' | 'landed' | 'closed' | 'followed'

/** What the state of a brief depends on. */
export interface StateNode {
  id: string
  parent: string | null
  kind: 'handoff' | 'done'
  /** The branch that it names; null for a detached HEAD. */
  branch: string | null
  /** It waits under a ref of its own until an operation of git on this branch is over. */
  parked?: true
}

/** The state of each brief. `landed`: ids of those whose file stands in their base branch. A `done` record itself is closed. */
export function statesOf(nodes: readonly StateNode[], landed: ReadonlySet<string>): Map<string, BriefState> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const closed = new Set<string>()
  const newest = new Map<string, string>()
  const parents = new Set<string>()
  for (const { id, kind, branch, parent } of nodes) {
    if (kind === 'done')
      for (let at: string | null = id; at !== null && !closed.has(at); at = byId.get(at)?.parent ?? null)
        closed.add(at)
    if (branch !== null && id > (newest.get(branch) ?? '')) newest.set(branch, id)
    if (parent !== null) parents.add(parent)
  }
  const stateOf = ({ id, kind, branch }: StateNode): BriefState => {
    if (kind === 'done') return 'closed'
    if (landed.has(id)) return 'landed'
    if (closed.has(id)) return 'closed'
    return (branch === null ? parents.has(id) : newest.get(branch) !== id) ? 'followed' : 'open'
  }
  return new Map(nodes.map((node) => [node.id, stateOf(node)]))
}

/** What git tells of a checkout. */
export interface CheckoutFacts<N extends StateNode> {
  /** `Handoff-Id` of HEAD's own commit. */
  headId: string | null
  /** The current branch first, then every branch that points at HEAD. */
  names: readonly string[]
  /** The default branch. */
  trunk: string | null
  nodes: readonly N[]
  landed: ReadonlySet<string>
}

export type Choice<N> =
  | { by: 'head' | 'branch' | 'grown'; node: N }
  /** This branch was closed by that record, so nothing is open. */
  | { by: 'closed'; node: N }
  | { by: 'none'; node: null }
  /** Ask git on which of these the work in HEAD was built, and call again. */
  | { by: 'history-needed'; node: null; among: N[] }

/**
 * The current brief of a checkout: the one that waits for this branch, unless the branch has a newer one; else HEAD's own, else the newest
 * one of a branch at HEAD, else that of the branch this one grew from.
 * `grown`: the brief that history tells, null for none; undefined while nobody has asked, since that may cost seconds.
 */
export function currentOf<N extends StateNode>(
  { headId, names, trunk, nodes, landed }: CheckoutFacts<N>,
  grown: N | null | undefined = undefined,
): Choice<N> {
  const states = statesOf(nodes, landed)
  const open = nodes.filter(({ id }) => states.get(id) === 'open')
  // In an operation HEAD may stand on another branch and carry the id of a brief of that one.
  const waiting = newestOf(nodes.filter(({ parked }) => parked === true))
  if (waiting !== null && open.includes(waiting)) return { by: 'branch', node: waiting }
  if (waiting?.kind === 'done' && !hasNewer(nodes, waiting)) return { by: 'closed', node: waiting }
  const own = open.find(({ id }) => id === headId)
  if (own !== undefined) return { by: 'head', node: own }
  const isHere = ({ branch }: StateNode): boolean => branch !== null && names.includes(branch)
  const mine = newestOf(open.filter(isHere))
  if (mine !== null) return { by: 'branch', node: mine }
  const last = newestOf(nodes.filter(isHere))
  if (last?.kind === 'done') return { by: 'closed', node: last }
  const ofTrunk = newestOf(open.filter(({ branch }) => branch !== null && branch === trunk))
  const among = open.filter(({ branch }) => branch === null || branch !== trunk)
  if (among.length > 0 && grown === undefined) return { by: 'history-needed', node: null, among }
  const node = grown ?? ofTrunk
  return node === null ? { by: 'none', node } : { by: 'grown', node }
}

const hasNewer = (nodes: readonly StateNode[], { id, branch }: StateNode): boolean =>
  nodes.some((node) => node.branch === branch && node.id > id)

const newestOf = <N extends StateNode>(nodes: readonly N[]): N | null =>
  nodes.reduce<N | null>((best, node) => (best === null || node.id > best.id ? node : best), null)
