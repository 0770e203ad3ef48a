/**
 * What became of a brief. `landed`: its work is in the base branch. `closed`: a `done` record of its chain ended it. `followed`: its
 * branch has a newer one. People and agents are told of open briefs only.
 */
export type BriefState = 'open' | 'landed' | 'closed' | 'followed'

export interface StateNode {
  id: string
  parents: readonly string[]
  kind: 'handoff' | 'done'
  branch: string | null
  /** It waits under a ref of its own until an operation of git on this branch is over. */
  parked?: true
}

/** The state of each brief. `landed`: ids of those whose file stands in their base branch. A `done` record itself is closed. */
export function statesOf(nodes: readonly StateNode[], landed: ReadonlySet<string>): Map<string, BriefState> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const closed = new Set<string>()
  const newest = new Map<string, string>()
  const followed = new Set<string>()
  for (const { id, kind, branch, parents } of nodes) {
    const way = kind === 'done' ? [id] : []
    for (let at = way.pop(); at !== undefined; at = way.pop()) {
      if (!closed.has(at)) way.push(...(byId.get(at)?.parents ?? []))
      closed.add(at)
    }
    if (branch !== null && id > (newest.get(branch) ?? '')) newest.set(branch, id)
    for (const parent of parents) followed.add(parent)
  }
  const stateOf = ({ id, kind, branch }: StateNode): BriefState => {
    if (kind === 'done') return 'closed'
    if (landed.has(id)) return 'landed'
    if (closed.has(id)) return 'closed'
    return (branch === null ? followed.has(id) : newest.get(branch) !== id) ? 'followed' : 'open'
  }
  return new Map(nodes.map((node) => [node.id, stateOf(node)]))
}

interface CheckoutFacts<N extends StateNode> {
  /** `Handoff-Id` of HEAD's own commit. */
  headId: string | null
  /** The current branch first, then every branch that points at HEAD. */
  names: readonly string[]
  trunk: string | null
  nodes: readonly N[]
  landed: ReadonlySet<string>
}

type Choice<N> =
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

/** A brief in a tree, as far as keeping it is concerned. */
export interface Held {
  id: string
  path: string
  createdAt: string | null
  /** Its file or its entry in the index is not what the commit has. */
  isEdited: boolean
}

export type Why = 'current' | 'open' | 'newest' | 'young' | 'edited' | 'unreadable'

export interface Retention<H extends Held> {
  removed: H[]
  kept: (H & { why: Why })[]
}

/** What may go. A limit that is null counts for nothing; with both, a brief goes when both let it. */
export interface Limits {
  keep: number | null
  /** Ms. */
  olderThan: number | null
  /** The last brief of a chain that nobody closed may go, too. */
  open: boolean
}

/**
 * Which briefs leave the tree, newest first. Never the current one, nor one that was edited and not committed, nor one that
 * cannot be read; the last brief of an open chain only when that is asked for. Parents may go: chains are read from history.
 */
export function retain<H extends Held>(
  held: readonly H[],
  known: readonly { id: string; state: BriefState }[],
  current: readonly string[],
  limits: Limits,
  now: number,
): Retention<H> {
  const open = new Set(known.flatMap(({ id, state }) => (state === 'open' ? [id] : [])))
  const oldest = limits.olderThan === null ? Number.POSITIVE_INFINITY : now - limits.olderThan
  const newest = [...held].sort((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : a.path < b.path ? -1 : 1))
  const retention: Retention<H> = { removed: [], kept: [] }
  for (const [at, brief] of newest.entries()) {
    const why = whyKept(brief, at)
    if (why === null) retention.removed.push(brief)
    else retention.kept.push({ ...brief, why })
  }
  return retention

  function whyKept({ id, createdAt, isEdited }: Held, at: number): Why | null {
    if (current.includes(id)) return 'current'
    if (isEdited) return 'edited'
    if (createdAt === null) return 'unreadable'
    if (limits.keep !== null && at < limits.keep) return 'newest'
    // A date that is none counts as young: nothing goes by mistake.
    if (!(Date.parse(createdAt) < oldest)) return 'young'
    return open.has(id) && !limits.open ? 'open' : null
  }
}

const REASONS: Readonly<Record<Why, string>> = {
  current: 'current',
  open: 'last of a chain that is open',
  newest: 'among the newest',
  young: 'not old enough',
  edited: 'edited and not committed',
  unreadable: 'not readable',
}

/** Why briefs stay, in one line: `1 current, 3 among the newest`. */
export function keptLine(kept: readonly { why: Why }[]): string {
  const of = (why: Why): number => kept.filter((brief) => brief.why === why).length
  return (Object.keys(REASONS) as Why[])
    .filter((why) => of(why) > 0)
    .map((why) => `${of(why)} ${REASONS[why]}`)
    .join(', ')
}
