import { type HandoffError, isHandoffError } from '../errors/handoff-error.ts'
import { sessionFormat } from '../errors/session.ts'
import type { Adapter } from '../types/agent.ts'
import type { Home } from '../types/config.ts'
import type { AgentId, SessionRef } from '../types/session.ts'
import { jsonOf } from './fields.ts'
import { newestFirst, readHead, withFile } from './session-files.ts'
import { adapters, byFormat } from './table.ts'

/** Bytes of a file that are enough to tell its format, unless its first line is longer. */
const HEAD = 64 * 1024
/** Ms after which a person hears what is waited for. */
const FIRST_WORD = 2_000

interface FindOptions {
  /** Only the newest session and those at most this many ms older are wanted: a costly agent is asked only when it may have one. */
  within?: number
  /** Which of those found may be the one that is wanted; absent: all. */
  own?: (found: SessionRef[]) => Promise<SessionRef[]>
  /** Is told when one agent of several cannot be asked, and of an unreadable file that is newer than all that were found; absent: thrown. */
  onMissed?: (error: HandoffError) => void
  /** Is told the name of an agent whose sessions take long to find: its program may wait for a database that the agent holds. */
  onSlow?: (label: string) => void
}

/** Sessions of every agent (or `only` one) that belong to `roots`, newest first; equal times in a fixed order. */
export async function findSessions(
  place: Home,
  roots: string[],
  only?: AgentId,
  { within, own, onMissed, onSlow }: FindOptions = {},
): Promise<SessionRef[]> {
  const asked = adapters.filter((adapter) => only === undefined || adapter.id === only)
  const unread: { error: HandoffError; changedAt: number }[] = []
  const isLate = (adapter: Adapter): boolean =>
    only === undefined && within !== undefined && adapter.lastWrite !== undefined
  const missed = (error: unknown): [] => {
    if (only !== undefined || onMissed === undefined || !isHandoffError(error)) throw error
    onMissed(error)
    return []
  }
  const find = (adapter: Adapter): Promise<SessionRef[]> => {
    const timer = setTimeout(() => onSlow?.(adapter.label), FIRST_WORD)
    return adapter
      .find(place, roots, (error, changedAt) => {
        if (isHandoffError(error)) unread.push({ error, changedAt })
      })
      .catch(missed)
      .finally(() => clearTimeout(timer))
  }
  const found = (await Promise.all(asked.filter((adapter) => !isLate(adapter)).map(find))).flat()
  const wanted = own === undefined ? found : await own(found)
  const newest = Math.max(...wanted.map((ref) => Date.parse(ref.updatedAt)))
  const late = asked.filter(isLate).map(async (adapter) => {
    const last = await adapter.lastWrite?.(place).catch(missed)
    return typeof last === 'number' && last + (within ?? 0) >= newest ? find(adapter) : []
  })
  const all = [...found, ...(await Promise.all(late)).flat()].sort(newestFirst)
  const last = all[0] === undefined ? 0 : Date.parse(all[0].updatedAt)
  // One that is packed may be any of a list.
  const isListed = (error: HandoffError) => within === undefined && error.code === 'E_SESSION_PACKED'
  for (const { error, changedAt } of unread) if (changedAt > last || isListed(error)) onMissed?.(error)
  return all
}

/** The agent that wrote a file, by its first bytes. Throws `sessionUnreadable`, and `sessionFormat` when it is empty, binary or unknown. */
export async function identifyFile(path: string): Promise<{ adapter: Adapter; ref: SessionRef }> {
  const head = withFile(path, (file) => file.at(0, HEAD))
  if (head.length === 0) throw sessionFormat(path, 'the file is empty')
  if (head.includes(0)) throw sessionFormat(path, 'it is a binary file')
  const text = head.toString('utf8')
  if (text.trim() === '') throw sessionFormat(path, 'it holds blank lines only')
  // With all of the first line, which may be an export of hundreds of megabytes.
  const whole = () => withFile(path, (file) => readHead(file, HEAD)).toString('utf8')
  const found = (await identifyBy(path, text)) ?? (await identifyBy(path, whole()))
  if (found !== null) return found
  throw sessionFormat(
    path,
    hasRecord(text) ? 'its records are of no known kind' : 'no line of it is a valid record',
  )
}

async function identifyBy(path: string, head: string): Promise<{ adapter: Adapter; ref: SessionRef } | null> {
  for (const adapter of byFormat) {
    const ref = await adapter.identify(path, head)
    if (ref) return { adapter, ref }
  }
  return null
}

const hasRecord = (text: string): boolean =>
  text.split('\n').some((line) => {
    const value: unknown = line.trim() === '' ? null : jsonOf(line)
    return typeof value === 'object' && value !== null
  })
