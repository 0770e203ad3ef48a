import type { LoadedConfig } from '../config/load.ts'
import { noOwnSettings } from '../config/own.ts'
import type { Repo } from '../git/open-repo.ts'
import { isEnded, listOpen } from '../store/pending.ts'
import { instructionFor } from '../switch/requests.ts'
import { step } from '../switch/step.ts'
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
  loaded: LoadedConfig | null,
): Promise<string | null> {
  if (event !== 'stop' && event !== 'prompt') return null
  const { own } = loaded ?? { own: noOwnSettings() }
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
      return instructionFor(loaded ?? { templateOf: () => null }, pending)
    }
  }
  return null
}
