import type { RecordedDecision } from '../types/evidence.ts'
import type { PlanItem } from '../types/session.ts'
import { type ScannedSection, scanBody } from './sections.ts'

/** Options that were not taken, at most: as many as the longest of the usual templates asks for. */
const MAX_ALTERNATIVES = 4
/** A reason longer than this is a chapter, not a reason; it is left out whole, for a cut could split a secret. */
const LONGEST_WHY = 400

/** A brief gives all decisions together 1,500 tokens; a longer title would take half of one's share. */
const LONGEST_TITLE = 200
/** Lines of a section are taken up to so many characters, whole ones only: a reason stands at the beginning. */
const LONGEST_SECTION = 4000

/**
 * An architecture decision record: Nygard's form (adr-tools) and MADR 2 to 4, status in a section, a list or the front
 * matter. Null for any other markdown, and for a template that nobody filled in.
 */
export function readDecisionRecord(text: string): RecordedDecision | null {
  const [, front = '', body = text] = /^---\r?\n([\s\S]*?\n)---\r?\n([\s\S]*)$/.exec(text) ?? []
  const parts = scanBody(body, 1)
  const top = parts.find((part) => part.level === 1)
  const title =
    top?.heading.replace(/^(?:ADR[- ]?)?\d+\s*[.:)—-]\s*|^ADR[- ]?\d*\s*[.:—-]\s*/i, '').trim() ?? ''
  const outcome = named(parts, /^decision(?: outcome)?$/i)
  const status = statusOf(front, top, named(parts, /^status$/i))
  if (
    title === '' ||
    title.length > LONGEST_TITLE ||
    /^[{[<]/.test(title) ||
    (outcome === undefined && status.word === null)
  )
    return null
  const decided = prose(outcome)
  const chosen =
    /\bchosen option:?\s*["“*`']*(.+?)["”*`']*\s*(?:,\s*because\b|,\s*since\b|\.(?:\s|$)|$)/im.exec(
      decided,
    )?.[1]
  return {
    title,
    status: status.word,
    supersededBy: status.by,
    chosen: chosen === undefined || holds(title, chosen) ? null : chosen,
    why: why(decided, prose(named(parts, /^context\b/i))),
    alternatives: listed(
      named(parts, /^(?:considered options|options(?: considered)?|alternatives(?: considered)?)$/i),
    )
      .filter((option) => !holds(option, chosen ?? title))
      .slice(0, MAX_ALTERNATIVES),
  }
}

const named = (parts: readonly ScannedSection[], heading: RegExp): ScannedSection | undefined =>
  parts.find((part) => part.level === 2 && heading.test(part.heading))

/** The lines of a section outside fences, up to its first heading of a lower level. */
function plainLines(part: ScannedSection | undefined): string[] {
  const lines: string[] = []
  let room = LONGEST_SECTION
  for (const { text, fenced } of part?.lines ?? []) {
    if (fenced) continue
    room -= text.length
    if (room < 0) break
    lines.push(text)
  }
  const end = lines.findIndex((line) => /^#{3,6} /.test(line))
  return end === -1 ? lines : lines.slice(0, end)
}

/** A section as text: a line for each paragraph and list item, comments and links taken off. */
const prose = (part: ScannedSection | undefined): string =>
  plainLines(part)
    .join('\n')
    .replace(/<!--[\s\S]*?-->/g, '')
    .split(/\n\s*\n|\n(?=\s*[-*+] )/)
    .map((block) => plain(block.replace(/^\s*[-*+>]\s+/, '')))
    .filter((block) => block !== '')
    .join('\n')

const listed = (part: ScannedSection | undefined): string[] =>
  plainLines(part).flatMap((line) => plain(/^[-*+]\s+(.+)$/.exec(line)?.[1] ?? '') || [])

const plain = (text: string): string =>
  text
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()

const STATUSES = ['superseded', 'deprecated', 'rejected', 'proposed', 'accepted'] as const

function statusOf(
  front: string,
  top: ScannedSection | undefined,
  section: ScannedSection | undefined,
): { word: RecordedDecision['status']; by: string | null } {
  const inList = plainLines(top).map((line) => /^[\s*_-]*status[\s*_]*:[\s*_]*(.+)$/i.exec(line)?.[1] ?? '')
  const inFront = /^status:\s*["']?(.+?)["']?\s*$/im.exec(front)?.[1] ?? ''
  const all = plain([inFront, ...inList, ...plainLines(section)].join('\n'))
  const said = all.toLowerCase()
  // adr-tools leaves "Accepted" standing above "Superseded by …": the later state counts.
  const word = STATUSES.find((status) => new RegExp(`\\b${status}\\b`).test(said))
  const by =
    word === 'superseded'
      ? /superseded by:?\s+(.+?)(?:[.;]?$|\s(?=accepted|superse))/i.exec(all)?.[1]
      : undefined
  return { word: word ?? (/\bdraft\b/.test(said) ? 'proposed' : null), by: by ?? null }
}

/** The clause after "because" of what was decided, else the first sentence of the context. */
function why(decided: string, context: string): string | null {
  const clause = /\bbecause\b:?\s+(.+)/i.exec(decided)?.[1]
  const text = firstSentence(clause ?? context)
  return text === '' || text.length > LONGEST_WHY || /^[{[<]/.test(text) ? null : text
}

const firstSentence = (text: string): string =>
  /^.*?[.!?](?=\s|$)|^.*$/m.exec(text)?.[0].replace(/\.$/, '') ?? ''

const holds = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase())

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
 * progress") and what they wait for ("blocked by …"). In a list of tasks without a single box every bullet is open.
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
