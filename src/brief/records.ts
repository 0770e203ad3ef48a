import type { RecordedDecision } from '../types/evidence.ts'
import type { PlanItem } from '../types/session.ts'
import { type ScannedSection, scanBody } from './sections.ts'

/** Options that were not taken, at most: as many as the longest of the usual templates asks for. */
const MAX_ALTERNATIVES = 4
/** UTF-16 units; a longer reason or title is left out whole, for a cut could split a secret. */
const LONGEST = { why: 400, title: 200, section: 4000, item: 500 } as const
const STATUSES = ['superseded', 'deprecated', 'rejected', 'proposed', 'accepted'] as const
/** A template that nobody filled in. */
const TEMPLATE = /^[{[<]/

/**
 * An architecture decision record in the form of Nygard (adr-tools) or MADR, its status in a section, a list or the front
 * matter. Null for any other markdown, and for a template that nobody filled in.
 */
export function readDecisionRecord(text: string): RecordedDecision | null {
  const [, front = '', body = text] = /^---\r?\n([\s\S]*?\n)---\r?\n([\s\S]*)$/.exec(text) ?? []
  const parts = scanBody(body, 1)
  const linesOf = (heading: RegExp): string[] =>
    plainLines(parts.find((part) => part.level === 2 && heading.test(part.heading)))
  const top = parts.find(({ level }) => level === 1)
  const title = top?.heading.replace(/^(?:ADR[- ]?)?\d+\s*[.:)—-]\s*/i, '').trim() ?? ''
  const outcome = linesOf(/^decision(?: outcome)?$/i)
  const states = [front, ...plainLines(top)].join('\n').match(/^[\s*_-]*status[\s*_]*:.*$/gim) ?? []
  const said = [...states, ...linesOf(/^status$/i)].join('\n')
  // adr-tools leaves "Accepted" above "Superseded by …": the later state counts.
  const status = STATUSES.find((word) => said.toLowerCase().includes(word)) ?? null
  const isRecord = status !== null || outcome.length > 0
  if (!isRecord || title === '' || title.length > LONGEST.title || TEMPLATE.test(title)) return null
  // An item of a list ends what stands before it.
  const decided = outcome.map((line) => (/^[-*+] /.test(line) ? `\n${line}` : ` ${line}`)).join('')
  const chosen = /\bchosen option:?\s*["“*`']*([^"”*`',.]+)/i.exec(decided)?.[1]?.trim()
  const why = /^.*?[.!?](?=\s|$)|^.*$/
    .exec(/\bbecause\b:?\s+(?:[-*+]\s+)?(.+)/i.exec(decided)?.[1] ?? linesOf(/^context\b/i).join(' '))?.[0]
    .replace(/\.$/, '')
  return {
    title,
    status,
    supersededBy: /superseded by:?\s+(.+)/i.exec(said)?.[1] ?? null,
    chosen: chosen === undefined || holds(title, chosen) ? null : chosen,
    why: why === undefined || why === '' || why.length > LONGEST.why || TEMPLATE.test(why) ? null : why,
    alternatives: linesOf(/^(?:considered )?(?:options|alternatives)(?: considered)?$/i)
      .flatMap((line) => /^[-*+]\s+(.+)$/.exec(line)?.[1] ?? [])
      .filter((option) => !holds(option, chosen ?? title))
      .slice(0, MAX_ALTERNATIVES),
  }
}

const holds = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase())

/** The lines of a section outside fences up to its first lower heading, links taken off; whole lines, since a reason stands at the beginning. */
function plainLines(part: ScannedSection | undefined): string[] {
  const lines: string[] = []
  let room: number = LONGEST.section
  for (const { text, fenced } of part?.lines ?? []) {
    room -= text.length
    if (room < 0 || (!fenced && /^#{3,6} /.test(text))) break
    const line = text.replace(/\[([^\]]+)\]\([^)]*\)|<!--.*?-->/g, '$1').trim()
    if (!fenced && line !== '') lines.push(line)
  }
  return lines
}

const BOX = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX~/>-])\]\s+(\S.*)$/
const BULLET = /^[-*+]\s+(\S.*)$/
const LIST_FILE = /(?:^|\/)todo\.[a-z]+$/i
const STATES: Readonly<Record<string, PlanItem['status']>> = {
  ...{ ' ': 'pending', x: 'done', X: 'done', '-': 'cancelled' },
  ...{ '~': 'in_progress', '/': 'in_progress', '>': 'in_progress' },
}

/** The work items of a plan file: task lists with their state. In a TODO file without a single box every bullet is open. */
export function readPlanFile(path: string, text: string): PlanItem[] {
  const lines = scanBody(text, 1)
    .flatMap((section) => section.lines)
    // A longer line is a chapter, no item.
    .flatMap((line) => (line.fenced || line.text.length > LONGEST.item ? [] : [line.text]))
  const items = lines.flatMap((line) => {
    const [, box, words] = BOX.exec(line) ?? []
    return words === undefined ? [] : [{ text: words.trim(), status: STATES[box ?? ' '] ?? 'pending', path }]
  })
  if (items.length > 0 || !LIST_FILE.test(path)) return items
  return lines.flatMap((line) => {
    const words = BULLET.exec(line)?.[1]
    return words === undefined ? [] : [{ text: words.trim(), status: 'pending' as const, path }]
  })
}

/** Whether a file may hold work items; most do not, and need not be gone through. */
export const mayHoldItems = (path: string, text: string): boolean =>
  LIST_FILE.test(path) || /\[[ xX~/>-]\] /.test(text)
