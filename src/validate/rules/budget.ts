import { renderSection } from '../../brief/render.ts'
import { sections } from '../../brief/sections.ts'
import { estimateTokens } from '../../brief/tokens.ts'
import type { Problem, Rule } from '../rule.ts'

/** The estimate may be a quarter off; less than that is no excess. */
const TOLERANCE = 1.25

/** The whole within the hard limit; over the soft limit, or a section over its own, is a warning. */
export const budget: Rule = {
  id: 'budget',
  level: 'strict',
  over: 'brief',
  about: 'The file keeps its hard token limit; over the soft limit, or a section over its own, is a warning.',
  check({ parsed, isDone, facts: { tokens, config } }) {
    if (isDone) return []
    const { soft, hard } = config.budget
    const problems: Problem[] = []
    if (tokens > hard)
      problems.push({ line: 1, message: `${tokens} tokens; the hard limit is ${hard}`, isForcible: true })
    else if (tokens > soft)
      problems.push({ line: 1, message: `${tokens} tokens; the soft limit is ${soft}`, isWarning: true })
    for (const { id, heading, budget: name } of sections) {
      const found = parsed.sections.find((section) => section.id === id)
      if (name === undefined || found === undefined) continue
      const estimate = estimateTokens(renderSection(parsed.brief, id))
      const most = config.budget[name]
      if (estimate <= most * TOLERANCE) continue
      const message = `"${heading}" has about ${estimate} tokens, its budget is ${most}`
      problems.push({ line: found.line, message, isWarning: true })
    }
    return problems
  },
}
