import { notCommitted } from '../errors/writing.ts'
import { createBrief } from '../create/create-brief.ts'
import { readRequest } from '../create/create-request.ts'
import type { CycleStep } from './cycle-step.ts'
import { step } from './pending-step.ts'
import type { Invocation } from '../command.ts'
import { openWorkspace } from '../workspace/workspace.ts'

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
  let made: Made = { id: '', path: '', commit: null, parked: null, repeat: false }
  const out: Invocation['out'] = {
    ...invocation.out,
    interactive: false,
    result: (_text, object) => {
      made = object as Made
    },
  }
  // What git knows has changed since the request.
  const workspace = await openWorkspace(
    { ...invocation, out },
    { flags: request.flags, reads: { writes: true } },
  )
  await createBrief({ ...invocation, out }, request, workspace)
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

interface Made {
  id: string
  path: string
  commit: string | null
  parked: string | null
  repeat: boolean
}
