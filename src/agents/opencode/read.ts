import { open } from 'node:fs/promises'
import { homedir } from 'node:os'
import { sep } from 'node:path'
import { sessionUnreadable } from '../../errors/session.ts'
import type { Place } from '../../types/config.ts'
import type { Batches, PlanItem, ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { type Fields, fieldsOf, numberOf, recordOf, textOf, timeOf } from '../fields.ts'
import { fileRef } from '../session-files.ts'
import { quoted, sessionPath } from '../sqlite.ts'
import { openCodePlan } from './calls.ts'
import { KILO, OPENCODE, type Product, queryLines } from './database.ts'
import { createOpenCodeTranslator, titleOf } from './events.ts'

/** The active conversation of a session in the database, its subagents between. Throws `unreadable` of the product, `sessionUnreadable`. */
export async function* readSession(
  ref: SessionRef,
  { database, id }: { database: string; id: string },
  options: ReadOptions,
): Batches {
  const rows = createRows(options)
  let offset = 0
  const product = ref.agent === KILO.id ? KILO : OPENCODE
  for await (const lines of queryLines(database, sqlOf(id), placeOf(options), product)) {
    const raw = Buffer.from(lines.map((line) => `${line}\n`).join(''))
    options.onRaw?.(raw, { path: ref.path, offset })
    offset += raw.length
    yield lines.flatMap(rows.add)
  }
  if (!rows.isThere()) throw sessionUnreadable(ref.path, new Error('the database has no such session'))
  yield rows.end()
}

/** The same session as the text of an export, subagents among the messages. Throws as reading it does. */
export async function exportText(
  { database, id }: { database: string; id: string },
  options: Pick<ReadOptions, 'place' | 'signal'>,
  product = OPENCODE,
): Promise<string> {
  let info: Fields = {}
  const messages: Message[] = []
  for await (const lines of queryLines(database, sqlOf(id), placeOf(options), product))
    for (const line of lines) {
      const row = recordOf(line)
      if (row.session !== undefined) info = fieldsOf(row.session)
      else if (row.part !== undefined) messages.at(-1)?.parts.push(partOf(row))
      else if (row.message !== undefined) messages.push(messageOf(row))
    }
  try {
    return JSON.stringify({ info, messages })
  } catch (error) {
    // Rows can be read that are nested deeper than they can be written.
    throw sessionUnreadable(database, error)
  }
}

const placeOf = ({ place, signal }: Pick<ReadOptions, 'place' | 'signal'>) => ({
  home: homedir(),
  env: process.env,
  ...place,
  signal,
})

type Message = {
  info: Fields
  parts: Fields[]
}

const messageOf = (row: Fields): Message => ({
  info: { ...fieldsOf(row.data), id: row.message, sessionID: row.of },
  parts: [],
})
const partOf = (row: Fields): Fields => ({ ...fieldsOf(row.data), id: row.part })

/** Folds rows into events: a message is told when its last part has come. */
function createRows(options: Pick<ReadOptions, 'onSkip'>) {
  let info: Fields | null = null
  const todos: Fields[] = []
  let translator: ReturnType<typeof createOpenCodeTranslator> | null = null
  let message: Message | null = null
  let plan: PlanItem[] = []

  const told = (events: SessionEvent[]): SessionEvent[] => {
    for (const event of events) if (event.kind === 'plan' && event.sub === null) plan = event.items
    return events
  }
  const flush = (): SessionEvent[] => {
    const whole = message
    message = null
    return whole && translator ? told(translator.add(whole)) : []
  }
  return {
    isThere: () => info !== null,
    add(line: string): SessionEvent[] {
      const row = recordOf(line)
      if (Object.keys(row).length === 0) {
        options.onSkip?.('not-json')
        return []
      }
      if (row.session !== undefined) {
        info = fieldsOf(row.session)
        translator = createOpenCodeTranslator(info, new Set([textOf(info.id)]), options)
        return told(translator.begin())
      }
      if (row.todo !== undefined) todos.push(fieldsOf(row.todo))
      else if (row.part !== undefined) message?.parts.push(partOf(row))
      else {
        const events = flush()
        message = messageOf(row)
        return events
      }
      return []
    },
    end(): SessionEvent[] {
      const events = [...flush(), ...told(translator?.end() ?? [])]
      // What was undone is still in the list of things to do.
      if (info === null || fieldsOf(info.revert).messageID !== undefined || todos.length === 0) return events
      const items = openCodePlan({ input: { todos } })
      if (JSON.stringify(items) === JSON.stringify(plan)) return events
      const at = timeOf(Math.max(...todos.map((todo) => numberOf(todo.updated) ?? 0)))
      return [...events, { kind: 'plan', items, at, sub: null, cwd: textOf(info.directory) || null }]
    },
  }
}

/** One line of JSON per row: the session, its list of things to do, then every message with its parts behind it, by time. */
const sqlOf = (id: string): string => `with recursive tree(id) as (
  select id from session where id = ${quoted(id)}
  union select session.id from session join tree on session.parent_id = tree.id)
select line from (
select 0 as rank, 0 as time, '' as message, '' as part, json_object('session', json_object('id', id, 'directory', directory,
  'title', title, 'version', version, 'revert', json(revert), 'time', json_object('created', time_created))) as line
from session where id = ${quoted(id)}
union all select 1, position, '', '', json_object('todo', json_object('content', content, 'status', status, 'updated', time_updated))
from todo where session_id = ${quoted(id)}
union all select 2, time_created, id, '', '{"message":"' || id || '","of":"' || session_id || '","data":' || data || '}'
from message where session_id in tree
union all select 2, message.time_created, message.id, part.id, '{"part":"' || part.id || '","data":' || part.data || '}'
from message join part on part.message_id = message.id where message.session_id in tree)
order by rank, time, message, part`

/** Sessions whose size is asked for: it costs a page of the file per part. */
const SIZED = 50

/** Bytes of a path that stand in one piece in a row of the file, whatever follows. */
const NEEDLE = 200

/** Sessions started inside one of `roots`, newest first, without those of subagents. Throws `unreadable` of the product. */
export async function listSessions(
  database: string,
  roots: readonly string[],
  place: Pick<Place, 'home' | 'env' | 'signal'>,
  product = OPENCODE,
): Promise<SessionRef[]> {
  const refs: SessionRef[] = []
  for await (const lines of queryLines(database, listSql(roots), place, product, () =>
    namesAny(database, roots, product),
  ))
    for (const line of lines) {
      const row = recordOf(line)
      // A row that is cut off, or without its id, is no session that could be read.
      if (textOf(row.id) !== '') refs.push(refOf(database, row, product))
    }
  return refs
}

function refOf(database: string, row: Fields, product: Product): SessionRef {
  const id = textOf(row.id)
  const file = { size: numberOf(row.bytes) ?? 0, mtime: new Date(timeOf(row.created) ?? 0) }
  const told = { id, cwd: row.directory, from: row.created, to: row.updated, title: titleOf(row) }
  return fileRef(product.id, sessionPath(database, id), file, told)
}

function listSql(roots: readonly string[]): string {
  const inside = roots.map((root) => {
    const below = root.endsWith(sep) ? root : root + sep
    return `directory = ${quoted(root)} or substr(directory, 1, ${[...below].length}) = ${quoted(below)}`
  })
  // The time of a session is not touched by every message.
  return `with own as (
  select id, directory, title, time_created, max(time_updated, coalesce(
    (select max(time_created) from message where session_id = session.id), 0)) as updated
  from session where parent_id is null and (${inside.join(' or ')})),
ranked as (select *, row_number() over (order by updated desc, id) as rank from own)
select json_object('id', id, 'directory', directory, 'title', title, 'created', time_created, 'updated', updated,
  'bytes', case when rank <= ${SIZED} then (select sum(octet_length(data)) from part where session_id = ranked.id) end) as line
from ranked order by rank`
}

/** One of the directories stands in the file or in the log beside it: to look through them is quicker than to start OpenCode. */
async function namesAny(
  database: string,
  roots: readonly string[],
  { unreadable }: Product,
): Promise<boolean> {
  const needles = roots.map((root) => Buffer.from(root).subarray(0, NEEDLE))
  for (const path of [database, `${database}-wal`]) {
    let before = Buffer.alloc(0)
    const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw unreadable(database, error.message, error)
    })
    if (file === null) continue
    for await (const block of file.createReadStream({ highWaterMark: 1 << 20 })) {
      const bytes = Buffer.concat([before, block as Buffer])
      if (needles.some((needle) => bytes.includes(needle))) return true
      before = bytes.subarray(-NEEDLE)
    }
  }
  return false
}
