import type { CommandFact, DecisionFact, FileFact, QuestionFact, TextFact } from '../types/evidence.ts'
import { html, joined, type Markup } from './html-markup.ts'

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

/** The user's own words. */
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
