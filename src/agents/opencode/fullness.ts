import { join } from 'node:path'
import type { Fullness } from '../../types/agent.ts'
import type { Place } from '../../types/place.ts'
import { type Fields, fieldsOf, numberOf, recordOf, textOf } from '../fields.ts'
import { readSettings } from '../setup.ts'
import { nodeSqlite, quoted, sqliteLines } from './database.ts'

/**
 * Tokens of the last reply of the session, as OpenCode counts them, and its model's window as the person's settings or the list
 * of models tell it. Null where Node cannot open the database: to start OpenCode takes too long for a hook, and our plugin
 * sends its own figure.
 */
export async function openCodeFullness(
  { database, id }: { database: string; id: string },
  place: Pick<Place, 'home' | 'env'>,
): Promise<Fullness | null> {
  const sqlite = nodeSqlite()
  if (sqlite === null) return null
  const [line] = [...sqliteLines(sqlite, database, sqlOf(id))].flat()
  if (line === undefined) return null
  const { provider, model, tokens } = recordOf(line)
  const limit = limitOf(place, textOf(provider), textOf(model))
  const count = numberOf(tokens)
  const window = numberOf(limit.context)
  if (window === null || window <= 0 || count === null) return null
  const at = openCodeCompactsAt(window, numberOf(limit.input), numberOf(limit.output))
  return { tokens: count, window, ...(at > 0 && at < window ? { compactsAt: at } : {}) }
}

const sqlOf = (id: string): string => `select json_object('provider', json_extract(data, '$.providerID'),
  'model', json_extract(data, '$.modelID'), 'tokens', json_extract(data, '$.tokens.total')) as line
from message where session_id = ${quoted(id)} and json_extract(data, '$.tokens.total') > 0
  and json_extract(data, '$.summary') is not 1
order by time_created desc, id desc limit 1`

/** Limits of the model in tokens; settings of the person first, then what OpenCode fetched from models.dev. */
function limitOf({ home, env }: Pick<Place, 'home' | 'env'>, provider: string, model: string): Fields {
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
