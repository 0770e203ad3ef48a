import { basename, dirname, join } from 'node:path'
import type { OnUnread } from '../../types/agent.ts'
import type { Place } from '../../types/place.ts'
import type { SessionRef } from '../../types/session.ts'
import { type Fields, listOf, recordOf, textOf, timeOf } from '../fields.ts'
import { namesIn, readEnds, refAt, sessionsIn, textIfThere } from '../session-files.ts'

export const kiroFolder = ({ home, env }: Pick<Place, 'home' | 'env'>): string =>
  env.KIRO_HOME || join(home, '.kiro')

/** Sessions of the CLI, and of the IDE in a folder for each workspace. */
export async function findKiro(
  { home, env }: Pick<Place, 'home' | 'env'>,
  roots: readonly string[],
  onUnread?: OnUnread,
): Promise<SessionRef[]> {
  const folder = join(kiroFolder({ home, env }), 'sessions')
  const found = namesIn(folder, onUnread, true)
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith('.jsonl'))
    .map((path) => refAt(path, basename(path) === 'messages.jsonl' ? ideRef : cliRef, onUnread))
  return sessionsIn(found, roots)
}

/** How a record begins: of the CLI, of the IDE, and of its earlier builds. */
const RECORD = /^\s*\{[^\n]*"(?:data|payload|role)"\s*:/

const headerAt = (path: string): Fields => recordOf(textIfThere(path) ?? '')

export function cliRef(path: string): SessionRef | null {
  const { session_id, cwd, title, created_at, updated_at } = headerAt(path.replace(/\.jsonl$/, '.json'))
  return refOf(path, textOf(session_id) || basename(path, '.jsonl'), cwd, title, [created_at, updated_at])
}

export function ideRef(path: string): SessionRef | null {
  const { workspacePaths, title, createdAt, lastModifiedAt } = headerAt(join(dirname(path), 'session.json'))
  return refOf(path, basename(dirname(path)), listOf(workspacePaths)[0], title, [createdAt, lastModifiedAt])
}

function refOf(
  path: string,
  id: string,
  cwd: unknown,
  title: unknown,
  [from, to]: readonly [unknown, unknown],
): SessionRef | null {
  const ends = readEnds(path)
  if (!ends || !RECORD.test(ends.head)) return null
  return {
    agent: 'kiro',
    id,
    path,
    cwd: textOf(cwd) || null,
    startedAt: timeOf(from),
    updatedAt: timeOf(to) ?? ends.mtime.toISOString(),
    bytes: ends.size,
    ...(textOf(title) === '' ? {} : { title: textOf(title) }),
  }
}
