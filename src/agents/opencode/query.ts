import { openCodeUnreadable } from '../../errors/session.ts'
import type { Place } from '../../types/place.ts'
import { openCodeProgram, programLines } from './program.ts'
import { nodeSqlite, sqliteLines } from './sqlite.ts'

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
