import type { PlanItem } from '../types/session.ts'
import { scanBody } from './scan.ts'

const BOX = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX~/>-])\]\s+(\S.*)$/
const BULLET = /^[-*+]\s+(\S.*)$/
const WAITS = /[\s,;—–-]*[([]?\bblocked[ -]by:?\s+([^()[\]]+?)[)\]]?\s*$/i
const STARTED = /[\s,;—–-]*[([]\s*(?:in progress|wip|doing)\s*[)\]]\s*/i
const LIST_FILE = /(?:^|\/)todo\.[a-z]+$/i
/** A longer line is a chapter, no item; the patterns above would take long over it. */
const LONGEST = 500
const STATUS: Readonly<Record<string, PlanItem['status']>> = {
  ' ': 'pending',
  x: 'done',
  X: 'done',
  '~': 'in_progress',
  '/': 'in_progress',
  '>': 'in_progress',
  '-': 'cancelled',
}

/**
 * The work items of a plan file: task lists with their state (`[ ]`, `[x]`, `[~]`, `[-]`, "(in progress)", a heading "In
 * progress") and what they wait for ("blocked by …"). In a `TODO.md` without a single box every bullet is open.
 */
export function readPlanFile(path: string, text: string): PlanItem[] {
  const items: PlanItem[] = []
  const bullets: PlanItem[] = []
  const isList = LIST_FILE.test(path)
  for (const section of scanBody(text, 1)) {
    let heading = section.heading
    for (const line of section.lines) {
      if (line.fenced || line.text.length > LONGEST) continue
      heading = /^#{3,6}\s+(.*)$/.exec(line.text)?.[1] ?? heading
      const box = BOX.exec(line.text)
      const bullet = isList ? BULLET.exec(line.text)?.[1] : undefined
      if (box !== null) items.push(itemOf(box[2] ?? '', STATUS[box[1] ?? ' '] ?? 'pending', heading, path))
      else if (bullet !== undefined) bullets.push(itemOf(bullet, 'pending', heading, path))
    }
  }
  return items.length > 0 ? items : bullets
}

/** Whether a file may hold work items; most do not, and need not be gone through. */
export const mayHoldItems = (path: string, text: string): boolean =>
  LIST_FILE.test(path) || /\[[ xX~/>-]\] /.test(text)

function itemOf(words: string, box: PlanItem['status'], heading: string, path: string): PlanItem {
  const isStarted = STARTED.test(words) || /^(?:in progress|doing|wip)\b/i.test(heading)
  const rest = words.replace(STARTED, ' ').trim()
  const waits = WAITS.exec(rest)
  const blockedBy = (waits?.[1] ?? '')
    .split(/,|\band\b/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return {
    text: (waits === null ? rest : rest.slice(0, waits.index)).trim(),
    status: box === 'pending' && isStarted ? 'in_progress' : box,
    ...(blockedBy.length === 0 ? {} : { blockedBy }),
    path,
  }
}
