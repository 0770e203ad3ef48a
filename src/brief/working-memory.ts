import type { Notes } from '../types.ts'
import { escapeText, exactLines, fenced, oneLine, unescapeText } from './safe-text.ts'
import type { ScannedSection } from './scan.ts'

/** Exactly this stands where the notes would; machines look for it. */
export const PLACEHOLDER = '[gap-fill not provided]'
const HOW_TO_ADD =
  'The departing agent left no working memory. It is recorded with `npx git-handoff note` before the session ends.'
export const NOT_VERIFIED = 'Written by the agent, not verified.'

/** The four slots as labelled lines; other markdown stays as it was, inside a fence. */
export function renderMemory(notes: Notes | null, age: string | null): string[] {
  if (notes === null) return [PLACEHOLDER, '', HOW_TO_ADD]
  const items = [
    ...slot('Current line of attack', notes.currentLineOfAttack),
    ...slot('Active hypothesis', notes.activeHypothesis),
    ...notes.abandonedApproaches.flatMap((text) => slot('Abandoned', text)),
    ...notes.openQuestions.flatMap((text) => slot('Open question', text)),
  ]
  if (items.length === 0 && notes.other === null) return [PLACEHOLDER, '', HOW_TO_ADD]
  const other = notes.other === null ? [] : ['', ...fenced(exactLines(notes.other), 'markdown')]
  return [
    age === null ? NOT_VERIFIED : `${NOT_VERIFIED} Recorded ${age} before this brief.`,
    '',
    ...items,
    ...other,
  ]
}

/** The notes read back: the four slots and the other markdown; null for the placeholder. */
export function readMemory(section: ScannedSection, capturedAt: string | null): Notes | null {
  const all = (name: string): string[] =>
    section.items.flatMap(({ text }) =>
      text.startsWith(`${name}: `) ? [unescapeText(text.slice(name.length + 2))] : [],
    )
  const other = section.blocks.at(-1)?.text ?? null
  if (section.items.length === 0 && other === null) return null
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
    decisions: [],
    blockers: [],
    nextSteps: [],
    information: [],
    files: [],
    other,
  }
}

/** The age told in the section's first line, or null. */
export function readMemoryAge(section: ScannedSection): string | null {
  for (const { text } of section.lines) {
    const age = /^Written by the agent, not verified\. Recorded (.+) before this brief\.$/.exec(text)?.[1]
    if (age !== undefined) return age
  }
  return null
}

const slot = (name: string, text: string | null): string[] =>
  text === null || oneLine(text) === '' ? [] : [`- ${name}: ${escapeText(text)}`]
