import { formerSections, type SectionId, sections } from '../../brief/sections.ts'
import type { Problem, Rule } from '../rule.ts'

/** The required sections are there, every section once, in the order of the table, and no other. */
export const sectionRule: Rule = {
  id: 'sections',
  level: 'strict',
  over: 'brief',
  about: 'The required sections, each once, in order, and no other; a closing record has one line.',
  check({ parsed, isDone, facts }) {
    if (isDone)
      return parsed.closed === null
        ? [{ line: parsed.bodyLine, message: 'a closing record says `Closed: <outcome>`', isForcible: true }]
        : []
    if (isFormer(parsed.sections.map(({ heading }) => heading))) return []
    const problems: Problem[] = []
    const order = sections.map(({ id }) => id)
    const seen = new Set<SectionId>()
    let last = -1
    for (const { id, heading, level, line } of parsed.sections) {
      if (id === null) {
        problems.push({
          line,
          message: level > 0 ? `unknown section "${heading}"` : 'text before the first heading',
        })
        continue
      }
      if (seen.has(id)) problems.push({ line, message: `section "${heading}" stands twice` })
      else if (order.indexOf(id) < last)
        problems.push({ line, message: `section "${heading}" is out of order` })
      seen.add(id)
      last = Math.max(last, order.indexOf(id))
    }
    for (const { id, heading, required } of sections) {
      const isWanted = required && (id !== 'preamble' || facts.config.include.preamble)
      if (isWanted && !seen.has(id))
        problems.push({ line: parsed.bodyLine, message: `section "${heading}" is missing`, isForcible: true })
    }
    return problems
  },
}

/** A brief that was made before, with the sections of then in their order. */
function isFormer(headings: readonly string[]): boolean {
  const places = headings.map((heading) => formerSections.indexOf(heading))
  const isInOrder = places.every((place, at) => place !== -1 && place > (places[at - 1] ?? -1))
  return isInOrder && headings.includes('Working Memory') && headings.at(-1) === formerSections.at(-1)
}
