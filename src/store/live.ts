import type { Fullness, HookEvent } from '../types/agent.ts'
import { fileWord, listPrivate, readPrivate, removePrivate, writePrivate } from './private.ts'

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

const FOLDER = 'sessions'

/** Keeps the newest state of a session. Throws `writeFailed`. */
export async function writeLive(commonDir: string, session: LiveSession): Promise<void> {
  const text = `${JSON.stringify(session)}\n`
  await writePrivate(commonDir, fileOf(session.agent, session.sessionId), text, { flush: false })
}

export async function readLive(
  commonDir: string,
  agent: string,
  sessionId: string,
): Promise<LiveSession | null> {
  return parse(await readPrivate(commonDir, fileOf(agent, sessionId)))
}

/** Every session that hooks told of, the latest event first; records of another shape are passed over. */
export async function listLive(commonDir: string): Promise<LiveSession[]> {
  const names = await listPrivate(commonDir, FOLDER)
  const records = await Promise.all(names.map((name) => readPrivate(commonDir, `${FOLDER}/${name}`)))
  return records
    .map(parse)
    .filter((session) => session !== null)
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
}

/** Forgets sessions whose last event is older than `before` (ISO). */
export async function forgetLive(commonDir: string, before: string): Promise<void> {
  for (const { agent, sessionId, at } of await listLive(commonDir))
    if (at < before) await removePrivate(commonDir, fileOf(agent, sessionId))
}

const fileOf = (agent: string, sessionId: string): string => `${FOLDER}/${agent}-${fileWord(sessionId)}.json`

const isText = (value: unknown): boolean => typeof value === 'string'

function parse(text: string | null): LiveSession | null {
  try {
    const value = JSON.parse(text ?? 'null') as LiveSession | null
    return value?.schemaVersion === 1 && [value.agent, value.sessionId, value.at].every(isText) ? value : null
  } catch {
    return null // Of another version, or half written by one that was killed: the next event writes it anew.
  }
}
