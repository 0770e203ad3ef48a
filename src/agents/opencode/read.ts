import { homedir } from 'node:os'
import { sessionUnreadable } from '../../errors/session.ts'
import type { PlanItem, ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { type Fields, fieldsOf, numberOf, textOf, timeOf } from '../fields.ts'
import { createOpenCodeTranslator } from './events.ts'
import { queryLines, quoted } from './query.ts'
import { openCodePlan } from './tools.ts'

/** The active conversation of a session in the database, its subagents between. Throws `openCodeUnreadable`, `sessionUnreadable`. */
export async function* readSession(
  ref: SessionRef,
  { database, id }: { database: string; id: string },
  options: ReadOptions,
): AsyncGenerator<SessionEvent[]> {
  const place = { home: homedir(), env: process.env, ...options.place, ...pick(options.signal) }
  const rows = createRows(options)
  let offset = 0
  for await (const lines of queryLines(database, sqlOf(id), place)) {
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
): Promise<string> {
  const place = { home: homedir(), env: process.env, ...options.place, ...pick(options.signal) }
  let info: Fields = {}
  const messages: { info: Fields; parts: Fields[] }[] = []
  for await (const lines of queryLines(database, sqlOf(id), place))
    for (const line of lines) {
      const row = parsed(line) ?? {}
      if (row.session !== undefined) info = fieldsOf(row.session)
      else if (row.part !== undefined) messages.at(-1)?.parts.push({ ...fieldsOf(row.data), id: row.part })
      else if (row.message !== undefined)
        messages.push({ info: { ...fieldsOf(row.data), id: row.message, sessionID: row.of }, parts: [] })
    }
  try {
    return JSON.stringify({ info, messages })
  } catch (error) {
    // Rows can be read that are nested deeper than they can be written.
    throw sessionUnreadable(database, error)
  }
}

const pick = (signal: AbortSignal | undefined): { signal?: AbortSignal } => (signal ? { signal } : {})

/** Folds rows into events: a message is told when its last part has come. */
function createRows(options: Pick<ReadOptions, 'onSkip'>) {
  let info: Fields | null = null
  const todos: Fields[] = []
  let translator: ReturnType<typeof createOpenCodeTranslator> | null = null
  let message: { info: Fields; parts: Fields[] } | null = null
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
      const row = parsed(line)
      if (row === null) {
        options.onSkip?.('not-json')
        return []
      }
      if (row.session !== undefined) {
        info = fieldsOf(row.session)
        translator = createOpenCodeTranslator(info, new Set([textOf(info.id)]), options)
        return told(translator.begin())
      }
      if (row.todo !== undefined) todos.push(fieldsOf(row.todo))
      else if (row.part !== undefined) message?.parts.push({ ...fieldsOf(row.data), id: row.part })
      else {
        const events = flush()
        message = { info: { ...fieldsOf(row.data), id: row.message, sessionID: row.of }, parts: [] }
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

function parsed(line: string): Fields | null {
  try {
    return fieldsOf(JSON.parse(line))
  } catch {
    return null // Told by the caller.
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
