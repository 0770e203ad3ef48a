import { GOAL_EXAMPLE, GOAL_GUIDANCE } from '../errors/goal.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { shellWord } from '../text/shell-word.ts'
import { withoutKeys } from '../output/held-characters.ts'
import { ask } from '../workspace/at-terminal.ts'
import { maskSecrets } from '../workspace/input-secrets.ts'
import type { Invocation } from '../command.ts'

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

/** Says a goal that was typed at a question again where nothing came of it; one that was refused for a secret stays unsaid. */
export async function tellGoal({ out, place }: Invocation, goal: string, error: unknown): Promise<void> {
  if (isHandoffError(error) && error.code === 'E_SECRET_INPUT') return
  const word = shellWord(withoutKeys(goal))
  out.say('The goal that was typed, for the next call:')
  out.quote(await maskSecrets(`  handoff create ${word.startsWith("'-") ? '-- ' : ''}${word}`, place.env))
}
