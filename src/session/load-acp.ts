import { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { client, type InitializeResponse, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk'
import { adapters } from '../agents/table.ts'
import type { Invocation } from '../command.ts'
import { acpFailed, acpUnknown } from '../errors/session.ts'
import { endGroup, start } from '../programs.ts'
import type { Adapter } from '../types/agent.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { createReplay } from './acp-replay.ts'
import type { PickedSession } from './pick-session.ts'

/** How agents speak ACP, where nobody configured another way: OpenCode 1.18.33, Gemini CLI 0.61.0, Qwen Code 0.24.4, Copilot CLI 1.0. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  opencode: ['opencode', 'acp'],
  'gemini-cli': ['gemini', '--acp'],
  'qwen-code': ['qwen', '--acp'],
  'copilot-cli': ['copilot', '--acp'],
}
/** Ms for an answer, and without a word while a session is replayed. */
const ANSWER = 30_000
const LONGEST_ERROR = 300
/** Ms for the exit status of an agent that is gone. */
const LAST_WORDS = 300

/**
 * The newest session that an ACP agent has of this folder, replayed by it. The program is a known one or of the person's own
 * configuration, never of a repository's. Throws `acpUnknown`, `acpFailed`.
 */
export async function loadAcp(
  { place, out }: Invocation,
  {
    own,
    env,
    limit = ANSWER,
  }: { own: Pick<Workspace['loaded']['own'], 'acp'>; env: Record<string, string>; limit?: number },
  name: string,
  session: string | undefined,
): Promise<PickedSession> {
  const command = Object.hasOwn(own.acp, name)
    ? own.acp[name]
    : Object.hasOwn(KNOWN, name)
      ? KNOWN[name]
      : undefined
  const [program, ...args] = command ?? []
  if (program === undefined)
    throw acpUnknown(name, [...new Set([...Object.keys(own.acp), ...Object.keys(KNOWN)])])
  const child = start(program, args, {
    cwd: place.root,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-LONGEST_ERROR)
  })
  const fail = (why: string) => acpFailed(name, why, said.trim().split('\n').at(-1) ?? '')
  let late: (() => void) | undefined
  let timer: NodeJS.Timeout | undefined
  /** Somebody spoke: the clock begins anew. */
  const heard = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => late?.(), limit)
  }
  const stopped = new Promise<never>((_, reject) => {
    late = () => reject(fail(`it said nothing for ${limit / 1000} s`))
    child.once('error', ({ message }) => reject(fail(`\`${program}\` could not be started: ${message}`)))
    child.once('close', (code) =>
      reject(fail(`it ended with ${code === null ? 'a signal' : `exit ${code}`}`)),
    )
    place.signal?.addEventListener('abort', () => reject(place.signal?.reason), { once: true })
  })
  stopped.catch(() => undefined)
  const replay = createReplay()
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin as Writable) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout as Readable) as ReadableStream<Uint8Array>,
  )
  heard()
  try {
    const connection = client({ name: 'git-handoff' })
      .onNotification('session/update', ({ params }) => {
        heard()
        replay.add(params.update)
      })
      .onRequest('session/request_permission', () => ({ outcome: { outcome: 'cancelled' } }))
      .connect(stream)
    const ask = async <T>(answer: Promise<T>): Promise<T> => {
      heard()
      return Promise.race([answer, stopped])
    }
    const { agent } = connection
    const answered = await ask(
      agent.request('initialize', {
        protocolVersion: PROTOCOL_VERSION,
        clientInfo: { name: 'git-handoff', version: '1' },
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      }),
    )
    const { agentCapabilities, protocolVersion } = answered
    if (protocolVersion !== PROTOCOL_VERSION)
      throw fail(`it speaks version ${protocolVersion} of the protocol`)
    if (agentCapabilities?.loadSession !== true) throw fail('it cannot load a session')
    if (session === undefined && agentCapabilities.sessionCapabilities?.list == null)
      throw fail('it cannot list its sessions; name one with `--session <id>`')
    const listed =
      session === undefined ? await ask(agent.request('session/list', { cwd: place.root })) : null
    const newest = (listed?.sessions ?? [])
      .filter(({ cwd }) => cwd === place.root)
      .sort((a, b) => ((a.updatedAt ?? '') < (b.updatedAt ?? '') ? 1 : -1))[0]
    const id = session ?? newest?.sessionId
    if (id === undefined) throw fail('it has no session of this folder')
    await ask(agent.request('session/load', { sessionId: id, cwd: place.root, mcpServers: [] }))
    const { events, size, isCut } = replay.end()
    if (isCut) out.warn(`${name} replayed more than is kept; the end of the session is missing`)
    const updatedAt = newest?.updatedAt ?? place.now().toISOString()
    return {
      adapter: adapterFor(name, answered, events),
      ref: {
        ...{ agent: name, id, path: `acp:${name}#${id}`, cwd: place.root, startedAt: null },
        ...{ updatedAt, bytes: size, ...(newest?.title ? { title: newest.title } : {}) },
      },
      isOurs: true,
    }
  } catch (error) {
    if (error instanceof Error && error.name === 'HandoffError') throw error
    place.signal?.throwIfAborted()
    // The end of its output is heard before how it ended.
    await Promise.race([stopped, sleep(LAST_WORDS)])
    throw fail(error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error))
  } finally {
    clearTimeout(timer)
    endGroup(child)
  }
}

/** What the rest of the program asks an adapter: a known one, but for the events. */
function adapterFor(
  name: string,
  { agentInfo }: InitializeResponse,
  events: Awaited<ReturnType<ReturnType<typeof createReplay>['end']>>['events'],
): Adapter {
  const known = adapters.find(({ id }) => id === name)
  const label = known?.label ?? agentInfo?.title ?? agentInfo?.name ?? name
  const version = agentInfo?.version
  return {
    ...{ marks: [], caller: () => null, find: async () => [], identify: async () => null },
    ...(known?.launch === undefined ? {} : { launch: known.launch }),
    ...{ id: name, label },
    async *read() {
      const stamp = { at: null, sub: null, cwd: null }
      if (version !== undefined) yield [{ ...stamp, kind: 'setting', version }]
      yield events
    },
  }
}
