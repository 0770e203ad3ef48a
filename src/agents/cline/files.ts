import { basename, dirname, join } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import type { Home } from '../../types/place.ts'
import type { SessionRef } from '../../types/session.ts'
import { type Fields, fieldsOf, recordOf, textOf, timeOf } from '../fields.ts'
import { fileRef, namesIn, readEnds, sessionsAt, textIfThere } from '../session-files.ts'
import { headerIn } from '../whole-json.ts'

const MESSAGES = '.messages.json'

export const clineFolder = ({ home, env }: Home): string => env.CLINE_DIR || join(home, '.cline')

/**
 * Sessions started inside one of `roots`, newest first, in `sessions/<id>` of the data folder or of the one that the environment
 * names (sdk/packages/shared/src/storage/paths.ts of 3.0.56). A session in which nothing was said is none.
 */
export const findClineFiles: Adapter['find'] = async ({ home, env }, roots, onUnread) => {
  const data = env.CLINE_DATA_DIR || join(clineFolder({ home, env }), 'data')
  const folder = env.CLINE_SESSION_DATA_DIR || join(data, 'sessions')
  const paths = namesIn(folder, onUnread).map((name) => join(folder, name, name + MESSAGES))
  return sessionsAt(paths, roots, onUnread, readClineRef, (head) => SIGN.test(head))
}

/** How a file of messages begins, in the order of its fields (core/src/services/session-data.ts of 3.0.56). */
const SIGN =
  /^\s*\{\s*"version":\s*1,\s*"updated_at":\s*"[^"]*",\s*"agent":\s*"(?:lead|subagent|teammate)",\s*"sessionId":/
/** How the files beside it begin: the manifest and the last compaction (core/src/session/models of 3.0.56). */
const BESIDE =
  /^\s*\{\s*"version":\s*1,\s*"(?:session_id":\s*"[^"]*",\s*"source"|updated_at":\s*"[^"]*",\s*(?:"conversation_id":\s*"[^"]*",\s*)?"source_message_count"):/

/** Takes a file of messages, and for a file beside it those messages. */
export function identifyCline(path: string, head: string): SessionRef | null {
  if (SIGN.test(head)) return readClineRef(path)
  return BESIDE.test(head) ? readClineRef(path.replace(/(?:\.compaction)?\.json$/, MESSAGES)) : null
}

const FIRST_TIME = /"ts":\s*(\d+)/

function readClineRef(path: string): SessionRef | null {
  const ends = readEnds(path, true)
  if (!ends || !SIGN.test(ends.head) || !/"messages":\s*\[\s*\{/.test(ends.head)) return null
  const header = headerIn(ends.head, 'messages')
  const id = textOf(header.sessionId)
  if (id === '') return null
  const manifest = path.endsWith(MESSAGES) ? readBeside(path, '.json') : {}
  const { title, git } = fieldsOf(manifest.metadata)
  const from = timeOf(manifest.started_at) ?? Number(FIRST_TIME.exec(ends.head)?.[1])
  const { branch } = fieldsOf(git)
  return fileRef('cline', path, ends, { id, cwd: manifest.cwd, from, to: header.updated_at, title, branch })
}

/** The file beside the messages with this ending; empty where there is none, or a torn one. */
const readBeside = (path: string, ending: string): Fields =>
  recordOf(textIfThere(path.slice(0, -MESSAGES.length) + ending) ?? '')

/** A summary that took the place of the first `count` messages, which stay on file. */
export interface Compaction {
  count: number
  at: string | null
  summary: string
}

/** The last compaction, kept in a file of its own (core/src/session/models/session-compaction.ts of 3.0.56). */
export function readClineCompaction(path: string): Compaction | null {
  if (!path.endsWith(MESSAGES)) return null
  const { messages, source_message_count: count, updated_at } = readBeside(path, '.compaction.json')
  if (!Array.isArray(messages) || typeof count !== 'number') return null
  const kinds = messages.map((message) => fieldsOf(fieldsOf(message).metadata))
  const { generatedAt, summary } = kinds.find(({ kind }) => kind === 'compaction_summary') ?? {}
  return { count, at: timeOf(generatedAt) ?? timeOf(updated_at), summary: textOf(summary) }
}

/** Files of the subagents and teammates of a session, which lie beside its own. */
export function clineSubagents(ref: SessionRef): { label: string; path: string; startedAt: string }[] {
  const folder = dirname(ref.path)
  const names = ref.path.endsWith(MESSAGES) ? namesIn(folder) : []
  return names.flatMap((name) => {
    if (!name.endsWith(MESSAGES) || name === basename(ref.path)) return []
    const path = join(folder, name)
    const { head = '' } = readEnds(path) ?? {}
    const { agent, sessionId } = headerIn(head, 'messages')
    const startedAt = timeOf(Number(FIRST_TIME.exec(head)?.[1]))
    const isOurs = agent !== 'lead' && textOf(sessionId).startsWith(`${ref.id}__`)
    return isOurs && startedAt !== null ? [{ label: name.slice(0, -MESSAGES.length), path, startedAt }] : []
  })
}
