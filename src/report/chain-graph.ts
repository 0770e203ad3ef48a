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
  const rows = (lane: number, glyph: string, text: string, goesOn: boolean): string[] =>
    wrap(text, Math.max(LEAST, width - 2 * (lane + 1))).map((line, at) =>
      `${sign.lane.repeat(lane)}${at === 0 ? `${glyph} ` : goesOn ? sign.lane : '  '}${line}`.trimEnd(),
    )
  const draw = ({ id, node, children }: Stem, lane: number, isRoot: boolean): string[] => {
    if (node === null) return rows(lane, sign.missing, `${id}  not in the history that is here`, false)
    const isEnd = children.length === 0 && !followed.has(id)
    const glyph = node.isClosed ? sign.closed : isEnd ? sign.head : sign.inner
    const others = node.parents.slice(1)
    return [
      ...rows(lane, glyph, `${id}  ${node.text}`, !isRoot),
      ...(others.length > 0 ? rows(lane, sign.also, `follows ${others.join(', ')} as well`, true) : []),
    ]
  }
  /** A line of work from its root up, in blocks; each branch joins below. A line may be deeper than the stack of calls, lanes are few. */
  const drawLine = (root: Stem, lane: number, isRoot: boolean): string[] => {
    const blocks: string[][] = []
    for (let stem: Stem | undefined = root; stem !== undefined; stem = stem.children[0]) {
      blocks.push(draw(stem, lane, isRoot && stem === root))
      for (const branch of stem.children.slice(1).reverse())
        blocks.push([...drawLine(branch, lane + 1, false), `${sign.lane.repeat(lane)}${sign.join}`])
    }
    return blocks.reverse().flat()
  }
  return plant(nodes, shown).flatMap((root, at) => [...(at > 0 ? [''] : []), ...drawLine(root, 0, true)])
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
