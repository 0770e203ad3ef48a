import type { Notes } from '../types/brief.ts'
import { marksIn } from './claims.ts'
import { escapeMarkdown } from './quote.ts'
import type { ScannedSection } from './sections.ts'

/** Exactly this stands where the notes would; machines look for it. */
export const PLACEHOLDER = '[gap-fill not provided]'
const NOT_VERIFIED = 'Written by the agent, not verified.'
const VERIFIED = 'Written by the agent, checked by the tool.'
const MARKED = 'Written by the agent. Marks in brackets come from the tool.'
/** Whether a line is our own first one of the section. */
export const isMemoryLead = (line: string): boolean =>
  [NOT_VERIFIED, VERIFIED, MARKED].some((lead) => line.startsWith(lead))
/** The line below notes that were too long. */
export const MEMORY_CUT = '(shortened to fit; the rest was left out)'

/** The agent's page, whole and under its own headings. */
export function renderMemory(notes: Notes | null, age: string | null, isChecked = false): string[] {
  if (notes === null || notes.page.trim() === '') return [PLACEHOLDER]
  const page = escapeMarkdown(notes.page)
  const isMarked = page.some((line) => marksIn(line) > 0)
  return [
    `${!isChecked ? NOT_VERIFIED : isMarked ? MARKED : VERIFIED}${age === null ? '' : ` Recorded ${age} before this brief.`}`,
    '',
    ...page,
  ]
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
      }
}

export function readMemoryAge(section: ScannedSection): string | null {
  const lead = section.lines.find(({ text }) => isMemoryLead(text))?.text ?? ''
  return / Recorded (.+) before this brief\.$/.exec(lead)?.[1] ?? null
}

export const readMemoryChecked = (section: ScannedSection): boolean =>
  section.lines.some(({ text }) => text.startsWith(VERIFIED) || text.startsWith(MARKED))
