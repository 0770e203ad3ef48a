import { readCommand } from '../brief/command-items.ts'
import {
  type BriefLink,
  commandItem,
  decisionItem,
  fileItem,
  inline,
  questionItem,
  quoteItem,
  textItem,
} from './html-items.ts'
import { html, type Markup } from './html-markup.ts'
import { proseMarkup } from './html-prose.ts'
import { readDecision, readFile, readQuestion, readQuote, readText } from '../brief/items.ts'
import type { ParsedBrief } from '../brief/parse.ts'
import { TRAIL_LEAD } from '../brief/render.ts'
import { unescapeLine, unescapeLineAlone, unescapeText } from '../brief/safe-text.ts'
import type { ScannedSection } from '../brief/scan.ts'
import type { SectionId } from '../brief/sections.ts'
import { templates } from '../brief/template.ts'

type Item = ScannedSection['items'][number]

/** What stands elsewhere in the page: the goal and the link to the brief before in the head of the article. */
const ELSEWHERE: ReadonlySet<SectionId | null> = new Set(['goal', 'previous'])
/** What a reader wants first stands wide, the rest beside one another where there is room. */
const ASIDE: ReadonlySet<SectionId | null> = new Set(['status'])

/**
 * The body of a brief, section for section in the order of the file. Every line is there: items as what they say, what else
 * somebody wrote as text, fenced blocks as they are. `name` begins the ids of headings.
 */
export function sectionsMarkup(parsed: ParsedBrief, name: string, link: BriefLink): Markup {
  const shown = parsed.sections.filter(({ id }) => !ELSEWHERE.has(id))
  return html`${shown.map((section, i) => sectionMarkup(section, `${name}-${i}`, link))}`
}

function sectionMarkup(section: ScannedSection, name: string, link: BriefLink): Markup | false {
  const blocks = PROSE.has(section.id) ? proseOf(section) : blocksOf(section, link)
  if (blocks.length === 0) return false
  const kind = ASIDE.has(section.id) ? 'aside' : (section.id ?? 'other')
  const count = COUNTED.has(section.id) && section.items.length > 1 ? section.items.length : null
  return html`<section class="part ${kind}" aria-labelledby="${name}">
<h3 id="${name}"><span dir="auto">${headingOf(section)}</span>${count !== null && html` <span class="count">${count}</span>`}</h3>
${blocks}</section>
`
}

const COUNTED: ReadonlySet<SectionId | null> = new Set([
  'constraints',
  'decisions',
  'files',
  'commands',
  'questions',
  'steps',
])

/** Shorter than in the file, where it is the only name of its section. */
const NAMES: Partial<Readonly<Record<SectionId, string>>> = {
  preamble: 'Before you start',
  information: 'Context',
  constraints: 'Constraints and preferences',
  decisions: 'Key decisions',
  files: 'Relevant files',
  commands: 'Relevant commands',
  questions: 'Open questions and risks',
  memory: 'Working memory',
  steps: 'Next steps',
  closing: 'Where it stands',
  trail: 'How it got here',
}

const headingOf = ({ id, heading }: ScannedSection): string =>
  (id === null ? undefined : NAMES[id]) ?? (heading === '' ? 'Before the first heading' : heading)

/** Markdown of agents and of the person; the rest is ours, item by item. */
const PROSE: ReadonlySet<SectionId | null> = new Set(['memory', 'closing', 'trail'])

function proseOf({ id, lines }: ScannedSection): Markup[] {
  const rows = lines.map(({ text }) => text).filter((text) => text !== TRAIL_LEAD)
  if (rows.every((row) => row.trim() === '')) return []
  return [id === 'memory' ? proseMarkup(rows, memoryItem) : proseMarkup(rows)]
}

/** Items in a row become one list, lines of a fence one block, every other line a paragraph. */
function blocksOf(section: ScannedSection, link: BriefLink): Markup[] {
  const items = new Map(section.items.map((item) => [item.line, item]))
  const blocks = new Map(section.blocks.map((block) => [block.line, block]))
  let last: Item | null = null
  const out: Markup[] = []
  let list: Markup[] = []
  const flush = () => {
    if (list.length > 0) out.push(html`<ul>${list}</ul>\n`)
    list = []
  }
  for (const { line, text, fenced } of section.lines) {
    const item = items.get(line)
    const block = blocks.get(line)
    if (item !== undefined) {
      list.push(html`<li>${itemMarkup(section.id, item, link)}</li>\n`)
      last = item
    } else if (block !== undefined) {
      // The first block indented below an item belongs to it and was shown with it.
      if (last !== null && text.startsWith(' ') && last.block === block.text) {
        last = null
        continue
      }
      flush()
      out.push(html`<pre><code dir="auto">${block.text}</code></pre>\n`)
    } else if (!fenced && text.trim() !== '' && !isBoilerplate(section.id, text)) {
      flush()
      out.push(lineMarkup(section.id, text))
    }
  }
  flush()
  return out
}

function itemMarkup(id: SectionId | null, item: Item, link: BriefLink): Markup {
  const { text } = item
  switch (id) {
    case 'constraints':
      return quoteItem(readQuote(text), link)
    case 'decisions':
      return decisionItem(readDecision(text), link)
    case 'questions':
      return questionItem(readQuestion(text), link)
    case 'files': {
      const file = readFile(text)
      return file === null ? textItem(readText(text, 'user'), link) : fileItem(file, link)
    }
    case 'commands': {
      const command = readCommand(item)
      if (command === null) return withBlock(textItem(readText(text, 'user'), link), item)
      return html`<span class="command">${commandItem(command, link)}</span>`
    }
    case 'status':
      return withBlock(plainItem(text), item)
    default:
      return withBlock(textItem(readText(text, 'agent'), link), item)
  }
}

const withBlock = (markup: Markup, { block }: Item): Markup =>
  block === null ? markup : html`${markup}<pre><code dir="auto">${block}</code></pre>`

/** `Label: words` with the label set apart. */
function memoryItem(text: string): Markup {
  const [, label, rest] = /^([A-Z][a-z ]{2,30}): (.*)$/s.exec(text) ?? []
  if (label === undefined || rest === undefined) return plainItem(unescapeLineAlone(text))
  return html`<b>${label}</b> <span class="say" dir="auto">${inline(unescapeText(rest))}</span>`
}

const plainItem = (text: string): Markup => html`<span class="say" dir="auto">${inline(text)}</span>`

/** A line that is no item: a label, a note on the section, or what somebody wrote by hand. */
function lineMarkup(id: SectionId | null, text: string): Markup {
  if (id === 'progress' && text.endsWith(':'))
    return html`<h4 dir="auto">${inline(unescapeText(text.slice(0, -1)))}</h4>\n`
  return html`<p class="note" dir="auto">${inline(unescapeLine(text))}</p>\n`
}

/** The sentences for agents that stand in every brief. */
const isBoilerplate = (id: SectionId | null, text: string): boolean =>
  id === 'preamble' &&
  (unescapeLine(text) === templates.preamble.text.trim() || text.startsWith('The facts below were true '))
