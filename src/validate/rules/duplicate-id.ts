import type { Rule } from '../rule.ts'

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
