import { timeOfId } from '../../brief/id.ts'
import type { Facts, Rule } from '../rule.ts'

/** No brief is its own ancestor, and none is older than its parent. */
export const parentCycle: Rule = {
  id: 'parent-cycle',
  level: 'always',
  over: 'brief',
  about: 'The line of parents does not run in a circle, and goes back in time.',
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
