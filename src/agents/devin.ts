import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { devinUnreadable } from '../errors/session.ts'
import type { Adapter } from '../types/agent.ts'
import type { Home } from '../types/config.ts'
import type { Batches, ReadOptions, SessionRef } from '../types/session.ts'
import { contentText } from './content.ts'
import { callOf, createSettings, type Draft, endOf, promptOf, replyOf, stamped } from './draft.ts'
import { type Fields, fieldsOf, itemsOf, numberOf, textOf, timeOf } from './fields.ts'
import { refAt, sessionsIn } from './session-files.ts'
import { mcpServer, skillIn, usualLaunch, xdgFolders } from './setup.ts'
import { isBelow, jsonIn, storedRefs, storedRows } from './sqlite.ts'
import { actionBy, isCopy, toolsBy } from './tools.ts'

/** Devin CLI: one SQLite file, a session of which is a forest. From rows of 3000.3 to 3000.11 that others publish, and its documentation. */
export const devin: Adapter = {
  id: 'devin',
  label: 'Devin CLI',
  basis: { is: 'documented', of: 'Devin CLI 3000', source: 'agent-sessions, devin-mux' },
  marks: [],
  async find(place, roots, onUnread) {
    const database = join(dataFolder(place), 'cli', 'sessions.db')
    if (!existsSync(database)) return []
    const sql = `${SESSIONS} and (${isBelow('working_directory', roots)})`
    const refs = refAt(database, () => storedRefs('devin', devinUnreadable, database, sql), onUnread)
    return sessionsIn(refs ?? [], roots)
  },
  identify: async () => null,
  read,
  setup: (place) => [skillIn(place, '.devin'), mcpServer(place, '.devin', 'config.json')],
  traces: ({ root, ...place }) => ({
    project: [join(root, '.devin')],
    home: [xdgFolders(place, 'devin')[0], dataFolder(place)],
  }),
  // Without a terminal a tool that needs consent is refused.
  launch: {
    ...usualLaunch,
    program: 'devin',
    interactive: (prompt) => ({ args: ['--', prompt] }),
    headless: (prompt) => ({ args: ['-p', '--', prompt] }),
    passEnv: ['DEVIN_*', 'WINDSURF_API_KEY'],
  },
}

const dataFolder = (place: Home): string =>
  process.platform === 'win32' && place.env.APPDATA
    ? join(place.env.APPDATA, 'devin')
    : xdgFolders(place, 'devin')[1]

/** Those that `devin list` shows. Bytes are counted without reading texts: a database of 5 GB is usual. */
const SESSIONS = `select json_object('id', id, 'cwd', working_directory, 'title', title, 'from', created_at * 1000,
  'to', last_activity_at * 1000, 'bytes', (select sum(octet_length(chat_message)) from message_nodes where session_id = sessions.id))
  from sessions where hidden = 0 and main_chain_id is not null`

/** From the newest message back, over what was compacted. Other branches are retries, subagents and the client's own. */
const MESSAGES = (id: string): string => `with recursive chain(node) as (
  select main_chain_id from sessions where id = ${id}
  union
  select coalesce(${SUMMARIZED}, parent_node_id) from chain join message_nodes on session_id = ${id} and node_id = node)
select json_object('message', ${jsonIn('chat_message')}, 'at', created_at * 1000, 'summarized', ${SUMMARIZED}, 'state', (
  select ${jsonIn('tool_call_update_json')} from tool_call_state t where t.session_id = ${id} and json_valid(chat_message)
  and tool_call_id = json_extract(chat_message, '$.tool_call_id')))
  from chain join message_nodes on session_id = ${id} and node_id = node order by node_id`
const SUMMARIZED = "case when json_valid(metadata) then json_extract(metadata, '$.summarized_from') end"

async function* read(ref: SessionRef, options: ReadOptions): Batches {
  const draftsOf = createDrafts()
  for (const row of storedRows(devinUnreadable, ref, options, MESSAGES) ?? []) {
    if (row.message === null) options.onSkip?.('not-json')
    const at = timeOf(fieldsOf(fieldsOf(row.message).metadata).created_at) ?? timeOf(row.at)
    yield draftsOf(row).map((draft) => stamped(draft, { at, sub: null, cwd: ref.cwd }))
  }
}

const TOOLS = toolsBy({ run: 'exec', task: 'run_subagent' })

function createDrafts(): (row: Fields) => Draft[] {
  const settings = createSettings()
  const told = new Set<unknown>()
  const deeds = new Map<string, ReturnType<typeof TOOLS.get>>()
  return ({ message, summarized, state }) => {
    const { message_id, role, content, metadata, tool_calls, tool_call_id } = fieldsOf(message)
    // A compaction copies the last messages.
    if (typeof message_id === 'string' && told.size === told.add(message_id).size) return []
    const { is_user_input, generation_model: model, extensions } = fieldsOf(metadata)
    const text = contentText(content)
    switch (role) {
      case 'user':
        return is_user_input === true ? promptOf(text) : []
      case 'system':
        return typeof summarized === 'number' ? [{ kind: 'compaction', summary: text }] : []
      case 'assistant':
        return [...settings({ model: textOf(model) }), ...replyOf(text), ...itemsOf(tool_calls).map(called)]
      case 'tool':
        return ended(textOf(tool_call_id), text, fieldsOf(extensions), fieldsOf(state))
      default:
        return []
    }
  }

  function called({ id, name, arguments: given }: Fields): Draft {
    const [call, tool, input] = [textOf(id), textOf(name), fieldsOf(given)]
    deeds.set(call, TOOLS.get(tool))
    return callOf(call, tool, actionBy(TOOLS.get(tool), { ...input, prompt: input.task }))
  }

  /** How it ended stands beside the message, or in the state of the call. */
  function ended(id: string, text: string, extensions: Fields, { status, _meta }: Fields): Draft[] {
    const { success } = fieldsOf(extensions['chisel/tool_result_meta'])
    const { exit } = fieldsOf(extensions['chisel/terminal_output'])
    const { terminal_exit, ...meta } = fieldsOf(_meta)
    if (meta['cognition.ai/rejected'] === true) return [endOf(id, false, '', { refused: true })]
    const exitCode = numberOf(fieldsOf(exit ?? terminal_exit).exit_code)
    const ok = success !== false && status !== 'failed' && (exitCode ?? 0) === 0
    const unsure = ok && deeds.get(id) === 'run' && exitCode === null
    const end = endOf(id, ok, ok && isCopy(deeds.get(id)) ? '' : text, { exitCode, unsure })
    return meta['cognition.ai/canceled'] === true ? [end, { kind: 'interrupt' }] : [end]
  }
}
