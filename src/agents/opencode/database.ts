import { join, resolve } from 'node:path'
import { reasonOf } from '../../errors/handoff-error.ts'
import { kiloUnreadable, openCodeUnreadable } from '../../errors/session.ts'
import type { Fullness } from '../../types/agent.ts'
import type { Home, Place } from '../../types/config.ts'
import { type Fields, fieldsOf, numberOf, recordOf, textOf } from '../fields.ts'
import { fullnessOf } from '../fullness.ts'
import { readSettings } from '../setup.ts'
import { nodeSqlite, quoted, sqliteLines } from '../sqlite.ts'
import { openCodeProgram, programLines } from './program.ts'

/** OpenCode or its fork: the agent, which is also the name of its folder and file, and the variable that names another file. */
export interface Product {
  id: 'opencode' | 'kilo'
  variable: string
  unreadable: typeof openCodeUnreadable
}
export const OPENCODE: Product = { id: 'opencode', variable: 'OPENCODE_DB', unreadable: openCodeUnreadable }
export const KILO: Product = { id: 'kilo', variable: 'KILO_DB', unreadable: kiloUnreadable }

/** The SQLite file of all sessions (1.18), absolute: `OPENCODE_DB`, or below `XDG_DATA_HOME`. */
export const databasePath = ({ home, env }: Home, { id, variable } = OPENCODE): string =>
  resolve(env.XDG_DATA_HOME || join(home, '.local', 'share'), id, env[variable] || `${id}.db`)

/** Null for the path of an export. */
export function splitSessionPath(path: string): { database: string; id: string } | null {
  const match = /^(.+)#(ses_\w+)$/s.exec(path)
  return match ? { database: match[1] ?? '', id: match[2] ?? '' } : null
}

/**
 * Rows of one column, from the file where Node can open it, else from the slow program of OpenCode if `isWorthIt`.
 * Throws `unreadable` of the product, which says what is missing.
 */
export async function* queryLines(
  database: string,
  sql: string,
  place: Pick<Place, 'home' | 'env' | 'signal'>,
  { id, unreadable }: Product = OPENCODE,
  isWorthIt: () => Promise<boolean> = async () => true,
): AsyncGenerator<string[]> {
  let told = false
  let why = `Node ${process.version} cannot open it without help (22.13 and newer can)`
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
      if (told) throw unreadable(database, reasonOf(cause), cause)
      why = reasonOf(cause)
    }
  if (!(await isWorthIt())) return
  // OpenCode's program would bring the file of its fork to its own form, and waits five more seconds for one that is held (1.18.33).
  if (id === 'kilo' || why.includes('locked')) throw unreadable(database, why)
  const program = await openCodeProgram(place)
  if (program === null) throw unreadable(database, `${why}, and the program \`opencode\` is not on PATH`)
  try {
    for await (const lines of programLines(program, database, sql, place)) yield lines
  } catch (cause) {
    place.signal?.throwIfAborted()
    throw unreadable(database, reasonOf(cause), cause)
  }
}

/** Tokens of the last reply and its model's window. Null where Node cannot open the database: OpenCode starts too slowly for a hook. */
export async function openCodeFullness(
  { database, id }: { database: string; id: string },
  place: Home,
): Promise<Fullness | null> {
  const sqlite = nodeSqlite()
  if (sqlite === null) return null
  const [line] = [...sqliteLines(sqlite, database, sqlOf(id))].flat()
  if (line === undefined) return null
  const { provider, model, tokens } = recordOf(line)
  const limit = limitOf(place, textOf(provider), textOf(model))
  return fullnessOf(tokens, limit.context, (window) =>
    openCodeCompactsAt(window, numberOf(limit.input), numberOf(limit.output)),
  )
}

const sqlOf = (id: string): string => `select json_object('provider', json_extract(data, '$.providerID'),
  'model', json_extract(data, '$.modelID'), 'tokens', json_extract(data, '$.tokens.total')) as line
from message where session_id = ${quoted(id)} and json_extract(data, '$.tokens.total') > 0
  and json_extract(data, '$.summary') is not 1
order by time_created desc, id desc limit 1`

/** Limits of the model in tokens; settings of the person first, then what OpenCode fetched from models.dev. */
function limitOf({ home, env }: Home, provider: string, model: string): Fields {
  const config =
    env.OPENCODE_CONFIG || join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode/opencode.json')
  const limitIn = (providers: Fields): Fields => {
    const { models } = fieldsOf(providers[provider])
    return fieldsOf(fieldsOf(fieldsOf(models)[model]).limit)
  }
  const list = join(env.XDG_CACHE_HOME || join(home, '.cache'), 'opencode/models.json')
  const own = limitIn(fieldsOf(fieldsOf(readSettings(config)).provider))
  return numberOf(own.context) === null ? limitIn(fieldsOf(readSettings(list))) : own
}

/** Most tokens that OpenCode keeps free for a reply, and for a request where the model limits those. */
const FOR_REPLY = 32_000
const FOR_REQUEST = 20_000

/** Where OpenCode 1.18 compacts by itself (`session/compaction.ts`). */
export function openCodeCompactsAt(context: number, input: number | null, output: number | null): number {
  const reply = Math.min(output || FOR_REPLY, FOR_REPLY)
  return input === null ? context - reply : input - Math.min(reply, FOR_REQUEST)
}
