import type { Notes } from '../types.ts'
import { escapeMarkdown } from './quote.ts'
import { codeSpan, escapeText, oneLine, readCodeSpan, unescapeText } from './safe-text.ts'
import type { ScannedSection } from './scan.ts'

/** Exactly this stands where the notes would; machines look for it. */
export const PLACEHOLDER = '[gap-fill not provided]'
const NOT_VERIFIED = 'Written by the agent, not verified.'

type ListSlot = 'abandonedApproaches' | 'openQuestions' | 'blockers' | 'nextSteps' | 'information' | 'progress'

/** The label of each slot, in the order of a brief. */
const TEXTS = [
  ['Current line of attack', 'currentLineOfAttack'],
  ['Active hypothesis', 'activeHypothesis'],
] as const
const LISTS: readonly (readonly [string, ListSlot])[] = [
  ['Progress', 'progress'],
  ['Context', 'information'],
  ['Abandoned', 'abandonedApproaches'],
  ['Blocker', 'blockers'],
  ['Open question', 'openQuestions'],
  ['Next step', 'nextSteps'],
]
const LABELS = new RegExp(
  `^- (?:${[...TEXTS, ...LISTS].map(([label]) => label).join('|')}|Decision|File): `,
)

/** The notes whole: slots as labelled lines, markdown under its own headings. */
export function renderMemory(notes: Notes | null, age: string | null): string[] {
  if (notes === null) return [PLACEHOLDER]
  const line = (label: string, text: string | null): string[] =>
    text === null || oneLine(text) === '' ? [] : [`- ${label}: ${escapeText(text)}`]
  const items = [
    ...TEXTS.flatMap(([label, key]) => line(label, notes[key])),
    ...notes.decisions.flatMap(({ what, why, alternatives }) =>
      line(
        'Decision',
        [what, ...(why === null ? [] : [`why: ${why}`]), ...alternatives.map((other) => `instead of: ${other}`)].join(
          '; ',
        ),
      ),
    ),
    ...LISTS.flatMap(([label, key]) => (notes[key] ?? []).flatMap((text) => line(label, text))),
    ...notes.files.map(
      ({ path, reason }) => `- File: ${codeSpan(path)}${reason === '' ? '' : ` — ${escapeText(reason)}`}`,
    ),
  ]
  if (items.length === 0 && notes.other === null) return [PLACEHOLDER]
  return [
    age === null ? NOT_VERIFIED : `${NOT_VERIFIED} Recorded ${age} before this brief.`,
    ...(items.length === 0 ? [] : ['', ...items]),
    ...(notes.other === null ? [] : ['', ...escapeMarkdown(notes.other)]),
  ]
}

/** The notes read back; null for the placeholder. */
export function readMemory(section: ScannedSection, capturedAt: string | null): Notes | null {
  const lines = section.lines.map(({ text }) => text)
  const start = lines.findIndex((text) => text.startsWith(NOT_VERIFIED))
  if (start === -1 && lines.some((text) => text.trim() === PLACEHOLDER)) return null
  const body = lines.slice(start + 1)
  const end = body.findIndex((text) => text.trim() !== '' && !LABELS.test(text))
  const slots = end === -1 ? body : body.slice(0, end)
  const other = end === -1 ? '' : body.slice(end).join('\n').trim()
  const all = (label: string): string[] =>
    slots.flatMap((text) => {
      const lead = `- ${label}: `
      return text.startsWith(lead) ? [unescapeText(text.slice(lead.length))] : []
    })
  if (other === '' && slots.every((text) => text.trim() === '')) return null
  const progress = all('Progress')
  return {
    schemaVersion: 1,
    capturedAt: capturedAt ?? '',
    capturedBySessionId: null,
    branch: null,
    head: null,
    currentLineOfAttack: all('Current line of attack')[0] ?? null,
    activeHypothesis: all('Active hypothesis')[0] ?? null,
    abandonedApproaches: all('Abandoned'),
    openQuestions: all('Open question'),
    decisions: all('Decision').map(readDecision),
    blockers: all('Blocker'),
    nextSteps: all('Next step'),
    information: all('Context'),
    files: all('File').map(readFile),
    ...(progress.length === 0 ? {} : { progress }),
    other: other === '' ? null : other,
  }
}

function readDecision(text: string): Notes['decisions'][number] {
  const [what = '', ...rest] = text.split(/; (?=why: |instead of: )/)
  const part = (lead: string): string[] =>
    rest.filter((one) => one.startsWith(lead)).map((one) => one.slice(lead.length))
  return { what, why: part('why: ')[0] ?? null, alternatives: part('instead of: ') }
}

function readFile(text: string): Notes['files'][number] {
  const span = readCodeSpan(text)
  return span === null
    ? { path: text, reason: '' }
    : { path: span.code, reason: span.rest.replace(/^ — /, '') }
}

/** The age told in the section's first line, or null. */
export function readMemoryAge(section: ScannedSection): string | null {
  for (const { text } of section.lines) {
    const age = /^Written by the agent, not verified\. Recorded (.+) before this brief\.$/.exec(text)?.[1]
    if (age !== undefined) return age
  }
  return null
}
