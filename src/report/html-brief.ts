import { plural, shortSha } from '../text/count.ts'
import { exactLines, unescapeAlone } from '../text/safe-text.ts'
import { findingsIn } from '../verify/truth.ts'
import { type BriefLink, changesMarkup, html, inline, joined, type Markup, tag } from './html-markup.ts'
import { dateOf, type Mark, type PageBrief, shortId } from './html-page-brief.ts'
import { sectionsMarkup } from './html-sections.ts'

const TITLES: Readonly<Record<Mark, string>> = {
  current: 'the current brief of this checkout',
  open: 'nobody has taken it over yet',
  closed: 'it closes its chain',
  parked: 'it waits to be committed to its branch',
  edited: 'its file was changed after it was committed; this is what was committed first',
  duplicate: 'another file carries the same id',
}

/** One brief, for reading: its goal, what changed, whether it is still true, then what it says. */
export function briefMarkup(brief: PageBrief, link: BriefLink): Markup {
  const { parsed, marks } = brief
  const name = `b-${brief.id}`
  const goal = parsed?.goal?.text ?? exactLines(brief.goal)
  return html`<article class="brief" id="${name}" tabindex="-1" aria-labelledby="${name}-goal">
<header>
<p class="over"><time datetime="${brief.createdAt}">${dateOf(brief.createdAt)}</time> <span class="branch hue${brief.hue}" dir="auto">${brief.branch ?? '(detached)'}</span> <span dir="auto">${brief.agent}</span>${
    brief.persona !== undefined && html` <span dir="auto">as ${brief.persona}</span>`
  }${marks.map((mark) => html` <em class="${mark}" title="${TITLES[mark]}">${mark}</em>`)}</p>
<h2 id="${name}-goal" dir="auto">${goal}</h2>
${parsed?.meta.focus !== undefined && html`<p class="focus" dir="auto"><b>Focus</b> ${inline(parsed.meta.focus)}</p>\n`}${
  brief.kind === 'done' &&
  html`<p class="outcome" dir="auto"><b>Closed</b> ${parsed?.closed ?? '(no outcome told)'}</p>\n`
}${lineage(brief, link)}</header>
${drift(brief, name)}${brief.changes.map((change, at) => changed(change, `${name}-c${at === 0 ? '' : at + 1}`, link))}${
  parsed === null
    ? html`<p class="note lost">The text of this brief cannot be shown: ${brief.why}. <code>handoff show ${brief.id}</code> says more.</p>\n`
    : sectionsMarkup(parsed, `${name}-s`, link)
}${record(brief, name, link)}</article>
`
}

function lineage({ follows, children }: PageBrief, link: BriefLink): Markup {
  const parents = follows.map(
    ({ id, is }) =>
      html`${link(id)}${is === 'missing' ? ', which is not in the history that is here' : is === 'cut' && ', which is not on this page'}`,
  )
  const before =
    parents.length === 0 ? html`The first of its chain` : html`Follows ${joined(parents, ' and ')}`
  const next = children.length > 0 && html`; followed by ${joined(children.map(link), ', ')}`
  return html`<p class="lineage">${before}${next}.</p>
`
}

function changed({ since, lines }: PageBrief['changes'][number], name: string, link: BriefLink): Markup {
  return html`<section class="panel since" aria-labelledby="${name}">
<details open><summary><h3 id="${name}">Changed since ${link(since)}${lines.length > 0 && html` <span class="count">${lines.length}</span>`}</h3></summary>
${changesMarkup(lines)}</details></section>
`
}

function drift({ truth }: PageBrief, name: string): Markup | false {
  if (truth === null) return false
  const lines = truth.items.map(
    ({ level, message }) =>
      html`<li class="${level}"><span dir="auto">${inline(unescapeAlone(message))}</span></li>\n`,
  )
  return html`<section class="panel drift ${truth.stillTrue ? 'true' : 'drifted'}" aria-labelledby="${name}-d">
<h3 id="${name}-d">Is it still true? ${truth.stillTrue ? tag('no contradictions found', 'good') : tag(plural(findingsIn(truth), 'contradiction'), 'bad')}</h3>
<ul>${lines}</ul></section>
`
}

function record(brief: PageBrief, name: string, link: BriefLink): Markup {
  const meta = brief.parsed?.meta
  const path = (of: string): Markup => html`<code class="path" dir="ltr">${of}</code>`
  const sha = (commit: string): Markup => html`<code>${shortSha(commit)}</code>`
  const rows: [string, Markup | false | undefined][] = [
    ['Id', html`<code>${brief.id}</code>`],
    ['Reason', meta && html`<span dir="auto">${meta.reason}</span>`],
    [
      'Made at',
      meta &&
        (meta.head === null
          ? html`before the first commit`
          : html`${sha(meta.head)}${meta.dirty && ', with uncommitted changes'}`),
    ],
    ['Brought by', html`commit ${sha(brief.commit)}${!brief.inTree && ', no longer in the tree of HEAD'}`],
    ['File', path(brief.path)],
    [
      'Also',
      brief.others &&
        joined(
          brief.others.map(
            (other) =>
              html`${other.path === brief.path ? 'the same file' : path(other.path)} at ${sha(other.commit)}`,
          ),
          ', ',
        ),
    ],
    ['Resumed from', meta?.resumedFrom && link(meta.resumedFrom.id)],
  ]
  return html`<section class="part record" aria-labelledby="${name}-r">
<h3 id="${name}-r">Record</h3>
<dl>
${rows.map(([term, what]) => what && html`<div><dt>${term}</dt><dd>${what}</dd></div>\n`)}</dl></section>
`
}

/** How a brief is named: a link where it is on the page. */
export const briefLink =
  (here: ReadonlySet<string>): BriefLink =>
  (id) =>
    here.has(id)
      ? html`<a class="id" href="#b-${id}" title="${id}">${shortId(id)}</a>`
      : html`<code class="id">${id}</code>`
