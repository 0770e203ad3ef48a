import { marksIn } from '../brief/claims.ts'
import { checkGoal } from '../brief/goal.ts'
import { briefPath, idOfPath, timeOfId } from '../brief/id.ts'
import { goalText } from '../brief/render.ts'
import { type SectionId, sections } from '../brief/sections.ts'
import { exactLines } from '../text/safe-text.ts'
import type { BriefSubject, Problem } from './rule.ts'

export function sectionRule({ parsed, isDone, facts }: BriefSubject): Problem[] {
  if (isDone)
    return parsed.closed === null
      ? [[parsed.bodyLine, 'a closing record says `Closed: <outcome>`', 'forcible']]
      : []
  if (isFormer(parsed.sections.map(({ heading }) => heading))) return []
  const problems: Problem[] = []
  const order = sections.map(({ id }) => id)
  const seen = new Set<SectionId>()
  let last = -1
  for (const { id, heading, level, line } of parsed.sections) {
    if (id === null) {
      problems.push([line, level > 0 ? `unknown section "${heading}"` : 'text before the first heading'])
      continue
    }
    if (seen.has(id)) problems.push([line, `section "${heading}" stands twice`])
    else if (order.indexOf(id) < last) problems.push([line, `section "${heading}" is out of order`])
    seen.add(id)
    last = Math.max(last, order.indexOf(id))
  }
  for (const { id, heading, required } of sections) {
    const isWanted = required && (id !== 'preamble' || facts.config.include.preamble)
    if (isWanted && !seen.has(id))
      problems.push([parsed.bodyLine, `section "${heading}" is missing`, 'forcible'])
  }
  return problems
}

/** Sections of briefs that were made before: read, in that order, and no longer written. */
const formerSections: readonly string[] = [
  'Handoff Context',
  'Status',
  'Mission',
  'Constraints & Preferences',
  'Context (from previous thread)',
  'Key Decisions',
  'Progress',
  'Relevant Files',
  'Relevant Commands',
  'Open Questions / Risks',
  'Working Memory',
  'Next Steps',
  'Previous handoff',
  'Session Metadata',
  'Next Goal (verbatim)',
]

/** A brief of an earlier version, with the sections of that version in order. */
function isFormer(headings: readonly string[]): boolean {
  const places = headings.map((heading) => formerSections.indexOf(heading))
  const isInOrder = places.every((place, at) => place !== -1 && place > (places[at - 1] ?? -1))
  return isInOrder && headings.includes('Working Memory') && headings.at(-1) === formerSections.at(-1)
}

export function goalVerbatim({ parsed, isDone, facts, lineOf }: BriefSubject): Problem[] {
  const { goal } = parsed.meta
  if (facts.goal !== undefined && facts.goal !== goal)
    return [[lineOf('goal'), 'the goal is not the one that was asked for']]
  if (isDone) return []
  const section = parsed.sections.find(({ id }) => id === 'goal')
  // A missing section is for `sections` to tell.
  if (section === undefined) return []
  if (parsed.goal === null) return [[section.line, 'the goal is not fenced']]
  // Earlier versions kept long lines.
  return [goalText(goal), exactLines(goal)].includes(parsed.goal.text)
    ? []
    : [[parsed.goal.line, 'the goal differs from the goal of the front matter']]
}

export function goalQuality({ parsed: { meta }, isDone, facts, lineOf }: BriefSubject): Problem[] {
  if (isDone) return []
  const { minLength } = facts.config.goal
  const verdict = checkGoal(meta.goal, { minLength, allowVague: meta.vague === true })
  return verdict.ok ? [] : [[lineOf('goal'), `the goal is ${verdict.rule}: ${verdict.detail}`]]
}

export function budget({ isDone, facts: { tokens, config } }: BriefSubject): Problem[] {
  if (isDone) return []
  const { warn, hard } = config.budget
  if (tokens > hard) return [[1, `${tokens} tokens; the hard limit is ${hard}`, 'forcible']]
  return tokens > warn ? [[1, `${tokens} tokens; a brief over ${warn} is hard to read`, 'warning']] : []
}

/**
 * On one system or another this leads out of the repository, or begins at a home or drive. A hidden character is shown as `\u{…}` and
 * begins a name like any other.
 */
export const leadsAway = (path: string): boolean =>
  /^(?:[/~]|\\(?!u\{)|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path)

export function unnamedFiles({ parsed, brief, facts: { knownFiles, oddNames } }: BriefSubject): Problem[] {
  const section = parsed.sections.find(({ id }) => id === 'files')
  const lineOf = (path: string): number =>
    section?.items.find(({ text }) => text.includes(path))?.line ?? section?.line ?? 1
  return brief.files.flatMap(({ path, mark }): Problem[] => {
    if (leadsAway(path) && oddNames?.has(path) !== true)
      return [[lineOf(path), `${path} does not lie in this repository`]]
    // A marked file says itself that nothing confirms it, that it is gone, or still to be made.
    if (mark !== undefined || knownFiles === null || knownFiles.has(path)) return []
    return [[lineOf(path), `${path} was never named or touched`]]
  })
}

/** `create` marked what neither session nor repository shows. */
export function unproven({ parsed, brief }: BriefSubject): Problem[] {
  if (brief.notesChecked !== true) return []
  const lines = parsed.sections.find(({ id }) => id === 'memory')?.lines ?? []
  const first = lines.find(({ text }) => marksIn(text) > 0)
  if (first === undefined) return []
  const count = lines.reduce((sum, { text }) => sum + marksIn(text), 0)
  const what = count === 1 ? '1 claim of the agent is' : `${count} claims of the agent are`
  return [[first.line, `${what} not seen or contradicted; read the marks`, 'warning']]
}

export function idAndPath({ parsed: { meta }, facts: { path }, lineOf }: BriefSubject): Problem[] {
  if (!/^\.handoff\/briefs\/[^/\\]+$/.test(path)) return [[1, 'a brief lies directly in .handoff/briefs/']]
  const named = idOfPath(path)
  if (named === null) return [[1, 'the file name is `<id>-<words>.md`, words in [a-z0-9-]']]
  if (named !== meta.id) return [[lineOf('id'), `the file is named ${named}, its id is ${meta.id}`]]
  // Records of a done chain had the name of a brief before.
  return [meta.kind, undefined].some((kind) => path === briefPath(meta.id, meta.goal, kind))
    ? []
    : [[lineOf('goal'), 'the words in the file name are not those of the goal', 'warning']]
}

export function duplicateId({ parsed: { meta }, facts, lineOf }: BriefSubject): Problem[] {
  const other = facts.briefs.get(meta.id) ?? facts.path
  return other === facts.path ? [] : [[lineOf('id'), `${other} has the same id`]]
}

/** Whoever trusted or reviewed a brief has seen that text. */
export function immutable({ facts }: BriefSubject): Problem[] {
  return facts.isEdited === true
    ? [[1, 'was changed after it was committed; a new brief belongs in a new file', 'warning']]
    : []
}

/** A warning: history may be cut off, as in a shallow clone. */
export function parentExists({ parsed: { meta }, facts, lineOf }: BriefSubject): Problem[] {
  return meta.parents
    .filter((id) => !facts.briefs.has(id))
    .map((id) => [parentsLine(lineOf), `the parent ${id} is not known here`, 'warning'])
}

/** An id is a time: where each parent is older, no way along the parents comes back. */
export function parentCycle({ parsed: { meta }, lineOf }: BriefSubject): Problem[] {
  const own = timeOfId(meta.id)
  return meta.parents
    .filter((id) => id === meta.id || (own !== null && own < (timeOfId(id) ?? own)))
    .map((id) => [parentsLine(lineOf), `the parent ${id} is not older than the brief`])
}

/** Files of before there were lists have the key in the singular. */
const parentsLine = (lineOf: BriefSubject['lineOf']): number => Math.max(lineOf('parents'), lineOf('parent'))
