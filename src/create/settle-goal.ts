import { checkGoal } from '../brief/goal.ts'
import type { Invocation } from '../command.ts'
import { GOAL_EXAMPLE, GOAL_GUIDANCE } from '../errors/goal.ts'
import { proposeGoal } from '../session/propose-goal.ts'
import { ask, mayAsk } from '../workspace/at-terminal.ts'
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
