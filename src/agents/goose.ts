import { dirname, join } from 'node:path'
import { gooseUnreadable, sessionUnreadable } from '../errors/session.ts'
import type { Adapter } from '../types/agent.ts'
import type { Home } from '../types/config.ts'
import type { Batches, ReadOptions, SessionRef } from '../types/session.ts'
import { contentText } from './content.ts'
import {
  callOf,
  createSettings,
  type Draft,
  type DraftOf,
  endOf,
  promptOf,
  replyOf,
  stamped,
} from './draft.ts'
import { type Fields, fieldsOf, itemsOf, numberOf, recordOf, textOf, timeOf } from './fields.ts'
import { fileRef, readEnds, sessionsIn } from './session-files.ts'
import { PROVIDER_LOGINS, skillIn, usualLaunch, xdgFolders } from './setup.ts'
import { lastWrite, quoted, recordsOf, sessionPath } from './sqlite.ts'
import { actionBy, toolsBy } from './tools.ts'
import { headerIn, readRecords } from './whole-json.ts'

/** Goose: one SQLite file, and the output of `goose session export --format json`. Source: deja (Goose 1.49), agentsview `goose.go` (2026). */
export const goose: Adapter = {
  id: 'goose',
  label: 'Goose',
  basis: { is: 'documented', of: 'Goose 1.10 to 1.49', source: 'deja, agentsview' },
  marks: ['GOOSE_TERMINAL'],
  sessionMarks: ['AGENT_SESSION_ID'],
  lastWrite: (place) => lastWrite(databasePath(place)),
  // Sessions that a person began; those of subagents are named by another type.
  async find(place, roots) {
    const database = databasePath(place)
    if ((await lastWrite(database)) === null) return []
    const has = columnsOf(database)
    const rows = rowsOf(
      database,
      has('session_type') ? `${SESSIONS} where s.session_type <> 'sub_agent'` : SESSIONS,
    )
    return sessionsIn(
      [...rows].map(({ cwd, bytes, ...row }) => {
        const [id, size] = [textOf(row.id), Number(bytes ?? 0)]
        const [from, to] = [utc(row.from), utc(row.to)]
        return fileRef(
          'goose',
          sessionPath(database, id),
          { size, mtime: new Date(0) },
          { id, cwd, from, to },
        )
      }),
      roots,
    )
  },
  identify: async (path, head) =>
    /"working_dir"\s*:/.test(head) && /"conversation"\s*:\s*\[/.test(head) ? exportRef(path) : null,
  read: readGoose,
  // Its hooks only look on at the start and at a prompt (its documentation of 2026, rulesync of August 2026).
  setup: (place) => [skillIn(place, '.agents')],
  traces: ({ root, ...place }) => ({
    project: [join(root, '.goose'), join(root, '.goosehints')],
    home: [xdgFolders(place, 'goose')[0], dirname(databasePath(place))],
  }),
  // `-s` stays open after the prompt (`goose-cli-commands` of its documentation, and IDE Agent Tabs, 2026).
  launch: {
    ...usualLaunch,
    program: 'goose',
    interactive: (prompt) => ({ args: ['run', '-s', '-t', prompt] }),
    headless: (prompt) => ({ args: ['run', '-i', '-'], stdin: prompt }),
    passEnv: ['GOOSE_*', ...PROVIDER_LOGINS],
    skillLine: (name) => `Use the skill ${name}.`,
  },
}

export const databasePath = ({ home, env }: Home): string =>
  env.GOOSE_PATH_ROOT
    ? join(env.GOOSE_PATH_ROOT, 'data/sessions/sessions.db')
    : join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'goose/sessions/sessions.db')

/** Throws `gooseUnreadable`. */
const rowsOf = (database: string, sql: string): Generator<Fields> => recordsOf(gooseUnreadable, database, sql)

const COLUMNS = "select json_object('name', name) from pragma_table_info('sessions')"
/** Which columns the table of sessions has: later versions have more. */
function columnsOf(database: string): (column: string) => boolean {
  const names = new Set([...rowsOf(database, COLUMNS)].map(({ name }) => name))
  return (column) => names.has(column)
}
const SESSIONS = `select json_object('id', s.id, 'cwd', s.working_dir, 'from', s.created_at, 'to', s.updated_at,
  'bytes', (select sum(length(content_json)) from messages m where m.session_id = s.id)) from sessions s`

/** SQLite writes times of UTC without saying so: `2026-11-22 10:00:00`. */
const utc = (time: unknown): string => {
  const text = textOf(time)
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?$/.test(text) ? `${text.replace(' ', 'T')}Z` : text
}

function exportRef(path: string): SessionRef | null {
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

async function* readGoose(ref: SessionRef, options: ReadOptions): Batches {
  const [, database, id] = /^(.+\.db)#([^#]+)$/s.exec(ref.path) ?? []
  const messages = database && id ? messagesIn(database, id, options) : await exported(ref.path, options)
  let count = 0
  const settings = createSettings()
  const model = database && id ? modelOf(database, id) : ''
  yield settings({ title: ref.title ?? '', ...(model && { model }) }).map((draft) =>
    stamped(draft, { at: ref.startedAt, sub: null, cwd: ref.cwd }),
  )
  for (const { role, content, created, metadata } of messages) {
    count++
    // What only the model sees are the client's own words.
    if (fieldsOf(metadata).userVisible === false) continue
    const at = timeOf(instant(numberOf(created)))
    const drafts = itemsOf(content).flatMap((block) => blockDrafts(block, role))
    yield drafts.map((draft) => stamped(draft, { at, sub: null, cwd: ref.cwd }))
  }
  if (count === 0) throw sessionUnreadable(ref.path, new Error('it holds no message'))
}

/** Goose takes a time of ten thousand million and more for milliseconds, and so do we (`MILLISECOND_TIMESTAMP_THRESHOLD`). */
const instant = (time: number | null): number | null =>
  time === null || time >= 10_000_000_000 ? time : time * 1000

const exported = async (path: string, options: ReadOptions): Promise<Fields[]> =>
  (await readRecords(path, 'conversation', options)).records

/** The model of a session, as 1.41 writes it down; empty where it does not. */
function modelOf(database: string, id: string): string {
  if (!columnsOf(database)('model_config_json')) return ''
  const sql = `select json_object('model', json_extract(model_config_json, '$.model_name')) from sessions where id = ${quoted(id)}`
  return textOf([...rowsOf(database, sql)][0]?.model)
}

function* messagesIn(database: string, id: string, options: ReadOptions): Generator<Fields> {
  const sql = `select json_object('role', role, 'content', content_json, 'created', created_timestamp,
    'metadata', metadata_json) from messages where session_id = ${quoted(id)} order by created_timestamp, id`
  let offset = 0
  for (const { content, metadata, ...row } of rowsOf(database, sql)) {
    options.signal?.throwIfAborted()
    const raw = Buffer.from(textOf(content))
    options.onRaw?.(raw, { path: sessionPath(database, id), offset })
    offset += raw.length
    const told = recordOf(`{"content":${textOf(content) || '[]'},"metadata":${textOf(metadata) || '{}'}}`)
    if (told.content === undefined) options.onSkip?.('not-json')
    yield { ...row, ...told }
  }
}

function blockDrafts(block: Fields, role: unknown): Draft[] {
  switch (block.type) {
    case 'text':
      return role === 'user' ? promptOf(textOf(block.text)) : replyOf(textOf(block.text))
    case 'toolRequest':
    case 'frontendToolRequest':
      return called(textOf(block.id), fieldsOf(fieldsOf(block.toolCall).value))
    case 'toolResponse':
      return [ended(textOf(block.id), fieldsOf(block.toolResult))]
    default:
      return []
  }
}

/** Tools of the extension for developers, behind its name or without it. */
const TOOLS = toolsBy({ create: 'write' })
/** What the one tool for files of earlier versions does. */
const EDITOR: Readonly<Record<string, 'read' | 'create' | 'update'>> = {
  view: 'read',
  write: 'create',
  str_replace: 'update',
  insert: 'update',
  undo_edit: 'update',
}

function called(id: string, { name, arguments: given }: Fields): Draft[] {
  const [tool, input] = [textOf(name), fieldsOf(given)]
  const plain = tool.split('__').at(-1) ?? tool
  const deed = plain === 'text_editor' ? EDITOR[textOf(input.command)] : TOOLS.get(plain)
  return [callOf(id, tool, actionBy(deed, input))]
}

function ended(id: string, { status, value, error }: Fields): DraftOf<'result'> {
  const { content = value, isError, structuredContent } = fieldsOf(value)
  const text = status === 'error' ? textOf(error) : contentText(content)
  // The extension for developers tells it (1.41).
  const exitCode = numberOf(fieldsOf(structuredContent).exit_code)
  const ok = status !== 'error' && isError !== true && (exitCode ?? 0) === 0
  return endOf(id, ok, text, { exitCode })
}
