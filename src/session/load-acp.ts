import type { OwnAcp } from '../agents/acp/acp-command.ts'
import { withAcp } from '../agents/acp/connect.ts'
import { createReplay } from '../agents/acp/replay.ts'
import { adapters, byProtocol } from '../agents/table.ts'
import type { Invocation } from '../command.ts'
import type { Adapter } from '../types/agent.ts'
import type { SessionEvent } from '../types/session.ts'
import type { PickedSession } from './pick-session.ts'

/** Ms after which a person hears what is waited for. */
const WORD_AFTER = 2_000

/**
 * The newest session that an ACP agent has of this folder, or the one that is named, replayed by it. The program is a known one or of the
 * person's own configuration, never of a repository's. Throws `acpUnknown`, `acpFailed`.
 */
export async function loadAcp(
  { place, out }: Invocation,
  given: { own: OwnAcp; env: Record<string, string>; limit?: number },
  name: string,
  session: string | undefined,
): Promise<PickedSession> {
  const { root: cwd } = place
  const replay = createReplay()
  const agent = {
    ...{ name, own: given.own, cwd, env: given.env, signal: place.signal },
    ...(given.limit === undefined ? {} : { limit: given.limit }),
    onUpdate: replay.add,
  }
  const patience = setTimeout(() => out.say(`Waiting for ${name} to answer; Ctrl-C cancels.`), WORD_AFTER)
  return withAcp(agent, async ({ agent: peer, answered: { agentCapabilities, agentInfo }, ask, fail }) => {
    if (agentCapabilities?.loadSession !== true) throw fail('it cannot load a session')
    const canList = agentCapabilities.sessionCapabilities?.list != null
    if (session === undefined && !canList)
      throw fail('it cannot list its sessions; name one with `--session <id>`')
    const listed = session === undefined ? await ask(peer.request('session/list', { cwd })) : null
    const newest = (listed?.sessions ?? [])
      .filter((one) => one.cwd === cwd)
      .sort((a, b) => ((a.updatedAt ?? '') < (b.updatedAt ?? '') ? 1 : -1))[0]
    const id = session ?? newest?.sessionId
    if (id === undefined) throw fail('it has no session of this folder')
    await ask(peer.request('session/load', { sessionId: id, cwd, mcpServers: [] }))
    const { events, size, isCut } = replay.end()
    if (isCut) out.warn(`${name} replayed more than is kept; the end of the session is missing`)
    return {
      adapter: adapterFor(name, agentInfo ?? {}, events),
      ref: {
        ...{ agent: name, id, path: `acp:${name}#${id}`, cwd, startedAt: null },
        updatedAt: newest?.updatedAt ?? place.now().toISOString(),
        bytes: size,
        ...(newest?.title ? { title: newest.title } : {}),
      },
      isOurs: true,
    }
  }).finally(() => clearTimeout(patience))
}

/** What the rest of the program asks an adapter: a known one, but for the events. */
function adapterFor(
  name: string,
  info: { title?: string | null; name?: string; version?: string },
  events: SessionEvent[],
): Adapter {
  const known = adapters.find(({ id }) => id === name)
  const { version } = info
  return {
    ...byProtocol,
    ...(known?.launch === undefined ? {} : { launch: known.launch }),
    ...{ id: name, label: known?.label ?? info.title ?? info.name ?? name },
    async *read() {
      if (version !== undefined) yield [{ at: null, sub: null, cwd: null, kind: 'setting', version }]
      yield events
    },
  }
}
