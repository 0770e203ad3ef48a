import { failure } from './handoff-error.ts'

export const GOAL_GUIDANCE = 'Be specific: what should the next thread accomplish?'
export const GOAL_EXAMPLE = 'implement team-level handoff, update tests, document API.'
export const badGoal = failure('E_GOAL', (rule: 'empty' | 'too-short' | 'vague', detail: string) => [
  `${GOAL_GUIDANCE} (${rule}: ${detail})`,
  `Example: ${GOAL_EXAMPLE}${rule === 'empty' ? '' : ' To keep the goal as it is: --allow-vague.'}`,
  { data: { rule } },
])
export const goalTooLong = failure('E_GOAL_TOO_LONG', (bytes: number) => [
  `The goal is ${bytes} bytes long; at most 4,096 are allowed.`,
  'Put the detail into a file and name that file in the goal.',
  { data: { bytes } },
])
