import type { ParsedBrief } from '../brief/parse.ts'
import { isMemoryLead, PLACEHOLDER } from '../brief/working-memory.ts'
import { unescapeAlone } from '../text/safe-text.ts'

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

/** What the working memory says, item by item: slots by their label, markdown by its headings; code is left out. */
export function memoryItems({ sections }: ParsedBrief): MemoryItem[] {
  const items: MemoryItem[] = []
  let heading: string | null = null
  let open: MemoryItem | null = null
  for (const { text: line, fenced } of sections.find(({ id }) => id === 'memory')?.lines ?? []) {
    const name = fenced ? undefined : /^#{1,6}\s+(.*)$/.exec(line)?.[1]
    if (name !== undefined) heading = unescapeAlone(name.replace(/[\s:#]+$/, ''))
    if (fenced || name !== undefined || line.trim() === '' || line === PLACEHOLDER || isMemoryLead(line)) {
      open = null
      continue
    }
    const [, mark, words = ''] = /^\s*([-*+]\s+|\d{1,3}[.)]\s+)?(.*)$/.exec(line) ?? []
    const [, label, rest = words] = (heading === null && /^([A-Z][a-z ]{2,30}): (.*)$/.exec(words)) || []
    const text = unescapeAlone(rest.trim())
    if (open !== null && mark === undefined) open.text += ` ${text}`
    else {
      open = { heading: heading ?? label ?? 'Notes', text }
      items.push(open)
    }
  }
  return items
}
