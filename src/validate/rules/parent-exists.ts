import type { Rule } from '../rule.ts'

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
