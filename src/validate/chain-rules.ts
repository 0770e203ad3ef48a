import { briefPath, idOfPath, timeOfId } from '../brief/id.ts'
import type { Facts, Rule } from './rule.ts'

/** The file lies where briefs lie and is named by its id. */
export const idAndPath: Rule = {
  id: 'id-and-path',
  level: 'always',
  over: 'brief',
  about: 'The file is `.handoff/briefs/<id>-<words>.md`, and the id in it is the same.',
  check({ parsed: { meta }, facts: { path }, lineOf }) {
    if (!/^\.handoff\/briefs\/[^/\\]+$/.test(path))
      return [{ line: 1, message: 'a brief lies directly in .handoff/briefs/' }]
    const named = idOfPath(path)
    if (named === null)
      return [{ line: 1, message: 'the file name is `<id>-<words>.md`, words in [a-z0-9-]' }]
    if (named !== meta.id)
      return [{ line: lineOf('id'), message: `the file is named ${named}, its id is ${meta.id}` }]
    return path === briefPath(meta.id, meta.goal)
      ? []
      : [
          {
            line: lineOf('goal'),
            message: 'the words in the file name are not those of the goal',
            isWarning: true,
          },
        ]
  },
}

/** No other file has this id. */
export const duplicateId: Rule = {
  id: 'duplicate-id',
  level: 'always',
  over: 'brief',
  about: 'An id belongs to one file.',
  check({ parsed: { meta }, facts, lineOf }) {
    const other = facts.briefs.get(meta.id)
    return other !== undefined && other.path !== facts.path
      ? [{ line: lineOf('id'), message: `${other.path} has the same id` }]
      : []
  },
}

/** What was committed is not written over: whoever trusted or reviewed a brief has seen that text. */
export const immutable: Rule = {
  id: 'immutable',
  level: 'strict',
  over: 'brief',
  about: 'A committed brief does not change; a warning.',
  check({ facts }) {
    return facts.isEdited === true
      ? [
          {
            line: 1,
            message: 'was changed after it was committed; a new brief belongs in a new file',
            isWarning: true,
          },
        ]
      : []
  },
}

/**
 * The parent is a brief that is known here. Where history is cut off (a shallow clone, none read) that cannot be told and
 * is a warning; where all of history is at hand, the link leads nowhere.
 */
export const parentExists: Rule = {
  id: 'parent-exists',
  level: 'strict',
  over: 'brief',
  about: 'The parent is a known brief; a warning where history is incomplete.',
  check({ parsed: { meta }, facts, lineOf }) {
    if (meta.parent === null || facts.briefs.has(meta.parent)) return []
    const problem = { line: lineOf('parent'), message: `the parent ${meta.parent} is not known here` }
    return [facts.history === 'complete' ? problem : { ...problem, isWarning: true }]
  },
}

/** No brief is its own ancestor, and none is older than its parent. */
export const parentCycle: Rule = {
  id: 'parent-cycle',
  level: 'always',
  over: 'brief',
  about: 'Parents form no circle and go back in time.',
  check({ parsed: { meta }, facts, lineOf }) {
    const line = lineOf('parent')
    const sound = soundOf(facts.briefs)
    const seen = new Set([meta.id])
    const way: string[] = []
    for (let id = meta.parent; id !== null && !sound.has(id); id = facts.briefs.get(id)?.parent ?? null) {
      if (seen.has(id)) return [{ line, message: `the chain runs in a circle through ${id}` }]
      seen.add(id)
      way.push(id)
    }
    for (const id of way) sound.add(id)
    const [own, parents] = [timeOfId(meta.id), meta.parent === null ? null : timeOfId(meta.parent)]
    return own !== null && parents !== null && own < parents
      ? [{ line, message: `the id is older than that of the parent ${meta.parent}` }]
      : []
  },
}

/** Ids from which the line of parents is known to end: of ten thousand briefs each would walk through all before it. */
function soundOf(briefs: Facts['briefs']): Set<string> {
  const known = SOUND.get(briefs) ?? new Set()
  SOUND.set(briefs, known)
  return known
}

const SOUND = new WeakMap<Facts['briefs'], Set<string>>()
