import { checkGoal } from '../../brief/goal.ts'
import type { Rule } from '../rule.ts'

/** The goal says what is to be done, unless its author said that it need not. */
export const goalQuality: Rule = {
  id: 'goal-quality',
  level: 'strict',
  over: 'brief',
  about: 'The goal is neither too short nor vague, unless `vague: true` says so.',
  check({ parsed: { meta }, isDone, facts, lineOf }) {
    if (isDone) return []
    const { minLength } = facts.config.goal
    const verdict = checkGoal(meta.goal, { minLength, allowVague: meta.vague === true })
    return verdict.ok
      ? []
      : [{ line: lineOf('goal'), message: `the goal is ${verdict.rule}: ${verdict.detail}` }]
  },
}
