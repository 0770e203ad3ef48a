import { goalText } from '../../brief/render.ts'
import type { Rule } from '../rule.ts'

/** The goal of the front matter, the goal at the end and the goal that was asked for are the same, byte for byte. */
export const goalVerbatim: Rule = {
  id: 'goal-verbatim',
  level: 'always',
  check({ parsed, meta, isDone, facts, lines }) {
    if (facts.goal !== undefined && facts.goal !== meta.goal)
      return [
        {
          line: lines.findIndex((text) => text.startsWith('goal:')) + 1 || 1,
          message: 'the goal is not the one that was asked for',
        },
      ]
    // A missing block is the sections rule's to tell.
    if (isDone || parsed.goal === null) return []
    return parsed.goal.text === goalText(meta.goal)
      ? []
      : [{ line: parsed.goal.line, message: 'the goal differs from the goal of the front matter' }]
  },
}
