import { timeOfId } from '../../brief/id.ts'
import type { Rule } from '../rule.ts'

/** No brief is its own ancestor, and none is older than its parent. */
export const parentCycle: Rule = {
  id: 'parent-cycle',
  level: 'always',
  over: 'brief',
  about: 'The line of parents does not run in a circle, and goes back in time.',
  check({ parsed: { meta }, facts, lineOf }) {
    const line = lineOf('parent')
    const seen = new Set([meta.id])
    for (let id = meta.parent; id !== null; id = facts.briefs.get(id)?.parent ?? null) {
      if (seen.has(id)) return [{ line, message: `the chain runs in a circle through ${id}` }]
      seen.add(id)
    }
    const [own, parents] = [timeOfId(meta.id), meta.parent === null ? null : timeOfId(meta.parent)]
    return own !== null && parents !== null && own < parents
      ? [{ line, message: `the id is older than that of the parent ${meta.parent}` }]
      : []
  },
}
