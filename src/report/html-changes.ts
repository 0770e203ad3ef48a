import { unescapeAlone } from '../text/safe-text.ts'
import { inline } from './html-items.ts'
import { html, type Markup } from './html-markup.ts'

/** What changed since the brief before, line by line as `diff` says it; one sentence when nothing did. */
export const changesMarkup = (lines: readonly string[]): Markup =>
  lines.length === 0
    ? html`<p class="note">It says the same.</p>\n`
    : html`<ul>
${lines.map(lineMarkup)}</ul>
`

function lineMarkup(line: string): Markup {
  const [, label = line, rest = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
  const kind = /dropped/i.test(label) ? 'gone' : /changed|reworded/i.test(label) ? 'changed' : 'added'
  return html`<li class="${kind}"><b>${label}</b> <span class="say" dir="auto">${inline(unescapeAlone(rest))}</span></li>
`
}
