import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openCodeUnreadable } from '../../errors/session.ts'
import type { Place } from '../../types/place.ts'
import { openCodeProgram, programLines } from './program.ts'

/**
 * The one SQLite file in which OpenCode 1.18 keeps the sessions of all projects, absolute: `OPENCODE_DB`, or below
 * `XDG_DATA_HOME`.
 */
export const databasePath = ({ home, env }: Pick<Place, 'home' | 'env'>): string =>
  resolve(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'opencode', env.OPENCODE_DB || 'opencode.db')

/**
 * When something was last written into the database, in ms since 1970; null when there is none. Every write goes to the log
 * beside it first; the file itself also changes when OpenCode is merely started.
 */
export async function lastWrite(path: string): Promise<number | null> {
  const [file, log] = [sizeAndTime(path), sizeAndTime(`${path}-wal`)]
  if (file === null) return null
  return log !== null && log.size > 0 ? log.mtimeMs : file.mtimeMs
}

function sizeAndTime(path: string): { size: number; mtimeMs: number } | null {
  try {
    return statSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}

/** One session of many in a file: stands where other agents have the path of a transcript. */
export const sessionPath = (database: string, id: string): string => `${database}#${id}`

/** Null for the path of an export. */
export function splitSessionPath(path: string): { database: string; id: string } | null {
  const match = /^(.+)#(ses_\w+)$/s.exec(path)
  return match ? { database: match[1] ?? '', id: match[2] ?? '' } : null
}

/**
 * The rows of a query of one column of text without line breaks, in batches: from the file where Node can open it, else from
 * OpenCode itself, which is slow to start: `isWorthIt` may spare that. Throws `openCodeUnreadable`, which says what is missing.
 */
export async function* queryLines(
  database: string,
  sql: string,
  place: Pick<Place, 'home' | 'env' | 'signal'>,
  isWorthIt: () => Promise<boolean> = async () => true,
): AsyncGenerator<string[]> {
  let told = false
  let why = `Node ${process.version} cannot open it by itself (22.13 and newer can)`
  const sqlite = nodeSqlite()
  if (sqlite !== null)
    try {
      for (const lines of sqliteLines(sqlite, database, sql)) {
        place.signal?.throwIfAborted()
        yield lines
        told = true
      }
      return
    } catch (cause) {
      place.signal?.throwIfAborted()
      // Half of the rows are told already: asked anew, they would be told twice.
      if (told) throw openCodeUnreadable(database, messageOf(cause), cause)
      why = messageOf(cause)
    }
  if (!(await isWorthIt())) return
  const program = await openCodeProgram(place)
  if (program === null)
    throw openCodeUnreadable(database, `${why}, and the program \`opencode\` is not on PATH`)
  try {
    for await (const lines of programLines(program, database, sql, place)) yield lines
  } catch (cause) {
    place.signal?.throwIfAborted()
    throw openCodeUnreadable(database, messageOf(cause), cause)
  }
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** A value as SQL writes it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

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
/** How long OpenCode may hold the database while it writes, in ms: its own limit. */
const PATIENCE = 5000

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
