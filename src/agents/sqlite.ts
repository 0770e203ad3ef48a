import { statSync } from 'node:fs'
import { type HandoffError, isMissing } from '../errors/handoff-error.ts'
import { sessionUnreadable } from '../errors/session.ts'
import type { AgentId, ReadOptions, SessionRef } from '../types/session.ts'
import { type Fields, numberOf, recordOf, textOf } from './fields.ts'
import { fileRef } from './session-files.ts'

/** When the database was last written, in ms since 1970, or null. Writes go to its log first; a start of OpenCode touches the file too. */
export async function lastWrite(path: string): Promise<number | null> {
  const [file, log] = [sizeAndTime(path), sizeAndTime(`${path}-wal`)]
  // Its agent was started, and wrote nothing.
  if (file === null || (file.size === 0 && log === null)) return null
  return log !== null && log.size > 0 ? log.mtimeMs : file.mtimeMs
}

function sizeAndTime(path: string): { size: number; mtimeMs: number } | null {
  try {
    return statSync(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw sessionUnreadable(path, error)
  }
}

/** One session of many in a file: stands where other agents have the path of a transcript. */
export const sessionPath = (database: string, id: string): string => `${database}#${id}`

/** A column of JSON as it stands within `json_object`; null where it is damaged. */
export const jsonIn = (column: string): string => `case when json_valid(${column}) then json(${column}) end`

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Whether a column may hold a directory within `roots`: a first choice, so that nothing else of a large database is looked at. */
export const isBelow = (column: string, roots: readonly string[]): string =>
  roots.map((root) => `${column} like ${quoted(`${root}%`)}`).join(' or ') || '0'

/** As much of `node:sqlite` as is used here. */
interface Sqlite {
  DatabaseSync: new (
    path: string,
    options: { readOnly: boolean },
  ) => {
    exec(sql: string): void
    prepare(sql: string): { iterate(): IterableIterator<Record<string, unknown>> }
    close(): void
  }
}

/** Rows told at a time; between batches the caller can stop. */
const BATCH = 500
/** How long an agent may hold its database, in ms: a person waits for no more than two seconds. */
const PATIENCE = 1000

/** SQLite as Node brings it since 22.13 (22.5 behind a flag); null where it does not. */
export function nodeSqlite(): Sqlite | null {
  // Its note that it is experimental is not for the person who asked for a brief.
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return (process.getBuiltinModule?.('node:sqlite') as Sqlite | undefined) ?? null
  } finally {
    process.emitWarning = emitWarning
  }
}

/** The first column of every row, in batches. Throws what SQLite throws. */
export function* sqliteLines(sqlite: Sqlite, path: string, sql: string): Generator<string[]> {
  const database = new sqlite.DatabaseSync(path, { readOnly: true })
  try {
    database.exec(`pragma busy_timeout = ${PATIENCE}`)
    let batch: string[] = []
    for (const row of database.prepare(sql).iterate()) {
      batch.push(String(Object.values(row)[0]))
      if (batch.length < BATCH) continue
      yield batch
      batch = []
    }
    yield batch
  } finally {
    database.close()
  }
}

/** What a database that cannot be read becomes. */
type Fail = (database: string, why: string, cause?: unknown) => HandoffError

/** The first column of a query's rows, parsed. Throws what `fail` makes of a file that cannot be read. */
export function* recordsOf(
  fail: Fail,
  database: string,
  sql: string,
  onLine?: (line: string) => void,
): Generator<Fields> {
  const sqlite = nodeSqlite()
  if (sqlite === null) throw fail(database, `Node ${process.version} cannot open it (22.13 and newer can)`)
  try {
    for (const lines of sqliteLines(sqlite, database, sql))
      for (const line of lines) {
        onLine?.(line)
        yield recordOf(line)
      }
  } catch (cause) {
    throw fail(database, cause instanceof Error ? cause.message : String(cause), cause)
  }
}

/** Sessions of a database, whose rows tell `id` and `bytes` and what `fileRef` takes. */
export const storedRefs = (agent: AgentId, fail: Fail, database: string, sql: string): SessionRef[] =>
  [...recordsOf(fail, database, sql)].map(({ bytes, ...told }) => {
    const id = textOf(told.id)
    const file = { size: numberOf(bytes) ?? 0, mtime: new Date(0) }
    return fileRef(agent, sessionPath(database, id), file, { ...told, id })
  })

/** Rows of one session; null where its path names a file of its own. */
export function storedRows(
  fail: Fail,
  { path }: Pick<SessionRef, 'path'>,
  { signal, onRaw }: ReadOptions,
  sqlOf: (id: string) => string,
): Generator<Fields> | null {
  const [, database, id] = /^(.+\.(?:db|sqlite3))#([^#]+)$/s.exec(path) ?? []
  if (database === undefined || id === undefined) return null
  let offset = 0
  return recordsOf(fail, database, sqlOf(quoted(id)), (line) => {
    signal?.throwIfAborted()
    const raw = Buffer.from(line)
    onRaw?.(raw, { path, offset })
    offset += raw.length
  })
}
