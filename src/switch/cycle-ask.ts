import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { adapterById } from '../agents/table.ts'
import { requestTimeout } from '../errors/cycle.ts'
import { nobodyToAsk } from '../errors/session.ts'
import { readPending } from '../store/pending.ts'
import { type CycleStep, timeLeft } from './cycle-step.ts'
import { step } from './pending-step.ts'
import { deliver, instructionFor } from './requests.ts'
import { isFree } from './request-target.ts'

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
  if (adapter === null || pending.sessionId === null) throw nobodyToAsk(pending.agent)
  const target = { adapter, sessionId: pending.sessionId }
  const text = await instructionFor(repo, pending)
  // The process before this one was killed between the paste and its record: what has been answered need not be asked again.
  if (pending.via !== 'hook' && (existsSync(pending.path) || existsSync(`${pending.path}.part`)))
    return step(place, repo, pending, { state: 'delivered' }, loaded.own)
  if (pending.via === 'hook') await deliver(invocation, workspace, target, pending, text)
  for (;;) {
    const now = await readPending(repo.commonDir, pending.requestId)
    if (now === null || now.state !== 'asked') return
    if (pending.via !== 'hook' && (await isFree(invocation, repo, target, pending.pane))) break
    if (timeLeft(invocation, pending) === 0)
      throw requestTimeout(Math.round(pending.cycle.timeout / 1000), 'the turn that is under way did not end')
    place.signal?.throwIfAborted()
    await sleep(LOOK, undefined, { signal: place.signal }).catch(() => undefined)
  }
  await deliver(invocation, workspace, target, pending, text)
  if (pending.via === 'print') {
    out.say('Paste this into the session that is to be handed over:\n')
    out.quote(text)
  }
}
