import { goalText } from '../../brief/render.ts'
import { exactLines } from '../../text/safe-text.ts'
import type { Rule } from '../rule.ts'

/** The goal of the front matter, the goal at the end and the goal that was asked for are the same, byte for byte. */
export const goalVerbatim: Rule = {
  id: 'goal-verbatim',
  level: 'always',
  over: 'brief',
  about: 'The goal at the end is the goal of the front matter, byte for byte but for breaks in long lines.',
  check({ parsed, isDone, facts, lineOf }) {
    const { goal } = parsed.meta
    if (facts.goal !== undefined && facts.goal !== goal)
      return [{ line: lineOf('goal'), message: 'the goal is not the one that was asked for' }]
    if (isDone) return []
    const section = parsed.sections.find(({ id }) => id === 'goal')
    // A missing section is for `sections` to tell.
    if (section === undefined) return []
    if (parsed.goal === null) return [{ line: section.line, message: 'the goal does not stand in a fence' }]
    // Briefs made before kept their long lines.
    return [goalText(goal), exactLines(goal)].includes(parsed.goal.text)
      ? []
      : [{ line: parsed.goal.line, message: 'the goal differs from the goal of the front matter' }]
  },
}
