import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { kiroUnreadable } from '../errors/session.ts'
import type { Adapter, OnUnread } from '../types/agent.ts'
import type { Home } from '../types/config.ts'
import type { Batches, ReadOptions, SessionRef } from '../types/session.ts'
import { pathsUnder, translate } from './content.ts'
import { callOf, createSettings, type Draft, endOf, promptOf, replyOf, stamped } from './draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, numberIn, numberOf, textOf, timeOf } from './fields.ts'
import { type CalledBy, isOfPerson, withCalled } from './merge-by-time.ts'
import {
  fileRef,
  newestFirst,
  pathsIn,
  readEnds,
  recordAt,
  refAt,
  sessionsAt,
  sessionsIn,
} from './session-files.ts'
import { mcpServer, skillIn, usualLaunch } from './setup.ts'
import { isBelow, nodeSqlite, storedRefs, storedRows } from './sqlite.ts'
import { actionBy, TOOLS } from './tools.ts'

/**
 * Kiro, CLI 2 and IDE: a JSONL file per session with its header beside it. Source: deja (kiro-cli 2.22.0), agentsview `kiro.go` (2026). The
 * CLI's first engine, which `--no-interactive` may take, keeps a database: the types of its predecessor (aws/amazon-q-developer-cli at
 * 01e5e3dc, `chat/message.rs`, `chat/conversation.rs`), and a runner that reads both (Harbor's `kiro-cli`, 2026).
 */
export const kiro: Adapter = {
  id: 'kiro',
  label: 'Kiro',
  basis: { is: 'documented', of: 'kiro-cli 2, IDE of 2026', source: 'deja, agentsview' },
  marks: [],
  // Sessions of the CLI, and of the IDE in a folder for each workspace.
  async find(place, roots, onUnread) {
    const all = pathsIn(join(kiroFolder(place), 'sessions'), onUnread, true)
    const paths = all.filter((path) => path.endsWith('.jsonl') && isOfPerson(path, subagents))
    const read = (path: string) => (basename(path) === 'messages.jsonl' ? ideRef : cliRef)(path)
    const stored = conversations(databasePath(place), roots, onUnread)
    return [...sessionsAt(paths, roots, onUnread, read), ...stored].sort(newestFirst)
  },
  async identify(path, head) {
    const first = head.split('\n', 1)[0] ?? ''
    // The header leads to the lines beside it.
    if (/^\s*\{\s*"session_id"\s*:/.test(head)) return cliRef(path.replace(/\.json$/, '.jsonl'))
    if (/"kind"\s*:\s*"(?:Prompt|AssistantMessage|ToolResults)"/.test(first)) return cliRef(path)
    return path.endsWith('messages.jsonl') && /"payload"\s*:/.test(first) ? ideRef(path) : null
  },
  read(ref, options) {
    const stored = storedRows(kiroUnreadable, ref, options, CONVERSATION)
    return stored === null
      ? withCalled(ref, subagents, (one, sub) => readKiro(one, sub, options))
      : readStored(ref, stored)
  },
  // No hooks: CLI 2.22 takes them only from an agent that its person chooses (its documentation, rulesync, August 2026);
  // `--v3` puts an empty answer before the model too (subcortex, September 2026).
  setup: (place) => [skillIn(place, '.kiro'), mcpServer(place, '.kiro', 'settings', 'mcp.json')],
  traces: ({ root, ...place }) => ({ project: [join(root, '.kiro')], home: [kiroFolder(place)] }),
  // The CLI 2.22; without a terminal a tool that needs consent is refused.
  launch: {
    ...usualLaunch,
    program: 'kiro-cli',
    interactive: (prompt) => ({ args: ['chat', prompt] }),
    headless: (prompt) => ({ args: ['chat', '--no-interactive', prompt] }),
    passEnv: ['KIRO_*'],
  },
}

const kiroFolder = ({ home, env }: Home): string => env.KIRO_HOME || join(home, '.kiro')

/** How a record begins: of the CLI, of the IDE, and of its earlier builds. */
const RECORD = /^\s*\{[^\n]*"(?:data|payload|role)"\s*:/

/** A subagent's session lies beside the one that called it (agenthud, June 2026). The reason of creation says `subagent` of every session. */
const subagents: CalledBy = {
  parentOf: (path) => textOf(recordAt(path.replace(/\.jsonl$/, '.json')).parent_session_id),
  refOf: cliRef,
}

function cliRef(path: string): SessionRef | null {
  const header = recordAt(path.replace(/\.jsonl$/, '.json'))
  const { session_id, cwd, title, created_at: from, updated_at: to } = header
  return refOf(path, { id: textOf(session_id) || basename(path, '.jsonl'), cwd, title, from, to })
}

function ideRef(path: string): SessionRef | null {
  const header = recordAt(join(dirname(path), 'session.json'))
  const { workspacePaths, title, createdAt: from, lastModifiedAt: to } = header
  return refOf(path, { id: basename(dirname(path)), cwd: listOf(workspacePaths)[0], title, from, to })
}

function refOf(path: string, told: Parameters<typeof fileRef>[3]): SessionRef | null {
  const ends = readEnds(path)
  return ends && RECORD.test(ends.head) ? fileRef('kiro', path, ends, told) : null
}

async function* readKiro(ref: SessionRef, sub: string | null, options: ReadOptions): Batches {
  const stamp = (at: string | null) => (draft: Draft) => stamped(draft, { at, sub, cwd: ref.cwd })
  // What a subagent is asked are the words of the agent, which its call told.
  const isTold = ({ kind }: Draft): boolean => sub === null || kind !== 'prompt'
  yield createSettings(sub)({ title: ref.title ?? '' }).map(stamp(ref.startedAt))
  const told = basename(ref.path) === 'messages.jsonl' ? ideDrafts : createCliDrafts()
  let at = ref.startedAt
  yield* translate(ref.path, options, {
    add(record) {
      const seconds = numberOf(fieldsOf(fieldsOf(record.data).meta).timestamp)
      at = (seconds === null ? timeOf(record.timestamp) : timeOf(seconds * 1000)) ?? at
      return told(record)?.filter(isTold).map(stamp(at)) ?? null
    },
    ...(told === ideDrafts ? {} : { end: () => (told({}) ?? []).map(stamp(at)) }),
  })
}

/** Records of the CLI. A reply comes in pieces that share an id: it is told when another record comes. */
function createCliDrafts(): (record: Fields) => Draft[] | null {
  let [open, id] = ['', '']
  const flush = (): Draft[] => {
    const reply = replyOf(open)
    open = ''
    return reply
  }
  return ({ kind, data }) => {
    const { content, message_id } = fieldsOf(data)
    const blocks = itemsOf(content)
    const text = blocks.flatMap((block) => (block.kind === 'text' ? textOf(block.data) : [])).join('')
    const before = kind === 'AssistantMessage' && message_id === id ? [] : flush()
    id = textOf(message_id)
    switch (kind) {
      case undefined:
        return before
      case 'Prompt':
        return [...before, ...promptOf(text)]
      case 'AssistantMessage': {
        open += text
        const calls = blocks.flatMap((block) =>
          block.kind === 'toolUse' ? called(fieldsOf(block.data)) : [],
        )
        return [...before, ...(calls.length === 0 ? [] : flush()), ...calls]
      }
      case 'ToolResults':
        return [
          ...before,
          ...blocks.flatMap((block) => (block.kind === 'toolResult' ? ended(fieldsOf(block.data)) : [])),
        ]
      default:
        return before.length === 0 ? null : before
    }
  }
}

/** Records of the IDE: a payload with its type, or of earlier builds the message itself. */
function ideDrafts({ payload, role, content }: Fields): Draft[] | null {
  const told = payload === undefined ? { type: role, content } : fieldsOf(payload)
  const text = textOf(told.content)
  switch (told.type) {
    case 'user':
      return promptOf(text)
    case 'assistant':
      return [...createSettings()({ model: textOf(told.reasoningModelId) }), ...replyOf(text)]
    case 'tool_call':
      return called({ toolUseId: told.toolCallId, name: told.toolName, input: told.args })
    case 'tool_result':
      return ended({ toolUseId: told.toolCallId, content: told.content, status: told.success })
    case 'session_metadata':
    case 'usage_summary':
    case 'turn_end':
      return []
    default:
      return null
  }
}

function called({ toolUseId, name, input: given }: Fields): Draft[] {
  const [tool, input] = [textOf(name), fieldsOf(given)]
  const deed = TOOLS.get(tool)
  const paths = [input, ...itemsOf(input.operations)].flatMap((one) => pathsUnder(one))
  const action = actionBy(deed === 'update' && input.command === 'create' ? 'create' : deed, input, paths)
  return [callOf(textOf(toolUseId), tool, action)]
}

const EXIT = /\bexit (?:code|status):? (\d+)/i

/** `status`: a word, or whether it went well. A command's output is an object with its parts. */
function ended({ toolUseId, content, status }: Fields): Draft[] {
  const parts = (Array.isArray(content) ? content : [content]).map((part) => {
    const data = typeof part === 'string' ? part : (fieldsOf(part).data ?? fieldsOf(part).text)
    const { stdout, stderr, exit_status, exitCode } = fieldsOf(data)
    const text = textOf(data) || [stdout, stderr].map(textOf).filter(Boolean).join('\n')
    return { text, code: textOf(exit_status) || exitCode }
  })
  const text = parts.map((part) => part.text).join('\n')
  const code = parts.find((part) => part.code !== undefined && part.code !== '')?.code ?? EXIT.exec(text)?.[1]
  const exitCode = numberIn(/(\d+)$/.exec(String(code ?? ''))?.[1])
  const ok = status !== 'error' && status !== false && (exitCode ?? 0) === 0
  return [endOf(textOf(toolUseId), ok, text, { exitCode })]
}

const databasePath = ({ home, env }: Home): string =>
  process.platform === 'darwin'
    ? join(home, 'Library', 'Application Support', 'kiro-cli', 'data.sqlite3')
    : join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'kiro-cli', 'data.sqlite3')

/** Conversations of the CLI's first engine, which it keeps by directory; none where this Node opens no database. */
function conversations(database: string, roots: readonly string[], onUnread?: OnUnread): SessionRef[] {
  if (!existsSync(database) || nodeSqlite() === null) return []
  const sql = `select json_object('id', conversation_id, 'cwd', key, 'from', created_at, 'to', updated_at,
    'bytes', length(value)) from conversations_v2 where ${isBelow('key', roots)}`
  const stored = refAt(database, () => storedRefs('kiro', kiroUnreadable, database, sql), onUnread)
  return sessionsIn(stored ?? [], roots)
}

const CONVERSATION = (id: string): string =>
  `select value from conversations_v2 where conversation_id = ${id}`

async function* readStored(ref: SessionRef, rows: Iterable<Fields>): Batches {
  for (const { history, model_info, latest_summary } of rows) {
    let at = ref.startedAt
    const stamp = (draft: Draft) => stamped(draft, { at, sub: null, cwd: ref.cwd })
    const summary = textOf(listOf(latest_summary)[0])
    yield createSettings()({ model: textOf(fieldsOf(model_info).model_id) }).map(stamp)
    if (summary !== '') yield [stamp({ kind: 'compaction', summary })]
    for (const { user, assistant, request_metadata } of itemsOf(history)) {
      const { content, timestamp } = fieldsOf(user)
      at = timeOf(timestamp) ?? at
      yield storedWords(fieldsOf(content)).map(stamp)
      at = timeOf(fieldsOf(request_metadata).stream_end_timestamp_ms) ?? at
      const { Response, ToolUse } = fieldsOf(assistant)
      const uses = itemsOf(fieldsOf(ToolUse).tool_uses).map(({ id, name, args }) => ({
        toolUseId: id,
        name,
        input: args,
      }))
      yield [...replyOf(textOf(fieldsOf(Response ?? ToolUse).content)), ...uses.flatMap(called)].map(stamp)
    }
  }
}

/** What the person typed, what came of calls, or both where the person stopped them. */
function storedWords({ Prompt, ToolUseResults, CancelledToolUses }: Fields): Draft[] {
  const { prompt, tool_use_results } = fieldsOf(Prompt ?? ToolUseResults ?? CancelledToolUses)
  const ends = itemsOf(tool_use_results).flatMap(({ tool_use_id, content, status }) => {
    const parts = itemsOf(content).map(({ Text, Json }) => ({ data: Text ?? Json }))
    return ended({ toolUseId: tool_use_id, content: parts, status: textOf(status).toLowerCase() })
  })
  const refused = CancelledToolUses === undefined ? {} : { refused: true, text: '' }
  return [...ends.map((end) => ({ ...end, ...refused })), ...promptOf(textOf(prompt))]
}
