import { dirname, join } from 'node:path'
import { gooseUnreadable, sessionUnreadable } from '../errors/session.ts'
import type { Adapter } from '../types/agent.ts'
import type { Home } from '../types/config.ts'
import type { Batches, ReadOptions, SessionRef } from '../types/session.ts'
import { contentText } from './content.ts'
import { callOf, createSettings, type Draft, endOf, promptOf, replyOf, stamped } from './draft.ts'
import { type Fields, fieldsOf, instantOf, itemsOf, numberOf, textOf } from './fields.ts'
import { fileRef, readEnds, sessionsIn } from './session-files.ts'
import { PROVIDER_LOGINS, skillIn, usualLaunch, xdgFolders } from './setup.ts'
import { jsonIn, lastWrite, recordsOf, storedRefs, storedRows } from './sqlite.ts'
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
    const sql = has('session_type') ? `${SESSIONS} where s.session_type <> 'sub_agent'` : SESSIONS
    return sessionsIn(storedRefs('goose', gooseUnreadable, database, sql), roots)
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
const SESSIONS = `select json_object('id', s.id, 'cwd', s.working_dir, 'from', strftime('%Y-%m-%dT%H:%M:%fZ', s.created_at),
  'to', strftime('%Y-%m-%dT%H:%M:%fZ', s.updated_at), 'bytes', (select sum(length(content_json)) from messages m where m.session_id = s.id)) from sessions s`

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
  const stored = storedRows(gooseUnreadable, ref, options, MESSAGES)
  const messages = stored ?? (await readRecords(ref.path, 'conversation', options)).records
  let count = 0
  const settings = createSettings()
  yield settings({ title: ref.title ?? '', model: stored === null ? '' : modelOf(ref) }).map((draft) =>
    stamped(draft, { at: ref.startedAt, sub: null, cwd: ref.cwd }),
  )
  for (const { role, content, created, metadata } of messages) {
    count++
    if (content === null) options.onSkip?.('not-json')
    // What only the model sees are the client's own words.
    if (fieldsOf(metadata).userVisible === false) continue
    const drafts = itemsOf(content).flatMap((block) => blockDrafts(block, role))
    yield drafts.map((draft) => stamped(draft, { at: instantOf(created), sub: null, cwd: ref.cwd }))
  }
  if (count === 0) throw sessionUnreadable(ref.path, new Error('it holds no message'))
}

/** The model of a session, as 1.41 writes it down; empty where it does not. */
function modelOf(ref: SessionRef): string {
  const database = ref.path.slice(0, ref.path.lastIndexOf('#'))
  const sql = (id: string) =>
    `select json_object('model', json_extract(model_config_json, '$.model_name')) from sessions where id = ${id}`
  const rows = columnsOf(database)('model_config_json') ? storedRows(gooseUnreadable, ref, {}, sql) : null
  return textOf([...(rows ?? [])][0]?.model)
}

const MESSAGES = (id: string): string => `select json_object('role', role, 'created', created_timestamp,
  'content', ${jsonIn('content_json')}, 'metadata', ${jsonIn('metadata_json')})
  from messages where session_id = ${id} order by created_timestamp, id`

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

function ended(id: string, { status, value, error }: Fields): Draft {
  const { content = value, isError, structuredContent } = fieldsOf(value)
  const text = status === 'error' ? textOf(error) : contentText(content)
  // The extension for developers tells it (1.41).
  const exitCode = numberOf(fieldsOf(structuredContent).exit_code)
  const ok = status !== 'error' && isError !== true && (exitCode ?? 0) === 0
  return endOf(id, ok, text, { exitCode })
}
