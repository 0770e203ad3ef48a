import type { OwnSettings } from '../config/own.ts'
import type { Repo } from '../git/open-repo.ts'
import { isEnded, listOpen } from '../store/pending.ts'
import { step } from '../switch/cycle-step.ts'
import { instructionFor } from '../switch/requests.ts'
import type { Adapter, HookCall, HookEvent } from '../types/agent.ts'
import type { Place } from '../types/place.ts'

/**
 * What an event means for the open requests to this session: the end of a turn is the signal that is waited for, a new prompt takes it back, since the
 * instruction may have stood behind a turn that was under way. Gives the instruction when it is to be put to the agent now, by this very hook.
 */
export async function pendingSignal(
  place: Pick<Place, 'now' | 'env'>,
  repo: Repo,
  adapter: Adapter,
  event: HookEvent,
  call: HookCall,
  own: Pick<OwnSettings, 'notify'>,
): Promise<string | null> {
  if (event !== 'stop' && event !== 'prompt') return null
  const mine = (await listOpen(repo.commonDir)).filter(
    (pending) =>
      !isEnded(pending) &&
      pending.agent === adapter.id &&
      pending.root === repo.root &&
      (pending.sessionId === null || pending.sessionId === call.sessionId),
  )
  const at = place.now().toISOString()
  for (const pending of mine) {
    if (event === 'prompt') {
      // The words of the prompt are the proof that it came, whoever was killed before writing that down.
      const isAsked = call.text?.includes(pending.requestId) === true
      await step(
        place,
        repo,
        pending,
        ({ state, stoppedAt }) =>
          state === 'asked' && isAsked
            ? { state: 'delivered', stoppedAt: null }
            : stoppedAt === null
              ? null
              : { stoppedAt: null },
        own,
      )
    } else if (pending.state === 'delivered')
      await step(place, repo, pending, ({ state }) => (state === 'delivered' ? { stoppedAt: at } : null), own)
    else if (pending.state === 'asked' && pending.via === 'hook' && adapter.hooks?.goOn !== undefined) {
      await step(place, repo, pending, { state: 'delivered', sessionId: call.sessionId }, own)
      return instructionFor(repo, pending)
    }
  }
  return null
}

/** A switch is starting this very session and sends it the pointer itself, after the lines of persona and skills. */
export async function isPointerToCome(
  repo: Repo,
  { id }: Adapter,
  { sessionId }: HookCall,
): Promise<boolean> {
  return (await listOpen(repo.commonDir)).some(({ state, cycle }) => {
    const next = cycle?.successor
    if (state !== 'starting' || next == null || next.agent !== id || next.sent === 0) return false
    return sessionId !== null && !next.known.includes(sessionId) && [null, sessionId].includes(next.sessionId)
  })
}
