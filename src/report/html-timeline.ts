import type { Linked } from '../brief/chain.ts'
import { html, joined, type Markup } from './html-markup.ts'
import { dateOf, goalOf, type Mark, type PageBrief } from './html-page-brief.ts'

const CLOSING = html`<rect x="-6" y="-6" width="12" height="12" rx="3"/><path class="tick" d="M-2.8 .2l2 2 3.6-4"/>`
const HALO = html`<circle class="halo" r="11"/>`

/** The chain as a drawing beside a list that says the same in words: every row is a link to its brief. */
export function timelineMarkup(briefs: readonly PageBrief[], timeline: Timeline): Markup {
  const { lanes, count, width, height, edges } = timeline
  const x = (row: number): number => laneX(lanes[row] ?? 0, count)
  const edge = ({ from, to, kind, via }: TimelineEdge): Markup => {
    const [left, top] = [x(from), rowY(from)]
    // The line leaves a brief whose parent is not drawn.
    const path = to === null ? `M${left} ${top}V${top + 27}` : edgePath(left, top, x(to), rowY(to), via)
    return html`<path class="edge ${kind} hue${briefs[from]?.hue ?? 0}" d="${path}"/>\n`
  }
  return html`<div class="rows">
<svg class="graph" aria-hidden="true" focusable="false" width="${width / 16}rem" height="${height / 16}rem" viewBox="0 0 ${width} ${height}">
<g class="edges">
${edges.map(edge)}</g>
<g class="nodes">
${briefs.map((brief, row) => nodeMarkup(brief, x(row), rowY(row)))}</g>
</svg>
<ol>
${briefs.map(rowMarkup)}</ol>
</div>
`
}

/** Drawn around the origin, so that it can be moved. */
function nodeMarkup(brief: PageBrief, x: number, y: number): Markup {
  const shape = isClosing(brief) ? CLOSING : html`<circle r="${brief.isOpen ? 6 : 5}"/>`
  const classes = [
    'node',
    `hue${brief.hue}`,
    ...(isClosing(brief) ? ['closing'] : brief.isOpen ? ['head'] : []),
    ...(brief.marks.includes('parked') ? ['parked'] : []),
  ]
  return html`<g class="${classes.join(' ')}" transform="translate(${x} ${y})">${
    brief.marks.includes('current') && HALO
  }${shape}</g>
`
}

function rowMarkup(brief: PageBrief): Markup {
  const { id, createdAt, branch, marks } = brief
  const words = [
    html`<time datetime="${createdAt}">${dateOf(createdAt)}</time>`,
    // There is room for one; the drawing tells the rest, and the article all.
    ...marks.slice(0, 1).map((mark) => html`<em class="${mark}">${mark}</em>`),
    html`<span class="branch hue${brief.hue}" dir="auto">${branch ?? '(detached)'}</span>`,
  ]
  return html`<li><a href="#b-${id}"><span class="goal" dir="auto">${goalOf(brief)}</span>
<span class="when">${joined(words, ' ')}</span></a></li>
`
}

/** What the shapes mean, and only those that occur. */
export function legendMarkup(briefs: readonly PageBrief[], edges: readonly TimelineEdge[]): Markup {
  const has = (kind: TimelineEdge['kind']): boolean => edges.some((edge) => edge.kind === kind)
  const mark = (shape: Markup): Markup =>
    html`<svg aria-hidden="true" focusable="false" width="1.75rem" height="1.5rem" viewBox="-14 -12 28 24">${shape}</svg>`
  const node = (classes: string, shape: Markup): Markup =>
    mark(html`<g class="node ${classes} hue0">${shape}</g>`)
  const line = (kind: string, d: string): Markup => mark(html`<path class="edge ${kind} hue0" d="${d}"/>`)
  const marked = (mark: Mark): boolean => briefs.some(({ marks }) => marks.includes(mark))
  const dot = (r: number): Markup => html`<circle r="${r}"/>`
  const rows: [boolean, Markup, string][] = [
    [briefs.some(({ isOpen }) => isOpen), node('head', dot(6)), 'open'],
    [
      briefs.some((brief) => !brief.isOpen && !isClosing(brief)),
      node('', dot(5)),
      'followed, closed or landed',
    ],
    [briefs.some(isClosing), node('closing', CLOSING), 'closes its chain'],
    [marked('current'), node('head', html`${HALO}${dot(6)}`), 'the current brief of this checkout'],
    [marked('parked'), node('parked', dot(5)), 'parked: not yet in a branch'],
    [has('missing'), line('missing', 'M0 -12V10'), 'a parent is not in the history that is here'],
    [has('cut'), line('cut', 'M0 -12V10'), 'a parent is not on this page'],
    [has('cycle'), line('cycle', 'M0 10C12 8 12 -8 0 -10'), 'a brief that names a later one as its parent'],
  ]
  return html`<ul class="legend" aria-label="What the shapes mean">
${rows.map(([occurs, shape, words]) => occurs && html`<li>${shape} ${words}</li>\n`)}</ul>
`
}

const isClosing = ({ kind }: PageBrief): boolean => kind === 'done'

/** Where the briefs stand in the drawn timeline, newest first: pure geometry, in the units of its view box. */
interface Timeline {
  /** One per brief, in the same order. */
  lanes: number[]
  /** How many there are. */
  count: number
  width: number
  height: number
  edges: TimelineEdge[]
}

/**
 * From a brief to its parent. `to` is the row of the parent; null when it is not drawn: `missing` from the history that is
 * here, or `cut` from the page. `cycle`: the parent is not older. `via`: middle of the lane on which the line to another parent than the first runs.
 */
interface TimelineEdge {
  from: number
  to: number | null
  kind: 'parent' | 'missing' | 'cut' | 'cycle'
  via?: number
}

/** Height of a row; 16 units are one rem. */
export const ROW = 64
const MARGIN = 16
/** A lane, and what all lanes may take together. */
const LANE = 20
const MOST = 200

/**
 * A brief takes the lane of the child that waits for it, else a free one; where several wait it is a fork. Another parent than the
 * first is waited for in a lane of its own.
 */
export function layoutTimeline(nodes: readonly Linked[], isMissing: (id: string) => boolean): Timeline {
  const rowOf = new Map(nodes.map(({ id }, row) => [id, row]))
  const waiting: (number | null)[] = []
  const lanes: number[] = []
  const edges: (TimelineEdge & { lane: number })[] = []
  // The lane that waits for it, else a free one, else a new one.
  const laneFor = (row: number): number =>
    [waiting.indexOf(row), waiting.indexOf(null)].find((at) => at !== -1) ?? waiting.length
  for (const [row, { parents }] of nodes.entries()) {
    const own = laneFor(row)
    for (const [i, awaited] of waiting.entries()) if (awaited === row) waiting[i] = null
    waiting[own] = null
    lanes.push(own)
    for (const [at, parent] of parents.entries()) {
      const to = rowOf.get(parent) ?? null
      const isOlder = to !== null && to > row
      const lane = at === 0 || !isOlder ? own : laneFor(to)
      if (isOlder) waiting[lane] = to
      const kind = isOlder ? 'parent' : to !== null ? 'cycle' : isMissing(parent) ? 'missing' : 'cut'
      edges.push({ from: row, to, kind, lane })
    }
  }
  const count = waiting.length
  return {
    lanes,
    count,
    width: laneX(Math.max(0, count - 1), count) + MARGIN,
    height: nodes.length * ROW,
    edges: edges.map(({ lane, ...edge }) =>
      lane === lanes[edge.from] ? edge : { ...edge, via: laneX(lane, count) },
    ),
  }
}

/** Middle of a lane; many lanes stand closer. */
const laneX = (lane: number, count: number): number =>
  Math.round(MARGIN + lane * Math.min(LANE, MOST / Math.max(1, count)))

const rowY = (row: number): number => (row + 0.5) * ROW

/**
 * The line from a child at x1, y1 to its parent at x2, y2: along the child's lane or the one at `via`, then over. The script in
 * templates/html/page.js draws the same.
 */
export function edgePath(x1: number, y1: number, x2: number, y2: number, via: number = x1): string {
  if (y2 < y1 || (y2 === y1 && x1 === x2))
    return `M${x1} ${y1}C${x1 + 28} ${y1 + 12} ${x2 + 28} ${y2 - 12} ${x2} ${y2}`
  const top = via === x1 ? y1 : y1 + Math.min(44, (y2 - y1) / 2)
  const start = `M${x1} ${y1}${via === x1 ? '' : `C${x1} ${y1 + 28} ${via} ${y1 + 16} ${via} ${top}`}`
  if (via === x2) return `${start}V${y2}`
  const bend = Math.max(top, y2 - 44)
  return `${start}V${bend}C${via} ${y2 - 16} ${x2} ${y2 - 28} ${x2} ${y2}`
}
