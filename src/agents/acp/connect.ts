import { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ClientContext,
  client,
  type InitializeResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { acpFailed } from '../../errors/session.ts'
import { endGroup, start } from '../../programs.ts'
import { acpCommand, type OwnAcp } from './acp-command.ts'

const hasLetter = (line: string): boolean => /\p{L}/u.test(line)

/** Ms without a word after which an agent is given up. */
const SILENCE = 30_000
const LONGEST_ERROR = 300
/** Ms for the exit status of an agent that is gone. */
const LAST_WORDS = 300

export interface AcpAgent {
  name: string
  own: OwnAcp
  cwd: string
  env: Record<string, string>
  signal?: AbortSignal | undefined
  /** Ms without a word; 0: however long it takes. */
  limit?: number
  onUpdate(update: SessionUpdate): void
  /** The id of the option that was chosen; null: none. */
  onPermission?(request: RequestPermissionRequest): Promise<string | null>
}

export interface AcpConnection {
  agent: ClientContext
  answered: InitializeResponse
  /** Waits for an answer as long as the agent lives and speaks. Throws `acpFailed`. */
  ask<T>(answer: Promise<T>): Promise<T>
  fail(why: string): Error
}

/** Starts an agent and does `work` with it; it ends with all that it started, whatever comes. Throws `acpUnknown`, `acpFailed`. */
export async function withAcp<T>(
  given: AcpAgent,
  work: (connection: AcpConnection) => Promise<T>,
): Promise<T> {
  const { name, cwd, env, signal, limit = SILENCE, onUpdate, onPermission } = given
  const [program = '', ...args] = acpCommand(name, given.own)
  const child = start(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-LONGEST_ERROR)
  })
  const fail = (why: string): Error =>
    acpFailed(name, why, said.split('\n').findLast(hasLetter)?.trim() ?? '')
  let late: (() => void) | undefined
  let timer: NodeJS.Timeout | undefined
  /** Somebody spoke: the clock begins anew. */
  const heard = (): void => {
    clearTimeout(timer)
    if (limit > 0) timer = setTimeout(() => late?.(), limit)
  }
  const stopped = new Promise<never>((_, reject) => {
    late = () => reject(fail(`it said nothing for ${limit / 1000} s`))
    child.once('error', ({ message }) => reject(fail(`\`${program}\` could not be started: ${message}`)))
    child.once('close', (code) =>
      reject(fail(`it ended with ${code === null ? 'a signal' : `exit ${code}`}`)),
    )
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  stopped.catch(() => undefined)
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin as Writable) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout as Readable) as ReadableStream<Uint8Array>,
  )
  const ask = async <A>(answer: Promise<A>): Promise<A> => {
    heard()
    return Promise.race([answer, stopped])
  }
  heard()
  try {
    const { agent } = client({ name: 'git-handoff' })
      .onNotification('session/update', ({ params }) => {
        heard()
        onUpdate(params.update)
      })
      .onRequest('session/request_permission', async ({ params }) => {
        clearTimeout(timer)
        const optionId = (await onPermission?.(params)) ?? null
        heard()
        return { outcome: optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } }
      })
      .connect(stream)
    const answered = await ask(
      agent.request('initialize', {
        protocolVersion: PROTOCOL_VERSION,
        clientInfo: { name: 'git-handoff', version: '1' },
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      }),
    )
    const { protocolVersion: version } = answered
    if (version !== PROTOCOL_VERSION) throw fail(`it speaks version ${version} of the protocol`)
    return await work({ agent, answered, ask, fail })
  } catch (error) {
    if (error instanceof Error && error.name === 'HandoffError') throw error
    signal?.throwIfAborted()
    // The end of its output is heard before how it ended.
    await Promise.race([stopped, sleep(LAST_WORDS)])
    throw fail(error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error))
  } finally {
    clearTimeout(timer)
    endGroup(child)
  }
}
