import { checkGoal } from '../brief/goal.ts'
import type { Invocation } from '../command.ts'
import { GOAL_EXAMPLE, GOAL_GUIDANCE } from '../errors/goal.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { proposeGoal } from '../session/propose-goal.ts'
import { shellWord } from '../text/shell-word.ts'
import { ask, mayAsk } from '../workspace/at-terminal.ts'
import { maskSecrets } from '../workspace/input-secrets.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type CreateRequest, goalRefused } from './create-request.ts'

/** The goal, asked for again at a terminal when it says too little. Throws `badGoal`, `goalTooLong`. */
export async function settleGoal(
  invocation: Invocation,
  request: CreateRequest,
  workspace: Workspace,
): Promise<{ goal: string; vague: boolean }> {
  const { minLength } = workspace.loaded.config.goal
  let { goal } = request
  let proposal: string | null = null
  for (;;) {
    const verdict = checkGoal(goal, { minLength, allowVague: request.allowVague === true })
    if (verdict.ok) return { goal, vague: verdict.vague }
    if (verdict.rule === 'too-long' || !mayAsk(invocation)) throw goalRefused(verdict)
    proposal ??= await proposeGoal(invocation, workspace)
    goal = await askGoal(invocation, { ...verdict, goal, proposal })
  }
}

/** Asks for the goal, with the guidance, an example, a proposal and what was wrong with the one given. Throws `cancelled`. */
const askGoal = (
  invocation: Invocation,
  { rule, detail, goal, proposal }: { rule: string; detail: string; goal: string; proposal: string },
): Promise<string> =>
  ask(invocation, async (questions) => {
    const isEmpty = goal.trim() === ''
    const typed = await questions.text({
      message: GOAL_GUIDANCE,
      lines: [
        ...(rule === 'empty' ? [] : [`${rule}: ${detail} (\`--allow-vague\` accepts it)`]),
        `Example: ${GOAL_EXAMPLE}`,
        ...(proposal === '' ? [] : [`Proposed: ${proposal}`]),
      ],
      ...(proposal === '' ? {} : { keys: `${isEmpty ? 'Enter' : 'An empty line'} accepts it.` }),
      initial: isEmpty ? '' : goal.replace(/\s+/g, ' '),
    })
    return typed === '' ? proposal : typed
  })

/** Says a goal that was typed at a question again where nothing came of it; one that was refused for a secret stays unsaid. */
export async function tellGoal({ out, place }: Invocation, goal: string, error: unknown): Promise<void> {
  if (isHandoffError(error) && error.code === 'E_SECRET_INPUT') return
  const word = shellWord(goal)
  out.say('The goal that was typed, for the next call:')
  out.quote(
    await maskSecrets(`  npx git-handoff create ${word.startsWith("'-") ? '-- ' : ''}${word}`, place.env),
  )
}
