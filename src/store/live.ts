import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileMode, makePrivate, refused, share } from '../private-folder.ts'
import type { Fullness, HookEvent } from '../types/agent.ts'
import { fileWord, openRecords, privateFolder } from './private.ts'

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

/** That a session was told once how full it is. */
export interface Nudge {
  kind: 'handoff-prompt'
  schemaVersion: 1
  sessionId: string
  agent: string
  thresholdPct: number
  pct: number
  /** ISO. */
  at: string
  /** `create`, the end of the session or the person closed it; the record stays, so that nobody is told twice. */
  closed?: true
}

const FOLDER = 'nudges'

/** Whatever else stands in one is written back with it, or names a file. */
const nudges = openRecords<Nudge>(
  FOLDER,
  ({ kind, schemaVersion, sessionId, agent, at, thresholdPct, pct }) =>
    kind === 'handoff-prompt' &&
    schemaVersion === 1 &&
    [sessionId, agent, at].every((one) => typeof one === 'string') &&
    [thresholdPct, pct].every(Number.isFinite) &&
    /^[a-z-]+$/.test(agent ?? ''),
)

/** False when this session was told at this threshold already: of several hooks that run together one writes. Throws `writeFailed`. */
export async function addNudge(commonDir: string, nudge: Nudge): Promise<boolean> {
  const path = join(privateFolder(commonDir), FOLDER, `${nudgeName(nudge)}.json`)
  try {
    makePrivate(commonDir, dirname(path))
    await writeFile(path, `${JSON.stringify(nudge)}\n`, { mode: fileMode(commonDir), flag: 'wx' })
    share(commonDir, path)
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw refused(commonDir, path, cause)
  }
}

/** Open nudges, oldest first. */
export const openNudges = async (commonDir: string): Promise<Nudge[]> =>
  (await nudges.list(commonDir))
    .filter(({ closed }) => closed !== true)
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))

/** Closes the nudges of a session, or the one given. */
export async function closeNudges(commonDir: string, which: (nudge: Nudge) => boolean): Promise<void> {
  for (const nudge of await openNudges(commonDir))
    if (which(nudge)) await nudges.write(commonDir, nudgeName(nudge), { ...nudge, closed: true })
}

const nudgeName = ({ agent, sessionId, thresholdPct }: Nudge): string =>
  `${agent}-${fileWord(sessionId)}-${thresholdPct}`
