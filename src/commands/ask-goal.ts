import { GOAL_EXAMPLE, GOAL_GUIDANCE } from '../errors.ts'
import { ask } from './at-terminal.ts'
import type { Invocation } from './table.ts'

/** Asks for the goal, with the guidance, an example and what was wrong with the one given. Throws `cancelled`. */
export const askGoal = (
  invocation: Invocation,
  { rule, detail, goal }: { rule: string; detail: string; goal: string },
): Promise<string> =>
  ask(invocation, (questions) =>
    questions.text({
      message: GOAL_GUIDANCE,
      lines: [
        ...(rule === 'empty' ? [] : [`${rule}: ${detail} (--allow-vague takes it all the same)`]),
        `Example: ${GOAL_EXAMPLE}`,
      ],
      initial: goal.trim() === '' ? '' : goal,
    }),
  )
