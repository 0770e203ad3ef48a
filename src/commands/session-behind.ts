import { adapterById } from '../agents/table.ts'
import type { Adapter, SessionRef } from '../types.ts'
import type { CurrentBrief } from './current.ts'
import type { PickedSession } from './pick-session.ts'
import type { Invocation } from './table.ts'

/**
 * The session that a brief was made from, where it is on this machine; else null. It may have been started outside this
 * repository, but a stranger must not choose what is opened there.
 */
export async function findSessionBehind(
  { place }: Invocation,
  roots: readonly string[],
  { parsed }: CurrentBrief,
  trusted: boolean,
): Promise<PickedSession | null> {
  const { agent } = parsed.meta
  const adapter = agent.id === 'git' ? null : adapterById(agent.id)
  const near = await findSession(adapter, place, [...roots], agent.session)
  const ref = near ?? (trusted ? await findSession(adapter, place, ['/'], agent.session) : null)
  return adapter === null || ref === null ? null : { adapter, ref, isOurs: near !== null }
}

/** The session of that id among those started below one of `roots`. */
export async function findSession(
  adapter: Adapter | null,
  place: Invocation['place'],
  roots: string[],
  id: string | undefined,
): Promise<SessionRef | null> {
  if (adapter === null || id === undefined) return null
  return (await adapter.find(place, roots)).find((ref) => ref.id === id) ?? null
}
