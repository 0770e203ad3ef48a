import { sessionUnreadable } from '../../errors/session.ts'
import type { Batches, ReadOptions, SessionRef } from '../../types/session.ts'
import { clip, createSettings, type Draft, type DraftOf, promptOf, replyOf, stamped } from '../draft.ts'
import {
  contentText,
  type Fields,
  fieldsOf,
  listOf,
  numberOf,
  pathsUnder,
  recordOf,
  textOf,
  timeOf,
} from '../fields.ts'
import { quoted, sessionPath } from '../sqlite.ts'
import { actionBy, toolsBy } from '../tools.ts'
import { readRecords } from '../whole-json.ts'
import { rowsOf } from './files.ts'

/** The messages of a session in the database, or of an export. */
export async function* readGoose(ref: SessionRef, options: ReadOptions): Batches {
  const [, database, id] = /^(.+\.db)#([^#]+)$/s.exec(ref.path) ?? []
  const messages = database && id ? messagesIn(database, id, options) : await exported(ref.path, options)
  let count = 0
  const settings = createSettings()
  yield settings({ title: ref.title ?? '' }).map((draft) =>
    stamped(draft, { at: ref.startedAt, sub: null, cwd: ref.cwd }),
  )
  for (const { role, content, created, metadata } of messages) {
    count++
    // What only the model sees are the client's own words.
    if (fieldsOf(metadata).userVisible === false) continue
    const seconds = numberOf(created)
    const at = seconds === null ? null : timeOf(seconds * 1000)
    const drafts = listOf(content)
      .map(fieldsOf)
      .flatMap((block) => blockDrafts(block, role))
    yield drafts.map((draft) => stamped(draft, { at, sub: null, cwd: ref.cwd }))
  }
  if (count === 0) throw sessionUnreadable(ref.path, new Error('it holds no message'))
}

const exported = async (path: string, options: ReadOptions): Promise<Fields[]> =>
  (await readRecords(path, 'conversation', options)).records

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
const TOOLS = toolsBy({
  read: 'read',
  create: 'write',
  update: 'edit',
  run: 'shell',
  search: 'search glob grep',
  list: 'tree list',
  task: 'delegate execute_task',
})
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
  const action = actionBy(deed, input, pathsUnder(input, ['path', 'file_path']))
  return [{ kind: 'call', id, tool, action, by: 'agent' }]
}

function ended(id: string, { status, value, error }: Fields): DraftOf<'result'> {
  const { content = value, isError } = fieldsOf(value)
  const text = status === 'error' ? textOf(error) : contentText(content)
  return { kind: 'result', id, ok: status !== 'error' && isError !== true, exitCode: null, text: clip(text) }
}
