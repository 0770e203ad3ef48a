import { join } from 'node:path'
import { gooseUnreadable } from '../../errors/session.ts'
import type { Adapter } from '../../types/agent.ts'
import type { Home } from '../../types/place.ts'
import type { SessionRef } from '../../types/session.ts'
import { type Fields, recordOf, textOf } from '../fields.ts'
import { fileRef, readEnds, sessionsIn } from '../session-files.ts'
import { lastWrite, nodeSqlite, sessionPath, sqliteLines } from '../sqlite.ts'
import { headerIn } from '../whole-json.ts'

export const databasePath = ({ home, env }: Home): string =>
  env.GOOSE_PATH_ROOT
    ? join(env.GOOSE_PATH_ROOT, 'data/sessions/sessions.db')
    : join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'goose/sessions/sessions.db')

/** The first column of a query's rows, parsed. Throws `gooseUnreadable`. */
export function* rowsOf(database: string, sql: string): Generator<Fields> {
  const sqlite = nodeSqlite()
  if (sqlite === null)
    throw gooseUnreadable(database, `Node ${process.version} cannot open it (22.13 and newer can)`)
  try {
    for (const lines of sqliteLines(sqlite, database, sql)) yield* lines.map(recordOf)
  } catch (cause) {
    throw gooseUnreadable(database, cause instanceof Error ? cause.message : String(cause), cause)
  }
}

const COLUMNS = "select json_object('name', name) from pragma_table_info('sessions')"
const SESSIONS = `select json_object('id', s.id, 'cwd', s.working_dir, 'from', s.created_at, 'to', s.updated_at,
  'bytes', (select sum(length(content_json)) from messages m where m.session_id = s.id)) from sessions s`

/** Sessions that a person began; those of subagents are named by another type. */
export const findGoose: Adapter['find'] = async (place, roots) => {
  const database = databasePath(place)
  if ((await lastWrite(database)) === null) return []
  const hasType = [...rowsOf(database, COLUMNS)].some(({ name }) => name === 'session_type')
  const rows = rowsOf(database, hasType ? `${SESSIONS} where s.session_type <> 'sub_agent'` : SESSIONS)
  return sessionsIn(
    [...rows].map(({ cwd, bytes, ...row }) => {
      const [id, size] = [textOf(row.id), Number(bytes ?? 0)]
      const [from, to] = [utc(row.from), utc(row.to)]
      return fileRef('goose', sessionPath(database, id), { size, mtime: new Date(0) }, { id, cwd, from, to })
    }),
    roots,
  )
}

/** SQLite writes times of UTC without saying so: `2026-11-22 10:00:00`. */
const utc = (time: unknown): string => {
  const text = textOf(time)
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?$/.test(text) ? `${text.replace(' ', 'T')}Z` : text
}

export function exportRef(path: string): SessionRef | null {
  const ends = readEnds(path)
  const header = headerIn(ends?.head ?? '', 'conversation')
  if (!ends || textOf(header.working_dir) === '') return null
  return fileRef('goose', path, ends, {
    id: textOf(header.id),
    cwd: header.working_dir,
    from: utc(header.created_at),
    to: utc(header.updated_at),
    title: textOf(header.name) || header.description,
  })
}
