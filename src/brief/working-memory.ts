import { escapeMarkdown, escapeText, unescapeText } from '../text/safe-text.ts'
import type { Notes } from '../types/brief.ts'
import { marksIn } from './claims.ts'
import { isByPerson } from './notes.ts'
import type { ScannedSection } from './sections.ts'

/** Exactly this stands where the notes would; machines look for it. */
export const PLACEHOLDER = '[gap-fill not provided]'
/** Our own first line of the section: who wrote the page, whether it was checked, and how old it was. */
const LEAD =
  /^(?:Written by (?:the agent(?: as (?<document>.+?))?|the model (?<model>.+?))|Noted by (?<person>.+?))(?<checked>, not verified\.|, checked by the tool\.|\. Marks in brackets come from the tool\.|\. The marks \(not seen\) and \(handoff: …\) are the tool['’]s\.|\.)(?: Recorded (?<age>.+) before this brief\.)?$/
export const isMemoryLead = (line: string): boolean => LEAD.test(line)
/** The line below notes that were too long. */
export const MEMORY_CUT = '(shortened to fit; the rest was left out)'

/** The page, whole and under its own headings. */
export function renderMemory(notes: Notes | null, age: string | null, isChecked = false): string[] {
  if (notes === null || notes.page.trim() === '') return [PLACEHOLDER]
  const page = escapeMarkdown(notes.page)
  const isMarked = isChecked && page.some((line) => marksIn(line) > 0)
  const checked = isMarked
    ? ". The marks (not seen) and (handoff: …) are the tool's."
    : isByPerson(notes)
      ? '.'
      : isChecked
        ? ', checked by the tool.'
        : ', not verified.'
  return [
    `${authorOf(notes)}${checked}${age === null ? '' : ` Recorded ${age} before this brief.`}`,
    '',
    ...page,
  ]
}

function authorOf({ by }: Notes): string {
  if (by === undefined) return 'Written by the agent'
  if ('person' in by) return `Noted by ${escapeText(by.person)}`
  return 'model' in by
    ? `Written by the model ${escapeText(by.model)}`
    : `Written by the agent as ${escapeText(by.document)}`
}

/** As `authorOf` wrote it. */
function readAuthor(lead: string): Pick<Notes, 'by'> {
  const { person, model, document } = LEAD.exec(lead)?.groups ?? {}
  if (person !== undefined) return { by: { person: unescapeText(person) } }
  if (model !== undefined) return { by: { model: unescapeText(model) } }
  return document === undefined ? {} : { by: { document: unescapeText(document) } }
}

export function readMemory(section: ScannedSection, capturedAt: string | null): Notes | null {
  const lines = section.lines.map(({ text }) => text)
  const start = lines.findIndex(isMemoryLead)
  if (start === -1 && lines.some((text) => text.trim() === PLACEHOLDER)) return null
  const written = lines
    .slice(start + 1)
    .join('\n')
    .trim()
  const page = written.endsWith(`\n${MEMORY_CUT}`) ? written.slice(0, -MEMORY_CUT.length).trimEnd() : written
  return page === ''
    ? null
    : {
        schemaVersion: 1,
        capturedAt: capturedAt ?? '',
        capturedBySessionId: null,
        branch: null,
        head: null,
        page,
        ...readAuthor(lines[start] ?? ''),
      }
}

const leadOf = ({ lines }: ScannedSection): Record<string, string | undefined> =>
  LEAD.exec(lines.find(({ text }) => isMemoryLead(text))?.text ?? '')?.groups ?? {}

export const readMemoryAge = (section: ScannedSection): string | null => leadOf(section).age ?? null

/** A person's page without marks does not say whether it was checked; it was, since every page is. */
export const readMemoryChecked = (section: ScannedSection): boolean => {
  const { checked } = leadOf(section)
  return checked !== undefined && checked !== ', not verified.'
}
