import { unescapeAlone } from '../brief/safe-text.ts'
import type { Notes } from '../types.ts'

/** One thing that the departing agent wrote, and the heading it stands under. */
export interface MemoryItem {
  heading: string
  text: string
}

export type MemoryKind = 'decided' | 'dropped' | 'open' | 'next' | 'constraint' | 'fails' | 'unproven'

/** The first that fits says what stands under a heading, whatever words an agent chose for it. */
const KINDS: readonly (readonly [MemoryKind, RegExp])[] = [
  ['unproven', /not (?:proven|verified|tested)|unproven|untested/i],
  ['dropped', /tried|attempt|dropped|abandoned|dead end|rejected/i],
  ['decided', /decision|decided|chosen/i],
  ['constraint', /constraint|preference/i],
  ['fails', /fail/i],
  ['next', /next/i],
  ['open', /question|blocker/i],
]

/** What stands under a heading; null for all that only tells where the work is. */
export const kindOf = ({ heading }: MemoryItem): MemoryKind | null =>
  KINDS.find(([, pattern]) => pattern.test(heading))?.[0] ?? null

/** The notes item by item: the slots by name, then the markdown by its headings. */
export function memoryItems(notes: Notes | null): MemoryItem[] {
  if (notes === null) return []
  const decisions = notes.decisions.map(({ what, why, alternatives }) =>
    [what, ...(why === null ? [] : [why]), ...alternatives.map((other) => `instead of: ${other}`)].join(' — '),
  )
  const slots: readonly (readonly [string, readonly (string | null)[]])[] = [
    ['Line of attack', [notes.currentLineOfAttack]],
    ['Hypothesis', [notes.activeHypothesis]],
    ['Decisions', decisions],
    ['Abandoned', notes.abandonedApproaches],
    ['Blockers', notes.blockers],
    ['Open questions', notes.openQuestions],
    ['Next steps', notes.nextSteps],
  ]
  return [
    ...slots.flatMap(([heading, texts]) => texts.flatMap((text) => (text === null ? [] : [{ heading, text }]))),
    ...markdownItems(notes.other ?? ''),
  ]
}

/** List items and paragraphs; code is left out. */
function markdownItems(markdown: string): MemoryItem[] {
  const items: MemoryItem[] = []
  let heading = 'Notes'
  let open: MemoryItem | null = null
  let isFenced = false
  for (const line of markdown.split('\n')) {
    const isFence = /^\s*(?:`{3}|~{3})/.test(line)
    if (isFence) isFenced = !isFenced
    const name = /^#{1,6}\s+(.*)$/.exec(line)?.[1]
    if (isFence || isFenced || name !== undefined || line.trim() === '') {
      if (name !== undefined && !isFenced) heading = unescapeAlone(name.replace(/[\s:#]+$/, ''))
      open = null
      continue
    }
    const [, mark, words = ''] = /^\s*([-*+]\s+|\d{1,3}[.)]\s+)?(.*)$/.exec(line) ?? []
    const text = unescapeAlone(words.trim())
    if (open !== null && mark === undefined) open.text += ` ${text}`
    else items.push((open = { heading, text }))
  }
  return items
}
