/** Where the briefs stand in the drawn timeline, newest first: pure geometry, in the units of its view box. */
export interface Timeline {
  /** One per brief, in the same order. */
  lanes: number[]
  width: number
  height: number
  edges: TimelineEdge[]
}

/**
 * From a brief to its parent. `to` is the row of the parent; null when it is not drawn: `missing` from the history that is
 * here, or `cut` from the page. `cycle`: the parent is not older.
 */
export interface TimelineEdge {
  from: number
  to: number | null
  kind: 'parent' | 'missing' | 'cut' | 'cycle'
}

/** Height of a row; 16 units are one rem. */
export const ROW = 64
/** Left and right of the lanes. */
const MARGIN = 16
/** A lane, and what all lanes may take together. */
const LANE = 20
const MOST = 200

/** A brief takes the lane of the child that waits for it, else a free one; where several wait it is a fork. */
export function layoutTimeline(
  nodes: readonly { id: string; parent: string | null }[],
  isMissing: (id: string) => boolean,
): Timeline {
  const rowOf = new Map(nodes.map(({ id }, row) => [id, row]))
  const waiting: (number | null)[] = []
  const lanes: number[] = []
  const edges: TimelineEdge[] = []
  for (const [row, { parent }] of nodes.entries()) {
    const mine = waiting.indexOf(row)
    const lane = mine === -1 ? freeLane(waiting) : mine
    for (const [i, awaited] of waiting.entries()) if (awaited === row) waiting[i] = null
    const to = parent === null ? null : (rowOf.get(parent) ?? null)
    waiting[lane] = to !== null && to > row ? to : null
    lanes.push(lane)
    if (to !== null) edges.push({ from: row, to, kind: to > row ? 'parent' : 'cycle' })
    else if (parent !== null) edges.push({ from: row, to, kind: isMissing(parent) ? 'missing' : 'cut' })
  }
  return {
    lanes,
    width: laneX(Math.max(0, waiting.length - 1), waiting.length) + MARGIN,
    height: nodes.length * ROW,
    edges,
  }
}

function freeLane(waiting: readonly (number | null)[]): number {
  const free = waiting.indexOf(null)
  return free === -1 ? waiting.length : free
}

/** Middle of a lane; many lanes stand closer. */
export const laneX = (lane: number, count: number): number =>
  Math.round(MARGIN + lane * Math.min(LANE, MOST / Math.max(1, count)))

/** Middle of a row. */
export const rowY = (row: number): number => (row + 0.5) * ROW

/** The line from a child at x1, y1 to its parent at x2, y2: along the child's lane, then over; templates/html/page.js draws the same. */
export function edgePath(x1: number, y1: number, x2: number, y2: number): string {
  if (y2 < y1 || (y2 === y1 && x1 === x2))
    return `M${x1} ${y1}C${x1 + 28} ${y1 + 12} ${x2 + 28} ${y2 - 12} ${x2} ${y2}`
  if (x1 === x2) return `M${x1} ${y1}V${y2}`
  const bend = y2 - Math.min(44, y2 - y1)
  return `M${x1} ${y1}V${bend}C${x1} ${y2 - 16} ${x2} ${y2 - 28} ${x2} ${y2}`
}

/** The line that leaves a brief whose parent is not drawn. */
export const danglingPath = (x: number, y: number): string => `M${x} ${y}V${y + 27}`
