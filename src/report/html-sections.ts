import { readCommand, readDecision, readFile, readQuestion, readQuote, readText } from '../brief/items.ts'
import type { ParsedBrief } from '../brief/parse.ts'
import { isTrailLead } from '../brief/render.ts'
import type { ScannedSection, SectionId } from '../brief/sections.ts'
import { templates } from '../brief/template.ts'
import { PLACEHOLDER } from '../brief/working-memory.ts'
import { unescapeLine, unescapeLineAlone } from '../text/safe-text.ts'
import {
  type BriefLink,
  commandItem,
  decisionItem,
  fileItem,
  html,
  inline,
  type Markup,
  questionItem,
  quoteItem,
  textItem,
} from './html-markup.ts'

/** What stands elsewhere in the page: the goal and the link to the brief before in the head of the article. */
const ELSEWHERE: ReadonlySet<SectionId | null> = new Set(['goal', 'previous'])
const COUNTED: ReadonlySet<SectionId | null> = new Set([
  'constraints',
  'decisions',
  'files',
  'commands',
  'questions',
  'steps',
])

/**
 * The body of a brief, section for section in the order of the file: our items as what they say, everything else as the markdown
 * that it is. `name` begins the ids of headings.
 */
export function sectionsMarkup(parsed: ParsedBrief, name: string, link: BriefLink): Markup {
  const shown = parsed.sections.filter(({ id }) => !ELSEWHERE.has(id))
  return html`${shown.map((section, i) => sectionMarkup(section, `${name}-${i}`, link))}`
}

function sectionMarkup({ id, heading, lines, items }: ScannedSection, name: string, link: BriefLink) {
  const texts = lines.map(({ text }) => text).filter((text) => !isBoilerplate(id, text))
  if (texts.every((line) => line.trim() === '')) return false
  // What a reader wants first stands wide, the rest beside one another where there is room.
  const kind = id === 'status' ? 'aside' : (id ?? 'other')
  const count = COUNTED.has(id) && items.length > 1 ? items.length : null
  return html`<section class="part ${kind}" aria-labelledby="${name}">
<h3 id="${name}"><span dir="auto">${heading === '' ? 'Before the first heading' : heading}</span>${count !== null && html` <span class="count">${count}</span>`}</h3>
${proseMarkup(texts, showOf(id, link))}</section>
`
}

function showOf(id: SectionId | null, link: BriefLink): Show {
  const text: Show = (line) => textItem(readText(line, 'user'), link)
  const shows: Partial<Record<SectionId, Show>> = {
    constraints: (line) => quoteItem(readQuote(line), link),
    decisions: (line) => decisionItem(readDecision(line), link),
    questions: (line) => questionItem(readQuestion(line), link),
    files: (line, code) => {
      const file = readFile(line)
      return file === null ? text(line, code) : fileItem(file, link)
    },
    commands: (line, code) => {
      const command = readCommand({ text: line, block: code })
      return command === null ? text(line, code) : commandItem(command, link, code !== null)
    },
    memory: memoryItem,
    status: said,
    closing: said,
    trail: said,
  }
  return (id !== null && shows[id]) || text
}

const memoryItem: Show = (text, code) => {
  const [, label, rest = ''] = /^([A-Z][a-z ]{2,30}): (.*)$/s.exec(text) ?? []
  return label === undefined ? said(text, code) : html`<b>${label}</b> ${said(rest, code)}`
}

/** Sentences for agents, and words for what is not there. */
const isBoilerplate = (id: SectionId | null, text: string): boolean =>
  isTrailLead(text) ||
  text === PLACEHOLDER ||
  (id === 'preamble' &&
    (unescapeLine(text) === templates.preamble.text.trim() || text.startsWith('The facts below were true ')))

/** How the text of an item is shown; `code` stands below it anyway. */
type Show = (text: string, code: string | null) => Markup

interface ListItem {
  indent: number
  text: string
  code: string | null
  below: ListItem[]
}

const ITEM = /^( *)(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)$/
const FENCE = /^( *)(`{3,}|~{3,})/
const HEADING = /^#{1,6}\s+(.*)$/
const QUOTE = /^> ?/

/**
 * Markdown for reading: headings, quotes, nested lists, code and paragraphs. Lines of a table keep their columns; every other
 * mark stays as it is written, and nothing is left out. `show`: for items of the first level.
 */
function proseMarkup(lines: readonly string[], show: Show = said): Markup {
  const out: Markup[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const goesOn = (test: (next: string) => boolean): string[] => blockFrom(lines, at, test)
    const heading = HEADING.exec(line)?.[1]
    let rows = [line]
    if (FENCE.test(line)) {
      rows = goesOn((next) => !closes(next, line))
      out.push(codeMarkup(rows.slice(1).join('\n')))
      at += 1
    } else if (QUOTE.test(line)) {
      rows = goesOn((next) => QUOTE.test(next))
      const inner = rows.map((row) => row.replace(QUOTE, ''))
      out.push(
        html`<blockquote>${QUOTE.test(inner[0] ?? '') ? inner.map(paragraph) : proseMarkup(inner)}</blockquote>\n`,
      )
    } else if (ITEM.test(line)) {
      rows = goesOn(itemGoesOn())
      out.push(listMarkup(nested(rows), show))
    } else if (line.startsWith('|')) {
      rows = goesOn((next) => next.startsWith('|'))
      out.push(codeMarkup(rows.join('\n')))
    } else if (heading !== undefined)
      out.push(html`<h4 dir="auto">${inline(unescapeLineAlone(heading))}</h4>\n`)
    else out.push(paragraph(line))
    at += rows.length
  }
  return html`${out}`
}

/** The line at `at` and those after it for which `test` holds. */
function blockFrom(lines: readonly string[], at: number, test: (next: string) => boolean): string[] {
  let end = at + 1
  while (end < lines.length && test(lines[end] ?? '')) end++
  return lines.slice(at, end)
}

export const said: Show = (text) =>
  html`<span class="say" dir="auto">${inline(unescapeLineAlone(text))}</span>`

const codeMarkup = (code: string): Markup => html`<pre><code dir="auto">${code}</code></pre>\n`

const paragraph = (line: string): Markup =>
  line.trim() === '' ? html`` : html`<p dir="auto">${inline(unescapeLineAlone(line.trim()))}</p>\n`

const listMarkup = (items: readonly ListItem[], show: Show): Markup =>
  html`<ul>${items.map(
    ({ text, code, below }) =>
      html`<li>${show(text, code)}${code !== null && codeMarkup(code)}${below.length > 0 && listMarkup(below, said)}</li>\n`,
  )}</ul>\n`

function closes(line: string, fence: string): boolean {
  const mark = FENCE.exec(fence)?.[2] ?? ''
  return line.trim().startsWith(mark) && /^(?:`+|~+)$/.test(line.trim())
}

/** Code that is set in belongs to the item above; a line without a mark goes on with it. */
function itemGoesOn(): (next: string) => boolean {
  let fence: string | null = null
  return (next) => {
    if (fence !== null) {
      if (closes(next, fence)) fence = null
      return true
    }
    if (/^ /.test(next) && FENCE.test(next)) fence = next
    return fence !== null || (next.trim() !== '' && ![FENCE, HEADING, QUOTE].some((mark) => mark.test(next)))
  }
}

function nested(rows: readonly string[]): ListItem[] {
  const root: ListItem = { indent: -1, text: '', code: null, below: [] }
  const path = [root]
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? ''
    const [, { length: indent } = '', text] = ITEM.exec(row) ?? []
    while (text !== undefined && path.length > 1 && (path.at(-1) ?? root).indent >= indent) path.pop()
    const last = path.at(-1) ?? root
    if (text !== undefined) {
      const item = { indent, text, code: null, below: [] }
      last.below.push(item)
      path.push(item)
    } else if (FENCE.test(row)) {
      const margin = FENCE.exec(row)?.[1] ?? ''
      const block = blockFrom(rows, at, (next) => !closes(next, row)).slice(1)
      const code = block
        .map((line) => (line.startsWith(margin) ? line.slice(margin.length) : line))
        .join('\n')
      last.code = last.code === null ? code : `${last.code}\n${code}`
      at += block.length + 1
    } else last.text += ` ${row.trim()}`
  }
  return root.below
}
