import { type SectionId, sections } from '../../brief/sections.ts'
import type { Problem, Rule } from '../rule.ts'

/** The required sections are there, every section once, in the order of the table, and no other. */
export const sectionRule: Rule = {
  id: 'sections',
  level: 'size',
  check({ parsed, isDone, facts }) {
    if (isDone)
      return parsed.closed === null
        ? [{ line: parsed.bodyLine, message: 'a closing record says `Closed: <outcome>`' }]
        : []
    const order = sections.map(({ id }) => id)
    const problems: Problem[] = []
    const seen = new Set<SectionId>()
    let last = -1
    for (const { id, heading, level, line, lines } of parsed.sections) {
      if (id === null) {
        if (level > 0) problems.push({ line, message: `unknown section "${heading}"` })
        else if (lines.some(({ text }) => text.trim() !== ''))
          problems.push({ line, message: 'text before the first heading' })
        continue
      }
      if (seen.has(id)) problems.push({ line, message: `section "${heading}" stands twice` })
      else if (order.indexOf(id) < last)
        problems.push({ line, message: `section "${heading}" is out of order` })
      seen.add(id)
      last = Math.max(last, order.indexOf(id))
    }
    for (const { id, heading, required } of sections)
      if (required && !seen.has(id) && !(id === 'preamble' && !facts.config.include.preamble))
        problems.push({ line: parsed.bodyLine, message: `section "${heading}" is missing` })
    return problems
  },
}
