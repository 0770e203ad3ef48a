import type { ParsedBrief } from '../brief/parse.ts'
import { isPassing } from '../brief/render.ts'
import { escapeAlone, escapeText } from '../text/safe-text.ts'
import type { BriefState } from '../types/brief.ts'
import { endingsIn, sameText } from './compare.ts'
import { type ChangedFile, type Commit, namedFiles } from './receipt.ts'

/** The person's rules over all handoffs of a change. */
export interface Rules {
  /** Whole, as the last brief of each open line of work quotes them; where all is over, as they were at the end. */
  standing: string[]
  isOver: boolean
  /** What the person took back, with the words that say so. */
  takenBack: { text: string; quote: string }[]
  /** A later brief does not have it, and quotes nothing that ended it. */
  lost: string[]
  /** Files that a rule names and the commits of the change touched. */
  changed: ChangedFile[]
}

/** `commits`: those of the whole change, newest first. */
export function rulesOf(
  briefs: readonly { parsed: ParsedBrief; before: readonly ParsedBrief[] }[],
  states: ReadonlyMap<string, BriefState>,
  commits: readonly Commit[],
): Rules {
  const handoffs = briefs.map(({ parsed }) => parsed).filter(({ meta }) => meta.kind !== 'done')
  const followed = new Set(handoffs.flatMap(({ meta }) => meta.parents))
  const ends = handoffs.filter(({ meta }) => !followed.has(meta.id))
  const open = ends.filter(({ meta }) => states.get(meta.id) === 'open')
  const isOver = open.length === 0
  const last = isOver ? ends : open
  const standing = unique(rulesIn(last))
  const keys = new Set(standing.map(sameText))
  const isGone = ({ text }: { text: string }): boolean => !keys.has(sameText(text))
  const takenBack = handoffs
    .flatMap((parsed) => [...endingsIn(parsed).values()])
    .filter((ending) => ending.by === 'takes back' && isGone(ending))
    .map(({ text, quote }) => ({ text, quote }))
  for (const { text } of takenBack) keys.add(sameText(text))
  const lost = briefs
    .filter(({ parsed: { meta, brief } }) => meta.kind !== 'done' && brief.cuts.constraints === undefined)
    .flatMap(({ parsed, before }) => {
      const here = new Set(rulesIn([parsed]).map(sameText))
      return rulesIn(before).filter((text) => isGone({ text }) && !here.has(sameText(text)))
    })
  const gone = unique(lost)
  const all = [...standing, ...takenBack.map(({ text }) => text), ...gone]
  return { standing, isOver, takenBack, lost: gone, changed: namedFiles(all.join('\n'), commits) }
}

/** Without what may be a wish for one request. */
const rulesIn = (briefs: readonly ParsedBrief[]): string[] =>
  briefs.flatMap(({ brief }) => brief.constraints.flatMap((rule) => (isPassing(rule) ? [] : rule.text)))

/** Each text once. */
export const unique = (texts: readonly string[]): string[] => [
  ...new Map(texts.map((text) => [sameText(text), text])).values(),
]

/** Every rule that stands, and what became of the others, a safe line each. None is cut; beside another a stray backtick could open code. */
export const ruleLines = ({ standing, takenBack, lost }: Rules): string[] => [
  ...standing.map((text) => `"${escapeAlone(text)}"`),
  ...takenBack.map(({ text, quote }) => `taken back: "${escapeText(text)}" by "${escapeText(quote)}"`),
  ...lost.map((text) => `no longer handed down: "${escapeText(text)}"`),
]
