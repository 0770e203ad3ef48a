import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { adapterById, labelOf } from '../agents/table.ts'
import { createBrief } from '../create/create-brief.ts'
import { readRequest } from '../create/create-request.ts'
import { requestTimeout } from '../errors/cycle.ts'
import { nobodyToAsk } from '../errors/session.ts'
import { notCommitted } from '../errors/writing.ts'
import { closePane, typeLine } from '../start/tmux.ts'
import { readPending } from '../store/pending.ts'
import { type CycleStep, step, timeLeft } from './cycle-step.ts'
import { isFree, isOver } from './request-target.ts'
import { deliver, instructionFor } from './requests.ts'

/** Ms between two looks. */
const LOOK = 200

/**
 * Brings the instruction to the session that is asked: by tmux as soon as it waits for input, by its hook when its turn ends, or printed. Throws what
 * delivering throws, `requestTimeout`.
 */
export const askOutgoing: CycleStep = async (invocation, workspace, pending) => {
  const { place, out } = invocation
  const { repo, loaded } = workspace
  const adapter = adapterById(pending.agent)
  if (adapter === null || pending.sessionId === null) throw nobodyToAsk(labelOf(pending.agent))
  const target = { adapter, sessionId: pending.sessionId }
  const text = await instructionFor(repo, pending)
  // The process before this one was killed between the paste and its record: what has been answered need not be asked again.
  if (pending.via !== 'hook' && (existsSync(pending.path) || existsSync(`${pending.path}.part`)))
    return step(place, repo, pending, { state: 'delivered' }, loaded.own)
  if (pending.via === 'hook') await deliver(invocation, workspace, adapter, pending, text)
  for (;;) {
    const now = await readPending(repo.commonDir, pending.requestId)
    if (now === null || now.state !== 'asked') return
    if (pending.via !== 'hook' && (await isFree(invocation, repo, target, pending.pane))) break
    if (timeLeft(invocation, pending) === 0)
      throw requestTimeout(Math.round(pending.cycle.timeout / 1000), 'the turn that is under way did not end')
    place.signal?.throwIfAborted()
    await sleep(LOOK, undefined, { signal: place.signal }).catch(() => undefined)
  }
  await deliver(invocation, workspace, adapter, pending, text)
  if (pending.via === 'print') {
    out.say('Paste this into the session that is to be handed over:\n')
    out.quote(text)
  }
}

/**
 * Makes the brief of the session that was asked, strictly and with its notes, and commits it. Made twice from the same it is the same brief. Throws what
 * `create` throws, `notCommitted`.
 */
export const commitBrief: CycleStep = async (invocation, { repo, loaded }, pending) => {
  const { goal, persona, skills, allowVague } = pending.cycle
  const request = readRequest(goal, {
    session: pending.sessionId ?? undefined,
    reason: pending.reason,
    persona: persona ?? undefined,
    skill: [...skills],
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

/** Ms in which an agent may end by itself: its last hooks take up to 3 s. */
const GRACE = 15_000

/**
 * Ends the session that was asked as a person would, and closes its pane when it does not end. A shell that it was started from stays. Throws
 * `tmuxUnusable`.
 */
export const endOutgoing: CycleStep = async (invocation, { repo, loaded }, pending) => {
  const { place, out } = invocation
  const { pane } = pending
  const launch = adapterById(pending.agent)?.launch
  if (pane !== null && launch !== undefined && !(await isOver(place.env, pane))) {
    await typeLine(place.env, pane, launch.exitLine)
    const end = performance.now() + GRACE
    while (!(await isOver(place.env, pane))) {
      if (performance.now() > end) {
        out.warn(`${launch.exitLine} did not end it, so its pane ${pane} was closed`)
        await closePane(place.env, pane)
        break
      }
      await sleep(LOOK)
    }
  }
  await step(place, repo, pending, { state: 'starting' }, loaded.own)
}
