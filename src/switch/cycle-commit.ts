import { notCommitted } from '../errors/writing.ts'
import { createBrief } from '../create/create-brief.ts'
import { readRequest } from '../create/create-request.ts'
import type { CycleStep } from './cycle-step.ts'
import { step } from './pending-step.ts'

/**
 * Makes the brief of the session that was asked, strictly and with its notes, and commits it. Made twice from the same it is the same brief. Throws what
 * `create` throws, `notCommitted`.
 */
export const commitBrief: CycleStep = async (invocation, { repo, loaded }, pending) => {
  const { goal, persona, skills, allowVague } = pending.cycle
  const request = readRequest([goal], {
    session: pending.sessionId ?? undefined,
    reason: pending.reason,
    persona: persona ?? undefined,
    skill: skills,
    mode: 'strict',
    allowVague,
    edit: false,
    requireNotes: true,
    // They were asked for, however long the person has taken since.
    includeStaleNotes: true,
  })
  const { out } = invocation
  // What git knows has changed since the request, so the repository is opened again.
  const { result: made, said } = await createBrief(
    { ...invocation, out: { ...out, interactive: false } },
    request,
  )
  for (const line of said) out.say(line)
  if (made.parked !== null)
    throw notCommitted(
      made.path,
      `a git operation is in progress or another branch is checked out, so it is parked under ${made.parked}`,
    )
  const { id } = made
  await step(
    invocation.place,
    repo,
    pending,
    ({ cycle }) => ({ state: 'committed', cycle: cycle && { ...cycle, briefId: id } }),
    loaded.own,
  )
}
