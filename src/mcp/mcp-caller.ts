import { claudeLiveSession } from '../agents/claude-code/files.ts'
import { openRepo } from '../git/open-repo.ts'
import { processChain } from '../git/inside-hook.ts'
import { listLive } from '../store/live.ts'
import type { Place } from '../types/place.ts'
import type { Invocation } from '../command.ts'

/** The invocation with the session that calls now: a server outlives the one that it was started in. `meta` is the client's word on the call. */
export async function calledBy(
  invocation: Invocation,
  meta: Readonly<Record<string, unknown>>,
): Promise<Invocation> {
  const { place } = invocation
  const told = codexSession(meta) ?? (await claudeSession(place))
  return told === null ? invocation : { ...invocation, place: { ...place, env: { ...place.env, ...told } } }
}

/** Codex tells its servers nothing in the environment, but names the thread in each call (0.169). */
function codexSession({ threadId, sessionId }: Readonly<Record<string, unknown>>): Place['env'] | null {
  if (typeof threadId !== 'string') return null
  return {
    CODEX_THREAD_ID: threadId,
    CODEX_SESSION_ID: typeof sessionId === 'string' ? sessionId : threadId,
  }
}

/** Claude Code names in the environment the session that it was started with. */
async function claudeSession(place: Place): Promise<Place['env'] | null> {
  const { CLAUDE_CODE_SESSION_ID: atStart, OMPCODE } = place.env
  if (!atStart || OMPCODE) return null
  const id = (await fromRecord(place)) ?? (await fromHooks(place, atStart))
  return id === null ? null : { CLAUDE_CODE_SESSION_ID: id }
}

/** By the client's own record; it is one of the processes that this one was started by. */
async function fromRecord(place: Place): Promise<string | null> {
  for await (const { pid } of processChain(process.ppid)) {
    const id = await claudeLiveSession(place, pid)
    if (id !== null) return id
  }
  return null
}

/** By what our hooks were told: the session of the start has ended, or never was, and exactly one goes on here. */
async function fromHooks({ root, env }: Place, atStart: string): Promise<string | null> {
  const repo = await openRepo(root, { env })
  const live = (await listLive(repo.commonDir)).filter((one) => one.agent === 'claude-code')
  if (live.some((one) => one.sessionId === atStart && one.endedAt === null)) return null
  const [running, other] = live.filter((one) => one.endedAt === null && one.root === repo.root)
  return running === undefined || other !== undefined ? null : running.sessionId
}
