import type { Linked } from '../brief/chain.ts'
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
  return meta.parents
    .filter((id) => !facts.briefs.has(id))
    .map((id) => [parentsLine(lineOf), `the parent ${id} is not known here`, 'warning'])
}

export function parentCycle({ parsed: { meta }, facts, lineOf }: BriefSubject): Problem[] {
  const line = parentsLine(lineOf)
  const through = circleFrom(meta, facts.briefs)
  if (through !== null) return [[line, `the chain runs in a circle through ${through}`]]
  const own = timeOfId(meta.id)
  return meta.parents
    .filter((id) => own !== null && own < (timeOfId(id) ?? own))
    .map((id) => [line, `the id is older than that of the parent ${id}`])
}

/** Files of before there were lists have the key in the singular. */
const parentsLine = (lineOf: BriefSubject['lineOf']): number => Math.max(lineOf('parents'), lineOf('parent'))

/** The first brief at which a way along the parents comes back to itself; null where none does. */
function circleFrom({ id: own, parents }: Linked, briefs: Facts['briefs']): string | null {
  const sound = soundOf(briefs)
  const open = new Set([own])
  const path = [{ id: own, left: [...parents] }]
  for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
    const id = at.left.shift()
    if (id === undefined) {
      path.pop()
      open.delete(at.id)
      // Of the brief itself another file may say otherwise.
      if (at.id !== own) sound.add(at.id)
    } else if (open.has(id)) return id
    else if (!sound.has(id)) {
      open.add(id)
      path.push({ id, left: [...(briefs.get(id)?.parents ?? [])] })
    }
  }
  return null
}

/** Ids from which the line of parents is known to end: of ten thousand briefs each would walk through all before it. */
function soundOf(briefs: Facts['briefs']): Set<string> {
  const known = SOUND.get(briefs) ?? new Set()
  SOUND.set(briefs, known)
  return known
}

const SOUND = new WeakMap<Facts['briefs'], Set<string>>()
