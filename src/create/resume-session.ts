import type { CurrentBrief } from '../briefs/current.ts'
import { verdictOnWords } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { ageSeconds } from '../session/choose-session.ts'
import type { PickedSession } from '../session/pick-session.ts'
import { findSessionBehind } from '../session/session-behind.ts'
import { age, size } from '../session/session-list.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Input } from './gather.ts'

/** The session behind a brief that is made anew, where it is on this machine. */
export async function sessionBehind(
  invocation: Invocation,
  { repo, roots }: Workspace,
  brief: CurrentBrief,
): Promise<PickedSession | null> {
  if (repo === null) return null
  const { trusted } = await verdictOnWords(repo, brief)
  try {
    return await findSessionBehind(invocation, repo, roots, brief, trusted)
  } catch (error) {
    tellUseless(invocation, brief, error)
    return null
  }
}

/** Errors of a session that is here and of no use. */
const USELESS = new Set(['E_SESSION_UNREADABLE', 'E_SESSION_FORMAT', 'E_OPENCODE', 'E_TOO_SHORT'])

/** Says why the session behind a brief cannot be used. Throws every error that is of something else. */
export function tellUseless({ out }: Invocation, { id }: CurrentBrief, error: unknown): void {
  if (!isHandoffError(error) || !USELESS.has(error.code)) throw error
  out.warn(`the session behind ${id} cannot be used: ${error.message}`)
}

/** Where the second half of a brief that is made anew comes from, and what changed since. */
export function tellSource(invocation: Invocation, input: Input, { id, parsed }: CurrentBrief): void {
  const { out } = invocation
  const { picked, resumed, notes } = input
  if (picked !== null)
    out.say(
      `Session: ${picked.adapter.label} ${picked.ref.id}, last event ${age(ageSeconds(invocation, picked))} ago, ${size(picked.ref.bytes)}`,
    )
  else
    out.say(
      parsed.meta.agent.session === undefined
        ? `${id} has no session. Its items were copied and checked again.`
        : `The session behind ${id} is not on this machine: what the brief says was carried over and looked up again.`,
    )
  if (notes.notes !== null) out.say(`Notes: recorded ${notes.age ?? 'some time'} ago`)
  if (resumed?.drift) out.say(resumed.drift)
  if (resumed?.left) out.warn(resumed.left)
  if (resumed?.isEdited) out.warn(`${id} was edited after it was first committed`)
}
