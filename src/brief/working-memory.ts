import {
  codeSpan,
  escapeLine,
  escapeText,
  oneLine,
  readCodeSpan,
  unescapeStart,
  unescapeText,
} from '../text/safe-text.ts'
import type { Notes } from '../types/brief.ts'
import { marksIn } from './claims.ts'
import { escapeMarkdown, wrap } from './quote.ts'
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
/** A slot that is longer goes on below. */
const SLOT_LINE = 900

const TEXTS = [
  ['Current line of attack', 'currentLineOfAttack'],
  ['Active hypothesis', 'activeHypothesis'],
] as const
const LISTS = [
  ['Progress', 'progress'],
  ['Context', 'information'],
  ['Abandoned', 'abandonedApproaches'],
  ['Blocker', 'blockers'],
  ['Open question', 'openQuestions'],
  ['Next step', 'nextSteps'],
] as const
const LABELS = new RegExp(`^- (?:${[...TEXTS, ...LISTS].map(([label]) => label).join('|')}|Decision|File): `)

/** The notes whole: slots as labelled lines, markdown under its own headings. */
export function renderMemory(notes: Notes | null, age: string | null, isChecked = false): string[] {
  if (notes === null) return [PLACEHOLDER]
  const line = (label: string, text: string | null): string[] =>
    text === null || oneLine(text) === '' ? [] : slotLines(`- ${label}: `, text)
  const items = [
    ...TEXTS.flatMap(([label, key]) => line(label, notes[key])),
    ...notes.decisions.flatMap(({ what, why, alternatives }) =>
      line(
        'Decision',
        [
          what,
          ...(why === null ? [] : [`why: ${why}`]),
          ...alternatives.map((other) => `instead of: ${other}`),
        ].join('; '),
      ),
    ),
    ...LISTS.flatMap(([label, key]) => (notes[key] ?? []).flatMap((text) => line(label, text))),
    ...notes.files.flatMap(({ path, reason }) => {
      const lead = `- File: ${codeSpan(path)}`
      return oneLine(reason) === '' ? [lead] : slotLines(`${lead} — `, reason)
    }),
  ]
  // In the agent's own list nothing is a slot.
  const text = (notes.other ?? '').trim().replace(LABELS, (lead) => `*${lead.slice(1)}`)
  const other = text === '' ? [] : escapeMarkdown(text)
  if (items.length + other.length === 0) return [PLACEHOLDER]
  const isMarked = [...items, ...other].some((text) => marksIn(text) > 0)
  return [
    `${!isChecked ? NOT_VERIFIED : isMarked ? MARKED : VERIFIED}${age === null ? '' : ` Recorded ${age} before this brief.`}`,
    ...(items.length === 0 ? [] : ['', ...items]),
    ...(other.length === 0 ? [] : ['', ...other]),
  ]
}

function slotLines(lead: string, text: string): string[] {
  const [first = '', ...more] = wrap(oneLine(text), SLOT_LINE)
  return [`${lead}${escapeText(first)}`, ...more.map((piece) => `  ${escapeLine(piece)}`)]
}

export function readMemory(section: ScannedSection, capturedAt: string | null): Notes | null {
  const written = section.lines
    .map(({ text }) => text)
    .join('\n')
    .trimEnd()
  const lines = (written.endsWith(`\n${MEMORY_CUT}`) ? written.slice(0, -MEMORY_CUT.length) : written).split(
    '\n',
  )
  const start = lines.findIndex(isMemoryLead)
  if (start === -1 && lines.some((text) => text.trim() === PLACEHOLDER)) return null
  const body = lines.slice(start + 1)
  const slots: string[] = []
  let at = 0
  for (; at < body.length; at++) {
    const line = body[at] ?? ''
    if (LABELS.test(line)) slots.push(line)
    else if (line.startsWith('  ') && slots.length > 0)
      slots.push(`${slots.pop()} ${unescapeStart(line.slice(2))}`)
    else if (line.trim() !== '') break
  }
  const other = body.slice(at).join('\n').trim()
  const all = (label: string): string[] =>
    slots.flatMap((text) => {
      const lead = `- ${label}: `
      return text.startsWith(lead) ? [text.slice(lead.length)] : []
    })
  const texts = (label: string): string[] => all(label).map(unescapeText)
  if (other === '' && slots.length === 0) return null
  const progress = texts('Progress')
  return {
    schemaVersion: 1,
    capturedAt: capturedAt ?? '',
    capturedBySessionId: null,
    branch: null,
    head: null,
    currentLineOfAttack: texts('Current line of attack')[0] ?? null,
    activeHypothesis: texts('Active hypothesis')[0] ?? null,
    abandonedApproaches: texts('Abandoned'),
    openQuestions: texts('Open question'),
    decisions: texts('Decision').map(readDecision),
    blockers: texts('Blocker'),
    nextSteps: texts('Next step'),
    information: texts('Context'),
    files: all('File').map(readFile),
    ...(progress.length === 0 ? {} : { progress }),
    other: other === '' ? null : other,
  }
}

function readDecision(text: string): Notes['decisions'][number] {
  const [, what = '', why = null, others] =
    /^(.*?)(?:; why: (.*?))?(?:; instead of: (.*))?$/s.exec(text) ?? []
  return { what, why, alternatives: others?.split('; instead of: ') ?? [] }
}

function readFile(text: string): Notes['files'][number] {
  const span = readCodeSpan(text)
  return span === null
    ? { path: unescapeText(text), reason: '' }
    : { path: span.code, reason: unescapeText(span.rest.replace(/^ — /, '')) }
}

export function readMemoryAge(section: ScannedSection): string | null {
  const lead = section.lines.find(({ text }) => isMemoryLead(text))?.text ?? ''
  return / Recorded (.+) before this brief\.$/.exec(lead)?.[1] ?? null
}

export const readMemoryChecked = (section: ScannedSection): boolean =>
  section.lines.some(({ text }) => text.startsWith(VERIFIED) || text.startsWith(MARKED))
