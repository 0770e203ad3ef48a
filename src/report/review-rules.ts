import type { ParsedBrief } from '../brief/parse.ts'
import { isPassing } from '../brief/render.ts'
import { plural, shortSha } from '../text/count.ts'
import { codeSpan, escapeAlone, escapeText } from '../text/safe-text.ts'
import type { BriefState } from '../types/brief.ts'
import { endingsIn, sameText, say } from './compare.ts'
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

/** A rule is never cut: it is quoted whole, or counted. */
export const quoted = (text: string): string => `"${escapeAlone(text)}"`

/** The same beside other texts, where a stray backtick of one could open code. */
const inLine = (text: string): string => `"${escapeText(text)}"`

/** Changed files that are told one by one. */
const MOST_FILES = 5

/** One safe line over the whole change; none where nothing was ruled. */
export function rulesLine({ standing, isOver, takenBack, lost, changed }: Rules): string[] {
  const { length } = standing
  if (length + takenBack.length + lost.length === 0) return []
  const stand = isOver ? 'stood at the end' : length === 1 ? 'stands' : 'stand'
  const parts = [
    length === 0 ? 'Rules: none' : `Rules: ${length} ${stand}`,
    ...(takenBack.length === 0 ? [] : [`${takenBack.length} taken back`]),
    ...(lost.length === 0 ? [] : [`${lost.length} no longer handed down`]),
    ...(changed.length === 0 ? [] : [`${plural(changed.length, 'file')} named in one and changed`]),
  ]
  return [parts.join('; ')]
}

/** Every rule that stands, what became of the others, and the changed files that one names, a safe line each. */
export const ruleLines = ({ standing, takenBack, lost, changed }: Rules): string[] => [
  ...standing.map(quoted),
  ...takenBack.map(({ text, quote }) => `taken back: ${inLine(text)} by ${inLine(quote)}`),
  ...lost.map((text) => `no longer handed down: ${inLine(text)}`),
  ...changed
    .slice(0, MOST_FILES)
    .map(
      ({ path, commit, subject }) =>
        `named in a rule and changed: ${codeSpan(path)} (${codeSpan(shortSha(commit))} ${say(subject)})`,
    ),
]
