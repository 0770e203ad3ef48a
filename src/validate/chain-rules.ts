import { briefPath, idOfPath, timeOfId } from '../brief/id.ts'
import type { BriefSubject, Facts, Problem } from './rule.ts'

export function idAndPath({ parsed: { meta }, facts: { path }, lineOf }: BriefSubject): Problem[] {
  if (!/^\.handoff\/briefs\/[^/\\]+$/.test(path)) return [[1, 'a brief lies directly in .handoff/briefs/']]
  const named = idOfPath(path)
  if (named === null) return [[1, 'the file name is `<id>-<words>.md`, words in [a-z0-9-]']]
  if (named !== meta.id) return [[lineOf('id'), `the file is named ${named}, its id is ${meta.id}`]]
  return path === briefPath(meta.id, meta.goal)
    ? []
    : [[lineOf('goal'), 'the words in the file name are not those of the goal', 'warning']]
}

export function duplicateId({ parsed: { meta }, facts, lineOf }: BriefSubject): Problem[] {
  const other = facts.briefs.get(meta.id)
  return other !== undefined && other.path !== facts.path
    ? [[lineOf('id'), `${other.path} has the same id`]]
    : []
}

/** Whoever trusted or reviewed a brief has seen that text. */
export function immutable({ facts }: BriefSubject): Problem[] {
  return facts.isEdited === true
    ? [[1, 'was changed after it was committed; a new brief belongs in a new file', 'warning']]
    : []
}

/** A warning: history may be cut off, as in a shallow clone. */
export function parentExists({ parsed: { meta }, facts, lineOf }: BriefSubject): Problem[] {
  if (meta.parent === null || facts.briefs.has(meta.parent)) return []
  return [[lineOf('parent'), `the parent ${meta.parent} is not known here`, 'warning']]
}

export function parentCycle({ parsed: { meta }, facts, lineOf }: BriefSubject): Problem[] {
  const line = lineOf('parent')
  const sound = soundOf(facts.briefs)
  const seen = new Set([meta.id])
  const way: string[] = []
  for (let id = meta.parent; id !== null && !sound.has(id); id = facts.briefs.get(id)?.parent ?? null) {
    if (seen.has(id)) return [[line, `the chain runs in a circle through ${id}`]]
    seen.add(id)
    way.push(id)
  }
  for (const id of way) sound.add(id)
  const [own, parents] = [timeOfId(meta.id), meta.parent === null ? null : timeOfId(meta.parent)]
  return own !== null && parents !== null && own < parents
    ? [[line, `the id is older than that of the parent ${meta.parent}`]]
    : []
}

/** Ids from which the line of parents is known to end: of ten thousand briefs each would walk through all before it. */
function soundOf(briefs: Facts['briefs']): Set<string> {
  const known = SOUND.get(briefs) ?? new Set()
  SOUND.set(briefs, known)
  return known
}

const SOUND = new WeakMap<Facts['briefs'], Set<string>>()
