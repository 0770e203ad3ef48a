import { basename } from 'node:path'
import type { Batches, ReadOptions, SessionRef } from '../../types/session.ts'
import { clip, createSettings, type Draft, type DraftOf, promptOf, replyOf, stamped } from '../draft.ts'
import { type Fields, fieldsOf, listOf, numberOf, pathsUnder, textOf, timeOf } from '../fields.ts'
import { translate } from '../lines.ts'
import { actionBy, toolsBy } from '../tools.ts'

/** The conversation, in the form of the CLI or of the IDE. */
export async function* readKiro(ref: SessionRef, options: ReadOptions): Batches {
  const stamp = (at: string | null) => (draft: Draft) => stamped(draft, { at, sub: null, cwd: ref.cwd })
  yield createSettings()({ title: ref.title ?? '' }).map(stamp(ref.startedAt))
  const told = basename(ref.path) === 'messages.jsonl' ? ideDrafts : createCliDrafts()
  let at = ref.startedAt
  yield* translate(ref.path, options, {
    add(record) {
      const seconds = numberOf(fieldsOf(fieldsOf(record.data).meta).timestamp)
      at = (seconds === null ? timeOf(record.timestamp) : timeOf(seconds * 1000)) ?? at
      return told(record)?.map(stamp(at)) ?? null
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
    const blocks = listOf(content).map(fieldsOf)
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

/** Tools of the CLI, those of its first edition with `fs_`, and of the IDE. */
const TOOLS = toolsBy({
  read: 'read fs_read readFile readMultipleFiles readCode',
  update: 'write fs_write strReplace fsAppend editCode',
  create: 'fsWrite',
  run: 'shell execute_bash execute_cmd executeBash executePwsh',
  search: 'grep glob grepSearch fileSearch',
  list: 'ls listDirectory',
  task: 'subagent use_subagent invokeSubAgent',
})
const PATHS = ['path', 'paths', 'file_path']

function called({ toolUseId, name, input: given }: Fields): Draft[] {
  const [tool, input] = [textOf(name), fieldsOf(given)]
  const deed = TOOLS.get(tool)
  const paths = [input, ...listOf(input.operations).map(fieldsOf)].flatMap((one) => pathsUnder(one, PATHS))
  const action = actionBy(deed === 'update' && input.command === 'create' ? 'create' : deed, input, paths)
  return [{ kind: 'call', id: textOf(toolUseId), tool, action, by: 'agent' }]
}

const EXIT = /\bexit (?:code|status):? (\d+)/i

/** `status`: a word, or whether it went well. A command's output is an object with its parts. */
function ended({ toolUseId, content, status }: Fields): DraftOf<'result'>[] {
  const parts = (Array.isArray(content) ? content : [content]).map((part) => {
    const data = typeof part === 'string' ? part : (fieldsOf(part).data ?? fieldsOf(part).text)
    const { stdout, stderr, exit_status, exitCode } = fieldsOf(data)
    const text = textOf(data) || [stdout, stderr].map(textOf).filter(Boolean).join('\n')
    return { text, code: textOf(exit_status) || exitCode }
  })
  const text = parts.map((part) => part.text).join('\n')
  const code = parts.find((part) => part.code !== undefined && part.code !== '')?.code ?? EXIT.exec(text)?.[1]
  const number = /(\d+)$/.exec(String(code ?? ''))?.[1]
  const exitCode = number === undefined ? null : Number(number)
  const ok = status !== 'error' && status !== false && (exitCode ?? 0) === 0
  return [{ kind: 'result', id: textOf(toolUseId), ok, exitCode, text: clip(text) }]
}
