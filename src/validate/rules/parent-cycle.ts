import type { Rule } from '../rule.ts'

/** No brief is its own ancestor, and none is older than its parent. */
export const parentCycle: Rule = {
  id: 'parent-cycle',
  level: 'always',
  check({ meta, facts, lines }) {
    const line = lines.findIndex((text) => text.startsWith('parent:')) + 1 || 1
    const seen = new Set([meta.id])
    for (let id = meta.parent; id !== null; id = facts.briefs.get(id)?.parent ?? null) {
      if (seen.has(id)) return [{ line, message: `the chain runs in a circle through ${id}` }]
      seen.add(id)
    }
    return meta.parent !== null && meta.id < meta.parent
      ? [{ line, message: `the id is older than that of the parent ${meta.parent}` }]
      : []
  },
}
