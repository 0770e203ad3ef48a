import type { Rule } from '../rule.ts'

/** What was committed is not written over: whoever trusted or reviewed a brief has seen that text. */
export const immutable: Rule = {
  id: 'immutable',
  level: 'strict',
  over: 'brief',
  about: 'A brief that was committed is not changed any more; a warning.',
  check({ facts }) {
    return facts.isEdited === true
      ? [
          {
            line: 1,
            message: 'was changed after it was committed; a new brief belongs in a new file',
            isWarning: true,
          },
        ]
      : []
  },
}
