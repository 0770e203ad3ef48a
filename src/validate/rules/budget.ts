import type { Rule } from '../rule.ts'

/** The whole within the hard limit; much more than a brief aims at is a warning. */
export const budget: Rule = {
  id: 'budget',
  level: 'strict',
  over: 'brief',
  about: 'The file keeps its hard token limit; far over what a brief aims at is a warning.',
  check({ isDone, facts: { tokens, config } }) {
    if (isDone) return []
    const { warn, hard } = config.budget
    if (tokens > hard)
      return [{ line: 1, message: `${tokens} tokens; the hard limit is ${hard}`, isForcible: true }]
    return tokens > warn
      ? [{ line: 1, message: `${tokens} tokens; a brief over ${warn} is hard to read`, isWarning: true }]
      : []
  },
}
