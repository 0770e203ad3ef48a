import { type Linked, linkChain } from '../brief/chain.ts'

export interface GraphNode {
  id: string
  parents: readonly string[]
  isClosed: boolean
  /** What stands behind the id, one line; it is broken where it is too long. */
  text: string
}

const SIGNS = {
  unicode: {
    ...{ head: '●', inner: '○', closed: '■', missing: '?' },
    ...{ lane: '│ ', join: '├─╯', also: '├', gap: '┊', turn: '↺' },
  },
  ascii: {
    ...{ head: '*', inner: 'o', closed: 'x', missing: '?' },
    ...{ lane: '| ', join: '|/', also: '+', gap: ':', turn: '@' },
  },
}

/** A node with what hangs on it, as it is drawn. */
interface Stem {
  id: string
  /** Null for a parent that is not here. */
  node: GraphNode | null
  children: Stem[]
  /** How many briefs that are not shown lie between it and the one below. */
  hidden: number
  turnsBack: boolean
  size: number
  newest: string
}

/** Cells that a text has beside the lanes, however narrow the terminal. */
const LEAST = 8

/**
 * Draws the forest of briefs, each line of work in one piece, newest on top: a brief stands on its first parent and names the others,
 * forks join below their branches, a parent that is not here has a line of its own, a circle is cut at its smallest id. No line is wider than `width` cells, unless that
 * leaves a text fewer than eight beside its lanes: `wrap` gives a text in lines, and the lanes go on beside them. Only those in `shown` are drawn;
 * the count of those left out stands in their place. Deeper than 14 lanes needs over 16,000 briefs.
 */
export function drawChain(
  nodes: readonly GraphNode[],
  options: {
    width: number
    ascii: boolean
    wrap: (text: string, width: number) => string[]
    shown?: ReadonlySet<string>
  },
): string[] {
  const sign = options.ascii ? SIGNS.ascii : SIGNS.unicode
  const followed = new Set(
    nodes.filter(({ id }) => options.shown?.has(id) !== false).flatMap(({ parents }) => parents.slice(1)),
  )
  const rows: string[] = []
  const add = (lane: number, glyph: string, text: string, goesOn: boolean): void => {
    const before = sign.lane.repeat(lane)
    const lines = options.wrap(text, Math.max(LEAST, options.width - 2 * (lane + 1)))
    for (const [at, line] of lines.entries())
      rows.push(`${before}${at === 0 ? `${glyph} ` : goesOn ? sign.lane : '  '}${line}`.trimEnd())
  }
  const draw = ({ id, node, children, hidden, turnsBack }: Stem, lane: number, isRoot: boolean): void => {
    if (node === null) {
      add(lane, sign.missing, `${id}  not in the history that is here`, false)
      return
    }
    const glyph = node.isClosed
      ? sign.closed
      : children.length === 0 && !followed.has(id)
        ? sign.head
        : sign.inner
    add(lane, glyph, `${id}  ${node.text}`, !isRoot || turnsBack || hidden > 0)
    const [first, ...others] = node.parents
    if (others.length > 0) add(lane, sign.also, `follows ${others.join(', ')} as well`, true)
    if (turnsBack) add(lane, sign.turn, `its parent ${first} comes after it: a circle`, !isRoot || hidden > 0)
    if (hidden > 0) add(lane, sign.gap, `${hidden} before it not shown`, !isRoot)
  }
  for (const [at, root] of plant(nodes, options.shown).entries()) {
    if (at > 0) rows.push('')
    // A chain of thousands is deeper than the stack of calls.
    const tasks: (() => void)[] = []
    const visit = (stem: Stem, lane: number): void => {
      tasks.push(() => draw(stem, lane, stem === root))
      const [first, ...others] = stem.children
      for (const other of others.reverse()) {
        tasks.push(() => rows.push(`${sign.lane.repeat(lane)}${sign.join}`))
        tasks.push(() => visit(other, lane + 1))
      }
      if (first !== undefined) tasks.push(() => visit(first, lane))
    }
    visit(root, 0)
    for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) task()
  }
  return rows
}

/** The roots, the one with the newest brief first; the child with the most behind it stands first of its siblings. */
function plant(nodes: readonly GraphNode[], shown: ReadonlySet<string> | undefined): Stem[] {
  const whole = new Map(nodes.map((node) => [node.id, node]))
  const { order, cycles } = linkChain(nodes.map(({ id, parents }) => ({ id, parents: parents.slice(0, 1) })))
  const cuts = new Set(cycles.map(([first]) => first))
  const stems = new Map<string, Stem>()
  const missing = new Map<string, Stem>()
  const roots: Stem[] = []
  /** For each brief the nearest one shown at or before it, and how many hidden ones were passed on the way. */
  const near = new Map<string, { stem: Stem | null; passed: number }>()
  // A circle is entered at any of its briefs; it has to be entered where it is cut.
  for (const node of cutFirst(order, cycles)) {
    const isCut = cuts.has(node.id)
    const [parent = null] = node.parents
    const known = parent === null || isCut ? undefined : near.get(parent)
    let below = known?.stem ?? null
    if (parent !== null && known === undefined && !isCut) {
      below = missing.get(parent) ?? null
      if (below === null && shown?.has(node.id) !== false) {
        below = stemOf(parent, null)
        missing.set(parent, below)
        roots.push(below)
      }
    }
    if (shown?.has(node.id) === false) {
      near.set(node.id, { stem: below, passed: (known?.passed ?? 0) + 1 })
      continue
    }
    const stem = {
      ...stemOf(node.id, whole.get(node.id) ?? null),
      hidden: known?.passed ?? 0,
      turnsBack: isCut,
    }
    stems.set(node.id, stem)
    near.set(node.id, { stem, passed: 0 })
    if (below === null) roots.push(stem)
    else below.children.push(stem)
  }
  // Children come after their parents, so from the end every sum is whole when it is asked for.
  for (const stem of [...missing.values(), ...stems.values()].reverse()) {
    for (const child of stem.children) {
      stem.size += child.size
      if (child.newest > stem.newest) stem.newest = child.newest
    }
    const [heavy, ...others] = [...stem.children].sort((a, b) => b.size - a.size || byNewest(a, b))
    stem.children = heavy === undefined ? [] : [heavy, ...others.sort(byNewest)]
  }
  return roots.sort(byNewest)
}

const byNewest = (a: Stem, b: Stem): number => (a.newest < b.newest ? 1 : -1)

const stemOf = (id: string, node: GraphNode | null): Stem => ({
  id,
  node,
  children: [],
  hidden: 0,
  turnsBack: false,
  size: node === null ? 0 : 1,
  newest: node === null ? '' : id,
})

/** The same order, each circle beginning with the brief it is cut at and going on with the children of each. */
function cutFirst(order: readonly Linked[], cycles: readonly string[][]): readonly Linked[] {
  if (cycles.length === 0) return order
  const byId = new Map(order.map((node) => [node.id, node]))
  const round = cycles.flatMap(([first = '', ...rest]) => [first, ...rest.reverse()])
  const inRound = new Set(round)
  const circles = round.flatMap((id) => byId.get(id) ?? [])
  return [...circles, ...order.filter(({ id }) => !inRound.has(id))]
}
