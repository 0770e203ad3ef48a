import type { Rule } from '../rule.ts'

/**
 * The parent is a brief somebody here knows. Only a warning: a squash, a shallow clone or a branch that was never pushed
 * may hold it back, and the chain stands without it.
 */
export const parentExists: Rule = {
  id: 'parent-exists',
  level: 'strict',
  check({ meta, facts, lines }) {
    if (meta.parent === null || facts.briefs.has(meta.parent)) return []
    const line = lines.findIndex((text) => text.startsWith('parent:')) + 1 || 1
    return [{ line, message: `the parent ${meta.parent} is not known here`, isWarning: true }]
  },
}
