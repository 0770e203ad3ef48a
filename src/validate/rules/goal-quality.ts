import { checkGoal } from '../../brief/goal.ts'
import type { Rule } from '../rule.ts'

/** The goal says what is to be done, unless its author said that it need not. */
export const goalQuality: Rule = {
  id: 'goal-quality',
  level: 'strict',
  check({ meta, isDone, facts, lines }) {
    if (isDone) return []
    const verdict = checkGoal(meta.goal, {
      minLength: facts.config.goal.minLength,
      allowVague: meta.vague === true,
    })
    const line = lines.findIndex((text) => text.startsWith('goal:')) + 1 || 1
    return verdict.ok ? [] : [{ line, message: `the goal is ${verdict.rule}: ${verdict.detail}` }]
  },
}
