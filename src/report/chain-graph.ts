export interface GraphNode {
  id: string
  parents: readonly string[]
  isClosed: boolean
  /** What stands behind the id, one line; it is broken where it is too long. */
  text: string
}

const SIGNS = {
  unicode: { head: '●', inner: '○', closed: '■', missing: '?', lane: '│ ', join: '├─╯', also: '├' },
  ascii: { head: '*', inner: 'o', closed: 'x', missing: '?', lane: '| ', join: '|/', also: '+' },
}

/** A node with what hangs on it, as it is drawn. */
interface Stem {
  id: string
  /** Null for a parent that is not here. */
  node: GraphNode | null
  children: Stem[]
  size: number
  newest: string
}

/** Cells that a text has beside the lanes, however narrow the terminal. */
const LEAST = 8

/**
 * Draws the forest of briefs, each line of work in one piece, newest on top: a brief stands on its first parent and names the others,
 * forks join below their branches, a parent that is not here has a line of its own. No line is wider than `width` cells, unless that
 * leaves a text fewer than eight beside its lanes: `wrap` gives a text in lines, and the lanes go on beside them. Only those in `shown` are
 * drawn, each on the nearest one shown. Deeper than 14 lanes needs over 16,000 briefs.
 */
export function drawChain(
  nodes: readonly GraphNode[],
  options: {
    width: number
    ascii: boolean
    wrap: (text: string, width: number) => string[]
    shown: ReadonlySet<string>
  },
): string[] {
  const { width, wrap, shown } = options
  const sign = options.ascii ? SIGNS.ascii : SIGNS.unicode
  const followed = new Set(nodes.filter(({ id }) => shown.has(id)).flatMap(({ parents }) => parents.slice(1)))
  const rows: string[] = []
  const add = (lane: number, glyph: string, text: string, goesOn: boolean): void => {
    const before = sign.lane.repeat(lane)
    const lines = wrap(text, Math.max(LEAST, width - 2 * (lane + 1)))
    for (const [at, line] of lines.entries())
      rows.push(`${before}${at === 0 ? `${glyph} ` : goesOn ? sign.lane : '  '}${line}`.trimEnd())
  }
  const draw = ({ id, node, children }: Stem, lane: number, isRoot: boolean): void => {
    if (node === null) {
      add(lane, sign.missing, `${id}  not in the history that is here`, false)
      return
    }
    const isEnd = children.length === 0 && !followed.has(id)
    add(lane, node.isClosed ? sign.closed : isEnd ? sign.head : sign.inner, `${id}  ${node.text}`, !isRoot)
    const others = node.parents.slice(1)
    if (others.length > 0) add(lane, sign.also, `follows ${others.join(', ')} as well`, true)
  }
  for (const [at, root] of plant(nodes, shown).entries()) {
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
function plant(nodes: readonly GraphNode[], shown: ReadonlySet<string>): Stem[] {
  /** For each brief the nearest stem at or before it; null where its line begins. */
  const near = new Map<string, Stem | null>()
  /** Parents come before their children. */
  const stems: Stem[] = []
  const roots: Stem[] = []
  const add = (id: string, node: GraphNode | null, below: Stem | null): void => {
    const stem = { id, node, children: [], size: node === null ? 0 : 1, newest: node === null ? '' : id }
    stems.push(stem)
    near.set(id, stem)
    ;(below?.children ?? roots).push(stem)
  }
  for (const node of [...nodes].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const { id, parents } = node
    const isShown = shown.has(id)
    // Ids are times: a parent that is not older closes a circle, and the line begins here.
    const parent = parents[0] === undefined || parents[0] >= id ? null : parents[0]
    if (isShown && parent !== null && !near.has(parent)) add(parent, null, null)
    const below = (parent === null ? null : near.get(parent)) ?? null
    if (isShown) add(id, node, below)
    else near.set(id, below)
  }
  for (const stem of stems.reverse()) {
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
