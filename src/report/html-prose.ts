import { unescapeLineAlone } from '../brief/safe-text.ts'
import { inline } from './html-items.ts'
import { html, type Markup } from './html-markup.ts'

type Show = (text: string) => Markup

/** An item of a list with those below it. */
interface ListItem {
  indent: number
  text: string
  below: ListItem[]
}

const ITEM = /^( *)(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)$/
const FENCE = /^\s*(`{3,}|~{3,})/
const HEADING = /^#{1,6}\s+(.*)$/
const QUOTE = /^> ?/

/**
 * What somebody wrote as markdown, for reading: headings, quotes, nested lists, code and paragraphs. Lines of a table keep
 * their columns; every other mark stays as it is written. `show`: how the text of an item of the first level is shown.
 */
export function proseMarkup(lines: readonly string[], show: Show = said): Markup {
  const out: Markup[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const fence = FENCE.exec(line)?.[1]
    const heading = HEADING.exec(line)?.[1]
    const goesOn = (test: (next: string) => boolean): string[] => {
      const end = lines.findIndex((next, i) => i > at && !test(next))
      return lines.slice(at, end === -1 ? lines.length : end)
    }
    let rows = [line]
    if (fence !== undefined) {
      rows = goesOn((next) => !next.trim().startsWith(fence))
      out.push(codeMarkup(rows.slice(1)))
      at += 1
    } else if (QUOTE.test(line)) {
      rows = goesOn((next) => QUOTE.test(next))
      const inner = rows.map((row) => row.replace(QUOTE, ''))
      out.push(html`<blockquote>${QUOTE.test(inner[0] ?? '') ? inner.map(paragraph) : proseMarkup(inner)}</blockquote>\n`)
    } else if (ITEM.test(line)) {
      rows = goesOn((next) => next.trim() !== '' && ![FENCE, HEADING, QUOTE].some((mark) => mark.test(next)))
      out.push(listMarkup(nested(rows), show))
    } else if (line.startsWith('|')) {
      rows = goesOn((next) => next.startsWith('|'))
      out.push(codeMarkup(rows))
    } else if (heading !== undefined) out.push(html`<h4 dir="auto">${inline(unescapeLineAlone(heading))}</h4>\n`)
    else out.push(paragraph(line))
    at += rows.length
  }
  return html`${out}`
}

const said: Show = (text) => html`<span class="say" dir="auto">${inline(unescapeLineAlone(text))}</span>`

const paragraph = (line: string): Markup =>
  line.trim() === '' ? html`` : html`<p dir="auto">${inline(unescapeLineAlone(line.trim()))}</p>\n`

const codeMarkup = (lines: readonly string[]): Markup =>
  html`<pre><code dir="auto">${lines.join('\n')}</code></pre>\n`

const listMarkup = (items: readonly ListItem[], show: Show): Markup =>
  html`<ul>${items.map(
    ({ text, below }) => html`<li>${show(text)}${below.length > 0 && listMarkup(below, said)}</li>\n`,
  )}</ul>\n`

/** Items by their indent; a line that is none goes on with the one above. */
function nested(rows: readonly string[]): ListItem[] {
  const root: ListItem = { indent: -1, text: '', below: [] }
  const path = [root]
  for (const row of rows) {
    const [, { length: indent } = '', text] = ITEM.exec(row) ?? []
    while (text !== undefined && path.length > 1 && (path.at(-1) ?? root).indent >= indent) path.pop()
    const last = path.at(-1) ?? root
    if (text === undefined) last.text += ` ${row.trim()}`
    else {
      const item = { indent, text, below: [] }
      last.below.push(item)
      path.push(item)
    }
  }
  return root.below
}
