import { renderSection } from '../../brief/render.ts'
import { sections } from '../../brief/sections.ts'
import { estimateTokens } from '../../brief/tokens.ts'
import type { Rule } from '../rule.ts'

/** The whole within the hard limit; over the soft limit, or a section over its own, is a warning. */
export const budget: Rule = {
  id: 'budget',
  level: 'size',
  check({ parsed, isDone, facts }) {
    if (isDone) return []
    const { tokens, config } = facts
    const over = sections.flatMap(({ id, heading, budget: name }) => {
      if (name === undefined) return []
      const found = parsed.sections.find((section) => section.id === id)
      const size = found === undefined ? 0 : estimateTokens(renderSection(parsed.brief, id))
      // The estimate may be a quarter off; a real excess is what fitting would have cut.
      return found !== undefined && size > config.budget[name] * 1.25
        ? [
            {
              line: found.line,
              message: `"${heading}" has about ${size} tokens, its budget is ${config.budget[name]}`,
              isWarning: true,
            },
          ]
        : []
    })
    if (tokens > config.budget.hard)
      return [{ line: 1, message: `${tokens} tokens; the hard limit is ${config.budget.hard}` }, ...over]
    if (tokens > config.budget.soft)
      return [
        { line: 1, message: `${tokens} tokens; the soft limit is ${config.budget.soft}`, isWarning: true },
        ...over,
      ]
    return over
  },
}
