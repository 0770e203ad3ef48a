import { checkGoal, type GoalRefusal } from '../brief/goal.ts'
import type { Invocation } from '../command.ts'
import { badGoal, GOAL_EXAMPLE, GOAL_GUIDANCE, goalTooLong } from '../errors/usage.ts'
import { isDone } from '../life/hand-down.ts'
import { clipSentence } from '../text/blocks.ts'
import type { Config } from '../types/config.ts'
import type { Evidence } from '../types/evidence.ts'
import { ask, mayAsk } from '../workspace/at-terminal.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { PickedSession } from './pick-session.ts'
import { readSession } from './read-session.ts'

/** A goal as it was typed. */
interface Given {
  goal: string
  /** Takes a short or vague one. */
  allowVague?: boolean | undefined
}

/** Whether a goal that is taken is vague. Throws `badGoal`, `goalTooLong`. */
export function isVagueGoal(goal: string, { goal: { minLength } }: Config, allowVague = false): boolean {
  const verdict = checkGoal(goal, { minLength, allowVague })
  if (verdict.ok) return verdict.vague
  throw refusal(verdict)
}

const refusal = ({ rule, detail, bytes }: GoalRefusal): Error =>
  rule === 'too-long' ? goalTooLong(bytes) : badGoal(rule, detail)

/** A goal and what is wrong with it. Throws `badGoal`, `goalTooLong` where that cannot be mended at a terminal. */
export function judgeGoal(
  invocation: Invocation,
  { goal, allowVague = false }: Given,
  { loaded }: Workspace,
) {
  const verdict = checkGoal(goal, { minLength: loaded.config.goal.minLength, allowVague })
  if (!verdict.ok && (verdict.rule === 'too-long' || !mayAsk(invocation))) throw refusal(verdict)
  return verdict
}

/** The goal, asked for at a terminal when it says too little, with what the chosen session left as a proposal. Throws as `judgeGoal`. */
export async function settleGoal(
  invocation: Invocation,
  given: Given,
  workspace: Workspace,
  picked: PickedSession | null,
): Promise<{ goal: string; vague: boolean }> {
  let { goal } = given
  let proposal: string | null = null
  for (;;) {
    const verdict = judgeGoal(invocation, { ...given, goal }, workspace)
    if (verdict.ok) return { goal, vague: verdict.vague }
    proposal ??= await proposeGoal(invocation, workspace, picked)
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

/** Characters, and open items of a plan. */
const MAX_LENGTH = 200
const MAX_ITEMS = 3

/**
 * A goal for the session that goes on: the open items of the chosen session's plan, else its last request, secrets replaced. Empty when there
 * is none, or it says too little for a goal.
 */
export async function proposeGoal(
  { place }: Invocation,
  { root, loaded }: Workspace,
  picked: PickedSession | null,
): Promise<string> {
  if (picked === null) return ''
  const scanner = await openScanner(place, root, loaded.config)
  const { digest } = await readSession(picked, place, scanner)
  const evidence = digest.finish({
    ...{ git: null, goal: '', focus: null, inherited: null, agent: null },
    ...{ sessionId: picked.ref.id, config: loaded.config },
  })
  const { minLength } = loaded.config.goal
  const { value } = await scanner.redact(nextOf(evidence))
  // Cut behind the redaction: half a secret is not known for one.
  const goals = value.map((goal) => clipSentence(goal, MAX_LENGTH))
  return goals.find((goal) => checkGoal(goal, { minLength, allowVague: false }).ok) ?? ''
}

/** The open items, the items with the last request, and the request alone: what comes first says most. A request that only says a rule asks for nothing, nor does one that ended in a commit. */
function nextOf(evidence: Evidence): string[] {
  const { plan, turns, constraints } = evidence
  const open = plan.filter(
    ({ status, text }) => (status === 'in_progress' || status === 'pending') && !isOver(text, evidence),
  )
  const rules = new Set(constraints.map(({ text }) => text))
  const items = open.slice(0, MAX_ITEMS).map(({ text }) => text.replace(/[.;]\s*$/, ''))
  const last = turns.findLast((turn) => !rules.has(turn.request.trim()))
  const request = last?.request ?? ''
  // What ended in a commit is most likely done.
  if (items.length === 0 && last?.steps.at(-1)?.kind === 'commit') return []
  return items.length === 0 ? [request] : [items.join('; '), [...items, request].join('; '), request]
}

/** Agents seldom tick off what they did: the session made the file, committed with these words, or saw the tests pass. */
function isOver(step: string, { files, turns, checks }: Evidence): boolean {
  const made = files.filter(({ evidence }) => evidence.includes('created')).map(({ path }) => path)
  const commits = turns.flatMap(({ steps }) => steps.filter(({ kind }) => kind === 'commit'))
  const isTested = checks.some(({ kind, outcome }) => kind === 'test' && outcome === 'ok')
  return (
    (isTested && /^(?:run|test)\b/i.test(step) && !/[./]\w/.test(step)) ||
    isDone(step, { changed: made, commits: commits.map(({ text }) => text) })
  )
}
