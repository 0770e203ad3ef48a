import { join } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import type { Action, Batches, ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import type { createCopilotTranslator } from '../copilot-cli/read.ts'
import { type Draft, stamped } from '../draft.ts'
import { type Fields, fieldsOf, listOf, numbered, pathsUnder, recordOf, textOf } from '../fields.ts'
import { type Translator, translate } from '../lines.ts'
import { actionBy, planItems, planStatus, questionsIn, TOOLS } from '../tools.ts'
import {
  findJetbrainsSessions,
  findVscodeSessions,
  partitionsOf,
  readJetbrainsRef,
  readVscodeRef,
  userFolders,
  vscodeFolderOf,
} from './files.ts'

/**
 * GitHub Copilot in VS Code: one JSONL file of events per session, as in Copilot CLI. From documents, not recorded: the source of
 * Copilot Chat 0.42 (`chat/vscode-node/sessionTranscriptService.ts`, March 2026) and the reader of codeburn (August 2026).
 */
export const copilotVscode: Adapter = {
  id: 'copilot-vscode',
  label: 'GitHub Copilot in VS Code',
  basis: { is: 'documented', of: 'Copilot Chat 0.42', source: 'its code, codeburn' },
  // In terminals of the agent since VS Code 1.121 (microsoft/vscode#316267). What Copilot CLI starts in one is its own.
  marks: ['COPILOT_AGENT'],
  caller: ({ COPILOT_AGENT, COPILOT_CLI, COPILOT_AGENT_SESSION_ID }) =>
    COPILOT_AGENT && !COPILOT_CLI && !COPILOT_AGENT_SESSION_ID
      ? { agent: 'copilot-vscode', sessionId: null, path: null }
      : null,
  find: findVscodeSessions,
  identify: async (path, head) =>
    head.startsWith('{"type":"session.start"') ? readVscodeRef(path, vscodeFolderOf(path)) : null,
  read: readEditorSession,
  // Skills of Copilot CLI count here as well; its hooks run in both (documentation of VS Code, 2026).
  setup: ({ root, mcp }) => [
    {
      type: 'json-value',
      path: join(root, '.vscode', 'mcp.json'),
      at: ['servers', 'handoff'],
      value: { type: 'stdio', ...mcp },
    },
  ],
  program: 'code',
  traces: ({ root, ...place }) => ({
    project: [join(root, '.vscode', 'mcp.json')],
    // Where VS Code lets an extension keep what belongs to no workspace.
    home: userFolders(place).map((folder) => join(folder, 'globalStorage', 'github.copilot-chat')),
  }),
}

/**
 * GitHub Copilot in JetBrains: a folder per session, the same events in partitions. From documents, not recorded: the schema of
 * ai-engineering-fluency (Rider 2026.1, April 2026) and codeburn#433 (June 2026).
 */
export const copilotJetbrains: Adapter = {
  id: 'copilot-jetbrains',
  label: 'GitHub Copilot in JetBrains',
  basis: { is: 'documented', of: 'Rider 2026.1', source: 'ai-engineering-fluency, codeburn' },
  marks: [],
  find: findJetbrainsSessions,
  identify: async (path, head) => (head.startsWith('{"type":"') ? readJetbrainsRef(path) : null),
  read: readEditorSession,
}

async function* readEditorSession(ref: SessionRef, options: ReadOptions): Batches {
  const copilot = await import('../copilot-cli/read.ts')
  const { end, ...translator } = createEditorTranslator(
    ref.cwd,
    copilot.createCopilotTranslator(editorAction),
  )
  for (const path of partitionsOf(ref.path)) yield* translate(path, options, translator)
  yield end()
}

/** Records of JetBrains alone that say nothing of the work, or say again what another one tells. */
const IDLE = new Set(['partition.created', 'user.message_rendered'])

/** Reads the records as Copilot CLI writes them, from which those of the editors differ in a few fields. */
function createEditorTranslator(
  folder: string | null,
  { add, end }: ReturnType<typeof createCopilotTranslator>,
) {
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

/** The model's own text where it asks for a call, an object where the call begins. */
const editorInput = (given: unknown): Fields =>
  typeof given === 'string' ? recordOf(given) : fieldsOf(given)

function editorAction(tool: string, given: unknown): Action {
  const input = fieldsOf(given)
  const inside = [input, ...listOf(input.replacements).map(fieldsOf)]
  const paths = inside.flatMap((one) => pathsUnder(one, ['filePath', 'filePaths', 'path']))
  const prompt = textOf(input.prompt) || textOf(input.query) || textOf(input.description)
  return actionBy(TOOLS.get(tool), { ...input, pattern: input.query, prompt }, [...new Set(paths)])
}

/** What the person sees of a call: the plan, or the questions. */
function editorSeen(id: string, tool: string, input: Fields): Draft[] {
  if (tool === 'vscode_askQuestions')
    return questionsIn(input.questions, (index) => numbered(id, index)).filter(({ text }) => text !== '')
  const items = tool === 'manage_todo_list' ? planItems(input.todoList, 'title', statusOf) : []
  return items.length === 0 ? [] : [{ kind: 'plan', items }]
}

const statusOf = ({ status }: Fields) => ({ status: planStatus(textOf(status).replace('-', '_')) })
