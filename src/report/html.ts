import { createHash } from 'node:crypto'
import { plural } from '../text/count.ts'
import { briefLink, briefMarkup } from './html-brief.ts'
import { html, jsonBlock, type Markup, textOf } from './html-markup.ts'
import { dateOf, type HtmlInput, type PageBrief, pageBriefs } from './html-page-brief.ts'
import { layoutTimeline, legendMarkup, ROW, timelineMarkup } from './html-timeline.ts'

/** The files of `templates/html/`: the frame, its style and its script. They are our own and stand in the page as they are. */
export interface HtmlTemplates {
  page: string
  style: string
  script: string
}

export interface HtmlPage {
  text: string
  /** Briefs on the page, and how many there were to show. */
  shown: number
  total: number
}

/**
 * The chain as one page that needs nothing else: its policy forbids every load and allows the one style and the one script in
 * it by their digests. Same input, same bytes; no time of writing stands in it.
 */
export function renderHtml(input: HtmlInput, templates: HtmlTemplates): HtmlPage {
  const briefs = pageBriefs(input)
  const here = new Set(briefs.map(({ id }) => id))
  const known = new Set(input.chain.map(({ id }) => id))
  const timeline = layoutTimeline(briefs, (id) => !known.has(id))
  const link = briefLink(here)
  const { style, script } = templates
  const data = {
    row: ROW,
    width: timeline.width,
    briefs: briefs.map(({ branch, agent, persona, state, createdAt }) => ({
      branch: branch ?? '',
      agent,
      persona: persona ?? '',
      state,
      day: createdAt.slice(0, 10),
    })),
    edges: timeline.edges.map(({ from, to, via }) => [from, to, ...(via === undefined ? [] : [via])]),
  }
  const slots: Readonly<Record<string, string>> = {
    style: `<style>${style}</style>`,
    script: `<script>${script}</script>`,
    policy: `default-src 'none'; style-src '${digest(style)}'; script-src '${digest(script)}'; base-uri 'none'; form-action 'none'`,
    title: textOf(html`Handoffs of ${input.name}`),
    name: textOf(html`${input.name}`),
    summary: textOf(html`${summary(input, briefs)}${notices(input.notices)}`),
    filters: textOf(filters(briefs)),
    timeline: textOf(briefs.length === 0 ? html`` : timelineMarkup(briefs, timeline)),
    legend: textOf(legendMarkup(briefs, timeline.edges)),
    briefs: textOf(
      briefs.length === 0
        ? input.chain.length > 0
          ? html`<p class="empty">None of ${plural(input.chain.length, 'brief')} fits what was asked for.</p>`
          : html`<p class="empty">No briefs yet. <code>handoff create "&lt;goal&gt;"</code> makes the first.</p>`
        : html`${briefs.map((brief) => briefMarkup(brief, link))}`,
    ),
    data: textOf(html`<script type="application/json" id="data">${jsonBlock(data)}</script>`),
  }
  // Once, so that nothing that was put in is looked at again.
  const text = templates.page.replace(/\{\{(\w+)\}\}/g, (slot, name: string) => slots[name] ?? slot)
  return { text, shown: briefs.length, total: input.shown.length }
}

const digest = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`

function summary({ shown, scope }: HtmlInput, briefs: readonly PageBrief[]): Markup {
  const [newest, oldest] = [briefs[0], briefs.at(-1)]
  const open = briefs.filter(({ state }) => state === 'open').length
  const cut = shown.length - briefs.length
  const full = briefs.filter(({ why }) => why === 'the page is full').length
  const [from, to] = [oldest, newest].map((brief) => dateOf(brief?.createdAt ?? '').split(',')[0] ?? '')
  const span = from === '' ? '' : from === to ? `, ${to}` : `, ${from} to ${to}`
  return html`<p class="summary"><b>${plural(briefs.length, 'brief')}</b>, ${open} open. From ${scope}${span}.${
    cut > 0 &&
    html` <strong>${plural(cut, 'older brief')} left out: a page holds ${briefs.length}. Narrow it with the options of <code>handoff log</code>.</strong>`
  }${full > 0 && html` <strong>Of ${plural(full, 'brief')} only the head is here: the texts were too long for one page.</strong>`}</p>`
}

/** What a reader should know of a history that is not as it should be. */
const notices = (lines: readonly string[]): Markup | false =>
  lines.length > 0 &&
  html`
<ul class="notices" aria-label="What is not as it should be">${lines.map((line) => html`<li dir="auto">${line}</li>`)}</ul>`

/** Choices that make a difference; the script shows them, for without it they would do nothing. */
function filters(briefs: readonly PageBrief[]): Markup {
  const choices: readonly [string, string, string, string[]][] = [
    ['branch', 'Branch', '(detached)', briefs.map(({ branch }) => branch ?? '')],
    ['agent', 'Agent', '(none)', briefs.map(({ agent }) => agent)],
    ['persona', 'Persona', '(none)', briefs.map(({ persona }) => persona ?? '')],
    ['state', 'Line of work', '', briefs.map(({ state }) => state)],
  ]
  const fields = choices.map(([name, label, none, values]) => {
    const options = [...new Set(values)].sort()
    return (
      options.length > 1 &&
      html`<label>${label} <select name="${name}"><option value="*">all</option>${options.map(
        (value) => html`<option value="${value}">${value === '' ? none : value}</option>`,
      )}</select></label>
`
    )
  })
  return html`<label class="find">Search <input type="search" name="text" placeholder="in all briefs" autocomplete="off" spellcheck="false" aria-keyshortcuts="/"></label>
${fields}<label>Since <input type="date" name="since"></label>
<button type="button">Clear</button>
`
}
