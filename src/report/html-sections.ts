import { readCommand, readDecision, readFile, readQuestion, readQuote, readText } from '../brief/items.ts'
import type { ParsedBrief } from '../brief/parse.ts'
import { isTrailLead } from '../brief/render.ts'
import type { ScannedSection, SectionId } from '../brief/sections.ts'
import { templates } from '../brief/template.ts'
import { unescapeLine } from '../text/safe-text.ts'
import {
  type BriefLink,
  commandItem,
  decisionItem,
  fileItem,
  questionItem,
  quoteItem,
  textItem,
} from './html-items.ts'
import { html, type Markup } from './html-markup.ts'
import { proseMarkup, type Show, said } from './html-prose.ts'

/** What stands elsewhere in the page: the goal and the link to the brief before in the head of the article. */
const ELSEWHERE: ReadonlySet<SectionId | null> = new Set(['goal', 'previous'])
/** What a reader wants first stands wide, the rest beside one another where there is room. */
const ASIDE: ReadonlySet<SectionId | null> = new Set(['status'])

/**
 * The body of a brief, section for section in the order of the file: our items as what they say, everything else as the markdown
 * that it is. `name` begins the ids of headings.
 */
export function sectionsMarkup(parsed: ParsedBrief, name: string, link: BriefLink): Markup {
  const shown = parsed.sections.filter(({ id }) => !ELSEWHERE.has(id))
  return html`${shown.map((section, i) => sectionMarkup(section, `${name}-${i}`, link))}`
}

function sectionMarkup(section: ScannedSection, name: string, link: BriefLink): Markup | false {
  const lines = section.lines.map(({ text }) => text).filter((text) => !isBoilerplate(section.id, text))
  if (lines.every((line) => line.trim() === '')) return false
  const kind = ASIDE.has(section.id) ? 'aside' : (section.id ?? 'other')
  const count = COUNTED.has(section.id) && section.items.length > 1 ? section.items.length : null
  return html`<section class="part ${kind}" aria-labelledby="${name}">
<h3 id="${name}"><span dir="auto">${section.heading === '' ? 'Before the first heading' : section.heading}</span>${count !== null && html` <span class="count">${count}</span>`}</h3>
${proseMarkup(lines, showOf(section.id, link))}</section>
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

function showOf(id: SectionId | null, link: BriefLink): Show {
  const text: Show = (line) => textItem(readText(line, 'user'), link)
  switch (id) {
    case 'constraints':
      return (line) => quoteItem(readQuote(line), link)
    case 'decisions':
      return (line) => decisionItem(readDecision(line), link)
    case 'questions':
      return (line) => questionItem(readQuestion(line), link)
    case 'files':
      return (line, code) => {
        const file = readFile(line)
        return file === null ? text(line, code) : fileItem(file, link)
      }
    case 'commands':
      return (line, code) => {
        const command = readCommand({ text: line, block: code })
        return command === null ? text(line, code) : commandItem(command, link, code !== null)
      }
    case 'memory':
      return memoryItem
    case 'status':
    case 'closing':
    case 'trail':
      return said
    default:
      return text
  }
}

/** `Label: words` with the label set apart. */
const memoryItem: Show = (text, code) => {
  const [, label, rest = ''] = /^([A-Z][a-z ]{2,30}): (.*)$/s.exec(text) ?? []
  return label === undefined ? said(text, code) : html`<b>${label}</b> ${said(rest, code)}`
}

/** The sentences for agents that stand in every brief. */
const isBoilerplate = (id: SectionId | null, text: string): boolean =>
  isTrailLead(text) ||
  (id === 'preamble' &&
    (unescapeLine(text) === templates.preamble.text.trim() || text.startsWith('The facts below were true ')))
