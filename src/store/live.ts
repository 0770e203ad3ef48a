import type { Fullness, HookEvent } from '../types/agent.ts'
import { fileWord, openRecords } from './private.ts'

/** What hooks told last about one session: a save point that outlives the agent. */
export interface LiveSession {
  schemaVersion: 1
  agent: string
  sessionId: string
  /** Absolute path of its transcript, or null. */
  path: string | null
  /** Top of the worktree it works in. */
  root: string
  event: HookEvent
  /** ISO times of the last event, and of its end. */
  at: string
  endedAt: string | null
  fullness: Fullness | null
  /** Id of the brief that was put before its model; empty: there was none to put; null: it could not be told yet. */
  injected: string | null
}

const sessions = openRecords<LiveSession>(
  'sessions',
  ({ schemaVersion, agent, sessionId, at }) =>
    schemaVersion === 1 && [agent, sessionId, at].every((one) => typeof one === 'string'),
)

const nameOf = (agent: string, sessionId: string): string => `${agent}-${fileWord(sessionId)}`

/** Keeps the newest state of a session. Throws `writeFailed`. */
export const writeLive = (commonDir: string, session: LiveSession): Promise<string> =>
  sessions.write(commonDir, nameOf(session.agent, session.sessionId), session, { flush: false })

export const readLive = (commonDir: string, agent: string, sessionId: string): Promise<LiveSession | null> =>
  sessions.read(commonDir, nameOf(agent, sessionId))

/** Every session that hooks told of, the latest event first. */
export const listLive = async (commonDir: string): Promise<LiveSession[]> =>
  (await sessions.list(commonDir)).sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))

/** Forgets sessions whose last event is older than `before` (ISO). */
export async function forgetLive(commonDir: string, before: string): Promise<void> {
  for (const { agent, sessionId, at } of await listLive(commonDir))
    if (at < before) await sessions.remove(commonDir, nameOf(agent, sessionId))
}
