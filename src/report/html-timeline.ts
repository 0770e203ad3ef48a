import { danglingPath, edgePath, laneX, rowY, type Timeline, type TimelineEdge } from './html-layout.ts'
import { html, joined, type Markup } from './html-markup.ts'
import { dateOf, goalOf, type PageBrief } from './html-page-brief.ts'

const CLOSING = html`<rect x="-6" y="-6" width="12" height="12" rx="3"/><path class="tick" d="M-2.8 .2l2 2 3.6-4"/>`
const HALO = html`<circle class="halo" r="11"/>`

/** The chain as a drawing beside a list that says the same in words: every row is a link to its brief. */
export function timelineMarkup(briefs: readonly PageBrief[], timeline: Timeline): Markup {
  const { lanes, width, height, edges } = timeline
  const count = Math.max(0, ...lanes) + 1
  const x = (row: number): number => laneX(lanes[row] ?? 0, count)
  return html`<div class="rows">
<svg class="graph" aria-hidden="true" focusable="false" width="${width / 16}rem" height="${height / 16}rem" viewBox="0 0 ${width} ${height}">
<g class="edges">
${edges.map((edge) => edgeMarkup(edge, x, briefs))}</g>
<g class="nodes">
${briefs.map((brief, row) => nodeMarkup(brief, x(row), rowY(row)))}</g>
</svg>
<ol>
${briefs.map(rowMarkup)}</ol>
</div>
`
}

function edgeMarkup(
  { from, to, kind }: TimelineEdge,
  x: (row: number) => number,
  briefs: readonly PageBrief[],
): Markup {
  const path =
    to === null ? danglingPath(x(from), rowY(from)) : edgePath(x(from), rowY(from), x(to), rowY(to))
  return html`<path class="edge ${kind} hue${briefs[from]?.hue ?? 0}" d="${path}"/>
`
}

/** Drawn around the origin, so that it can be moved. */
function nodeMarkup(brief: PageBrief, x: number, y: number): Markup {
  const shape = brief.isClosing ? CLOSING : html`<circle r="${brief.isHead ? 6 : 5}"/>`
  const classes = [
    'node',
    `hue${brief.hue}`,
    ...(brief.isClosing ? ['closing'] : brief.isHead ? ['head'] : []),
    ...(brief.marks.includes('parked') ? ['parked'] : []),
  ]
  return html`<g class="${classes.join(' ')}" transform="translate(${x} ${y})">${
    brief.marks.includes('current') && HALO
  }${shape}</g>
`
}

function rowMarkup(brief: PageBrief): Markup {
  const { node, marks } = brief
  const words = [
    html`<time datetime="${node.createdAt}">${dateOf(node.createdAt)}</time>`,
    // There is room for one; the drawing tells the rest, and the article all.
    ...marks.slice(0, 1).map((mark) => html`<em class="${mark}">${mark}</em>`),
    html`<span class="branch hue${brief.hue}" dir="auto">${node.branch ?? '(detached)'}</span>`,
  ]
  return html`<li><a href="#b-${node.id}"><span class="goal" dir="auto">${goalOf(brief)}</span>
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
  const rows: [boolean, Markup, string][] = [
    [briefs.some(isOpenHead), node('head', html`<circle r="6"/>`), 'open: nobody has taken it over yet'],
    [briefs.some(({ isHead }) => !isHead), node('', html`<circle r="5"/>`), 'handed on'],
    [briefs.some(({ isClosing }) => isClosing), node('closing', CLOSING), 'closes its chain'],
    [
      briefs.some(({ marks }) => marks.includes('current')),
      node('head', html`${HALO}<circle r="6"/>`),
      'the current brief of this checkout',
    ],
    [
      briefs.some(({ marks }) => marks.includes('parked')),
      node('parked', html`<circle r="5"/>`),
      'parked: not yet in a branch',
    ],
    [has('missing'), line('missing', 'M0 -12V10'), 'its parent is not in the history that is here'],
    [has('cut'), line('cut', 'M0 -12V10'), 'its parent is not on this page'],
    [has('cycle'), line('cycle', 'M0 10C12 8 12 -8 0 -10'), 'a brief that names a later one as its parent'],
  ]
  return html`<ul class="legend" aria-label="What the shapes mean">
${rows.map(([occurs, shape, words]) => occurs && html`<li>${shape} ${words}</li>\n`)}</ul>
`
}

const isOpenHead = ({ isHead, isClosing }: PageBrief): boolean => isHead && !isClosing
