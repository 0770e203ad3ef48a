import { basename, dirname, join } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import type { Home } from '../../types/place.ts'
import type { SessionRef } from '../../types/session.ts'
import { type Fields, listOf, recordOf, textOf } from '../fields.ts'
import { fileRef, pathsIn, readEnds, sessionsAt, textIfThere } from '../session-files.ts'

export const kiroFolder = ({ home, env }: Home): string => env.KIRO_HOME || join(home, '.kiro')

/** Sessions of the CLI, and of the IDE in a folder for each workspace. */
export const findKiro: Adapter['find'] = async (place, roots, onUnread) => {
  const all = pathsIn(join(kiroFolder(place), 'sessions'), onUnread, true)
  const paths = all.filter((path) => path.endsWith('.jsonl'))
  const read = (path: string) => (basename(path) === 'messages.jsonl' ? ideRef : cliRef)(path)
  return sessionsAt(paths, roots, onUnread, read)
}

/** How a record begins: of the CLI, of the IDE, and of its earlier builds. */
const RECORD = /^\s*\{[^\n]*"(?:data|payload|role)"\s*:/

const headerAt = (path: string): Fields => recordOf(textIfThere(path) ?? '')

export function cliRef(path: string): SessionRef | null {
  const header = headerAt(path.replace(/\.jsonl$/, '.json'))
  const { session_id, cwd, title, created_at: from, updated_at: to } = header
  return refOf(path, { id: textOf(session_id) || basename(path, '.jsonl'), cwd, title, from, to })
}

export function ideRef(path: string): SessionRef | null {
  const header = headerAt(join(dirname(path), 'session.json'))
  const { workspacePaths, title, createdAt: from, lastModifiedAt: to } = header
  return refOf(path, { id: basename(dirname(path)), cwd: listOf(workspacePaths)[0], title, from, to })
}

function refOf(path: string, told: Parameters<typeof fileRef>[3]): SessionRef | null {
  const ends = readEnds(path)
  return ends && RECORD.test(ends.head) ? fileRef('kiro', path, ends, told) : null
}
