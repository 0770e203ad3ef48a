import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Fullness, Place } from '../types.ts'
import { type Fields, fieldsOf, numberOf, recordOf, textOf } from './fields.ts'
import { quoted } from './opencode-query.ts'
import { nodeSqlite, sqliteLines } from './opencode-sqlite.ts'

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
  const window = await windowOf(place, textOf(provider), textOf(model))
  const count = numberOf(tokens)
  return window === null || count === null ? null : { tokens: count, window }
}

const sqlOf = (id: string): string => `select json_object('provider', json_extract(data, '$.providerID'),
  'model', json_extract(data, '$.modelID'), 'tokens', json_extract(data, '$.tokens.total')) as line
from message where session_id = ${quoted(id)} and json_extract(data, '$.tokens.total') > 0
  and json_extract(data, '$.summary') is not 1
order by time_created desc, id desc limit 1`

/** Tokens; settings of the person first, then what OpenCode fetched from models.dev. */
async function windowOf(
  { home, env }: Pick<Place, 'home' | 'env'>,
  provider: string,
  model: string,
): Promise<number | null> {
  const config =
    env.OPENCODE_CONFIG || join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode/opencode.json')
  const limitIn = (providers: Fields): number | null => {
    const { models } = fieldsOf(providers[provider])
    return numberOf(fieldsOf(fieldsOf(fieldsOf(models)[model]).limit).context)
  }
  const list = join(env.XDG_CACHE_HOME || join(home, '.cache'), 'opencode/models.json')
  const window = limitIn(fieldsOf((await readJson(config)).provider)) ?? limitIn(await readJson(list))
  return window !== null && window > 0 ? window : null
}

async function readJson(path: string): Promise<Fields> {
  try {
    return fieldsOf(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return {} // Not there, or with comments: the window is not known then.
  }
}
