import { unescapeAlone, visible } from '../text/safe-text.ts'
import type { CommandFact, DecisionFact, FileFact, QuestionFact, TextFact } from '../types/evidence.ts'

/** By a symbol, which no text and no front matter can bring along. */
const FINISHED = Symbol('markup')

/** Markup that may stand in the page as it is; only this file makes it. */
export interface Markup {
  readonly [FINISHED]: string
}

type Part = Markup | string | number | null | undefined | false | readonly Part[]

const NAMES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/** The one way of a text into the page: what nobody can see is shown, and nothing in it is markup. */
export const escapeHtml = (text: string): string =>
  visible(text).replace(/[&<>"'`]/g, (char) => NAMES[char] ?? char)

/** A template whose every slot is escaped, unless it is markup made here; null, undefined and false are nothing. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let out = texts[0] ?? ''
  for (const [i, part] of parts.entries()) out += markupOf(part) + (texts[i + 1] ?? '')
  return { [FINISHED]: out }
}

export const joined = (parts: readonly Markup[], between: string): Markup =>
  html`${parts.map((part, i) => html`${i > 0 && between}${part}`)}`

export const textOf = (markup: Markup): string => markup[FINISHED]

/** A value for `<script type="application/json">`: no text in it can end the element or a line. */
export const jsonBlock = (value: unknown): Markup => ({
  [FINISHED]: JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  ),
})

function markupOf(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  return isList(part) ? part.map(markupOf).join('') : part[FINISHED]
}

const isList = (part: Markup | readonly Part[]): part is readonly Part[] => Array.isArray(part)

/** What an item may need to know of the page: how another brief is named in it. */
export type BriefLink = (id: string) => Markup

/** Text with its code spans set as code; nothing else in it is markup. */
export function inline(text: string): Markup {
  const parts = text.split(/`([^`]+)`/)
  return html`${parts.map((part, i) => (i % 2 === 1 ? html`<code dir="ltr">${part}</code>` : part))}`
}

/** A small word beside an item, on the same line or the next. */
export const tag = (words: string, kind = 'plain'): Markup => html` <span class="tag ${kind}">${words}</span>`

export const textItem = (fact: TextFact, link: BriefLink): Markup =>
  html`<span class="say" dir="auto">${inline(fact.text)}</span>${source(fact, link)}`

export const quoteItem = (fact: TextFact, link: BriefLink): Markup =>
  html`<q class="say" dir="auto">${inline(fact.text)}</q>${source(fact, link)}`

export function decisionItem(fact: DecisionFact, link: BriefLink): Markup {
  const others = fact.alternatives.map((text) => html`<span dir="auto">${inline(text)}</span>`)
  return html`<span class="say what" dir="auto">${inline(fact.what)}</span>${tag(`by ${fact.by}`)}${fromOf(fact, link)}${
    fact.why !== null &&
    html`<span class="more"><b>Why</b> <span dir="auto">${inline(fact.why)}</span></span>`
  }${others.length > 0 && html`<span class="more"><b>Instead of</b> ${joined(others, '; ')}</span>`}`
}

export const fileItem = (fact: FileFact, link: BriefLink): Markup =>
  html`<code class="path" dir="ltr">${fact.path}</code>${
    fact.mark !== undefined && tag(fact.mark, fact.mark === 'planned' ? 'warn' : 'bad')
  }${fromOf(fact, link)}${
    fact.reason !== '' && html`<span class="more" dir="auto">${inline(fact.reason)}</span>`
  }`

/** `isBelow`: the command itself stands below its item. */
export function commandItem(fact: CommandFact, link: BriefLink, isBelow: boolean): Markup {
  const exit = fact.outcome === 'failed' && fact.exitCode !== null ? `, exit ${fact.exitCode}` : ''
  const outcome = fact.outcome === 'ok' ? 'good' : fact.outcome === 'failed' ? 'bad' : 'plain'
  const words = fact.outcome === 'unknown' ? 'outcome unknown' : `${fact.outcome}${exit}`
  const command = !isBelow && html`<code class="path" dir="ltr">${fact.command}</code>`
  return html`${command}${tag(words, outcome)}${fact.kind !== 'other' && tag(fact.kind)}${
    fact.runs > 1 && tag(`${fact.runs} runs`)
  }${fact.cwd !== null && html` <span class="tag plain">in <code dir="ltr">${fact.cwd}</code></span>`}${fromOf(fact, link)}`
}

export const questionItem = (fact: QuestionFact, link: BriefLink): Markup =>
  html`${tag(fact.kind, fact.kind === 'question' ? 'plain' : fact.kind === 'risk' ? 'warn' : 'bad')} ${textItem(fact, link)}`

/** Everybody else is clear from the section. */
const source = (fact: TextFact, link: BriefLink): Markup =>
  html`${fact.source === 'model' && tag('model')}${fromOf(fact, link)}`

const fromOf = ({ from }: { from?: string }, link: BriefLink): Markup | false =>
  from !== undefined && html` <span class="tag plain">from ${link(from)}</span>`

/** What changed since the brief before, line by line as `diff` says it; one sentence when nothing did. */
export const changesMarkup = (lines: readonly string[]): Markup =>
  lines.length === 0
    ? html`<p class="note">It says the same.</p>\n`
    : html`<ul>
${lines.map(lineMarkup)}</ul>
`

function lineMarkup(line: string): Markup {
  const [, label = line, rest = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
  const kind = /dropped/i.test(label) ? 'gone' : /changed/i.test(label) ? 'changed' : 'added'
  return html`<li class="${kind}"><b>${label}</b> <span class="say" dir="auto">${inline(unescapeAlone(rest))}</span></li>
`
}
