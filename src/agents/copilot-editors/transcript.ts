import type { Action, Batches, ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { firstText, numbered, pathsUnder, type Translator, translate } from '../content.ts'
import { createCopilotTranslator } from '../copilot-cli/read.ts'
import { type Draft, stamped } from '../draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, recordOf, textOf } from '../fields.ts'
import { actionBy, planItems, questionsIn, toolsBy } from '../tools.ts'
import { partitionsOf } from './files.ts'

export async function* readTranscript(ref: SessionRef, options: ReadOptions): Batches {
  const { end, ...translator } = createEditorTranslator(ref.cwd)
  for (const path of partitionsOf(ref.path)) yield* translate(path, options, translator)
  yield end()
}

/** Records of JetBrains alone that say nothing of the work, or say again what another one tells. */
const IDLE = new Set(['partition.created', 'user.message_rendered'])
/** How VS Code counts the turns that it writes again from its own memory, without what became of their calls; live ones are `0`. */
const AGAIN = /^\d+\.\d+$/

/** Reads the records as Copilot CLI writes them, from which those of the editors differ in a few fields. */
function createEditorTranslator(folder: string | null) {
  const { add, end } = createCopilotTranslator(editorAction)
  const runs = new Set<string>()
  let isAgain = false

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
    if (event.kind === 'result' && event.ok && event.exitCode === null && (isAgain || runs.has(event.id)))
      event.unsure = true
    return [event]
  }

  return {
    add(record: Fields) {
      const type = textOf(record.type)
      if (IDLE.has(type)) return []
      const data = dataOf(type, fieldsOf(record.data))
      if (type === 'assistant.turn_start') isAgain = AGAIN.test(textOf(data.turnId))
      const asked = itemsOf(data.toolRequests)
      const inputs = new Map(
        [data, ...asked].map((call) => [textOf(call.toolCallId), fieldsOf(call.arguments)]),
      )
      const done = (isAgain ? asked : []).map(({ toolCallId }) => ({
        ...record,
        type: 'tool.execution_complete',
        data: { toolCallId, success: true },
      }))
      const events = add({ ...record, data })
      return (
        events &&
        [...events, ...done.flatMap((one) => add(one) ?? [])].flatMap((event) => told(event, inputs))
      )
    },
    end: () => end().flatMap((event) => told(event, new Map())),
  } satisfies Translator
}

function dataOf(type: string, data: Fields): Fields {
  switch (type) {
    case 'assistant.message': {
      const toolRequests = itemsOf(data.toolRequests).map((asked) => ({
        ...asked,
        arguments: editorInput(asked.arguments),
      }))
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

/** The model's own text where it asks for a call, an object where the call begins. */
export const editorInput = (given: unknown): Fields =>
  typeof given === 'string' ? recordOf(given) : fieldsOf(given)

/** Tools by the names of the model, and as VS Code calls them (`tools/common/toolNames.ts` of Copilot Chat 0.42). */
export const EDITOR_TOOLS = toolsBy({
  read: 'copilot_readFile copilot_viewImage',
  search: `copilot_findFiles copilot_findTextInFiles copilot_searchCodebase copilot_searchWorkspaceSymbols`,
  list: 'copilot_listDirectory',
  create: 'copilot_createFile',
  update: `copilot_applyPatch copilot_editNotebook copilot_insertEdit copilot_multiReplaceString copilot_replaceString
    vscode_editFile_internal`,
})

export function editorAction(tool: string, given: unknown): Action {
  const input = fieldsOf(given)
  const inside = [input, ...itemsOf(input.replacements)]
  const paths = inside.flatMap((one) => pathsUnder(one))
  const prompt = firstText(input.prompt, input.query)
  return actionBy(EDITOR_TOOLS.get(tool), { ...input, pattern: input.query, prompt }, [...new Set(paths)])
}

/** What the person sees of a call: the plan, or the questions. */
function editorSeen(id: string, tool: string, input: Fields): Draft[] {
  if (tool === 'vscode_askQuestions')
    return questionsIn(input.questions, (index) => numbered(id, index)).filter(({ text }) => text !== '')
  return tool === 'manage_todo_list' ? editorPlan(input.todoList) : []
}

export function editorPlan(todoList: unknown): Draft[] {
  const items = planItems(todoList, 'title')
  return items.length === 0 ? [] : [{ kind: 'plan', items }]
}
