import type { Adapter } from '../types/agent.ts'
import type { SessionEvent } from '../types/session.ts'
import type { PickedSession } from './pick-session.ts'

/** The session; `note` is told every event of it as it is read, once. */
export function watchEvents(picked: PickedSession, note: (event: SessionEvent) => void): PickedSession {
  const read: Adapter['read'] = async function* (ref, options) {
    // All is told anew only to who can forget; without that the reading knows beforehand.
    const { onRestart: _, ...rest } = options
    for await (const batch of picked.adapter.read(ref, rest)) {
      for (const event of batch) note(event)
      yield batch
    }
  }
  return { ...picked, adapter: { ...picked.adapter, read } }
}
