import type { Batches, ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { createCopilotTranslator } from '../copilot-cli/read.ts'
import { stamped } from '../draft.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import { type Translator, translate } from '../lines.ts'
import { editorAction, editorInput, editorSeen } from './calls.ts'
import { partitionsOf } from './files.ts'

/** The conversation of one session, all partitions of it. */
export async function* readEditorSession(ref: SessionRef, options: ReadOptions): Batches {
  const { end, ...translator } = createEditorTranslator(ref.cwd)
  for (const path of partitionsOf(ref.path)) yield* translate(path, options, translator)
  yield end()
}

/** Records of JetBrains alone that say nothing of the work, or say again what another one tells. */
const IDLE = new Set(['partition.created', 'user.message_rendered'])

/** Reads the records as Copilot CLI writes them, from which those of the editors differ in a few fields. */
export function createEditorTranslator(folder: string | null) {
  const { wants, add, end } = createCopilotTranslator(editorAction)
  const runs = new Set<string>()

  function told(event: SessionEvent, inputs: ReadonlyMap<string, Fields>): SessionEvent[] {
    event.cwd ??= folder
    if (event.kind === 'call') {
      if (event.action.type === 'run') runs.add(event.id)
      return [
        event,
        ...editorSeen(event.id, event.tool, inputs.get(event.id) ?? {}).map((draft) => stamped(draft, event)),
      ]
    }
    // Done is what was started: no record has the status of a command.
    if (event.kind === 'result' && event.ok && event.exitCode === null && runs.has(event.id))
      event.unsure = true
    return [event]
  }

  return {
    wants,
    add(record: Fields) {
      if (IDLE.has(textOf(record.type))) return []
      const data = dataOf(textOf(record.type), fieldsOf(record.data))
      const inputs = new Map(
        [data, ...listOf(data.toolRequests).map(fieldsOf)].map((call) => [
          textOf(call.toolCallId),
          fieldsOf(call.arguments),
        ]),
      )
      return add({ ...record, data })?.flatMap((event) => told(event, inputs)) ?? null
    },
    end: () => end().flatMap((event) => told(event, new Map())),
  } satisfies Translator
}

/** The data of a record in the fields of Copilot CLI. */
function dataOf(type: string, data: Fields): Fields {
  switch (type) {
    case 'assistant.message': {
      const toolRequests = listOf(data.toolRequests)
        .map(fieldsOf)
        .map((asked) => ({ ...asked, arguments: editorInput(asked.arguments) }))
      return { ...data, content: textOf(data.content) || textOf(data.text), toolRequests }
    }
    case 'tool.execution_start':
      return { ...data, arguments: editorInput(data.arguments) }
    case 'tool.execution_complete': {
      const { content, result } = fieldsOf(data.result)
      const values = listOf(result).map((block) => textOf(fieldsOf(block).value))
      return { ...data, result: { content: textOf(content) || values.join('\n') } }
    }
    default:
      return data
  }
}
