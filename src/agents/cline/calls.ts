import type { Action } from '../../types/session.ts'
import { labelsOf, numbered, pathsUnder } from '../content.ts'
import { callOf, clip, type Draft, type DraftOf, endOf, replyOf } from '../draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, recordOf, textOf } from '../fields.ts'
import { actionBy, isCopy, skillOf, TOOLS } from '../tools.ts'

export interface ClineCall {
  tool: string
  input: Fields
  /** The commands of one call, which run at once and end each for itself; one empty text for other tools. */
  commands: string[]
}

/** Models may write the input in several forms (schemas.ts of 3.0.56): a text or a list alone stands for the one field of the tool. */
export function clineCall(tool: string, given: unknown): ClineCall {
  const isBare = typeof given === 'string' || Array.isArray(given)
  const input: Fields = isBare
    ? { input: given, files: given, commands: given, queries: given }
    : fieldsOf(given)
  return { tool, input, commands: TOOLS.get(tool) === 'run' ? commandsIn(input) : [''] }
}

function commandsIn(input: Fields): string[] {
  const several = input.commands ?? input.cmd ?? input
  const commands = (Array.isArray(several) ? several : [several]).map((one) => {
    const { command, args } = fieldsOf(one)
    return textOf(one) || [textOf(command), ...listOf(args).map(textOf)].join(' ').trim()
  })
  return commands.length === 0 ? [''] : commands
}

function actionOf({ tool, input }: ClineCall, command: string): Action {
  const deed = TOOLS.get(tool)
  const pattern = [input.queries].flat().map(textOf).join(' | ')
  return actionBy(deed, { ...input, command, pattern, prompt: input.task }, pathsIn(deed ? input : {}))
}

function pathsIn(input: Fields): string[] {
  const keys = ['path', 'file_path', 'filePath', 'files', 'paths', 'file_paths']
  const inside = [input.files, input.paths].flat().map(fieldsOf)
  return [...new Set([input, ...inside].flatMap((one) => pathsUnder(one, keys)))]
}

/** What a call attempts, one event for each of its commands, and what the person sees of it. */
export function clineAttempt(id: string, call: ClineCall): Draft[] {
  const { tool, input } = call
  const calls = call.commands.map((command, index) =>
    callOf(numbered(id, index), tool, actionOf(call, command)),
  )
  if (tool === 'submit_and_exit') return [...calls, ...replyOf(textOf(input.summary))]
  if (tool !== 'ask_question') return calls
  return [...calls, { kind: 'question', id, text: textOf(input.question), options: labelsOf(input.options) }]
}

/** What came of a call, and what follows from that; `block` is a `tool_result`. */
export function clineResult(id: string, call: ClineCall, block: Fields): Draft[] {
  const { tool, input, commands } = call
  const told = outcomesOf(block.content)
  const failed = block.is_error === true
  if (TOOLS.get(tool) === 'run')
    return commands.map((_, index) => ({
      ...outcome(numbered(id, index), failed, failed ? told.slice(0, 1) : told.slice(index, index + 1)),
      ...ofShell(failed, told[index] ?? {}),
    }))
  const result = outcome(id, failed, told)
  const [first] = told
  const text = textOf(first?.result)
  if (text === DISMISSED) return [{ ...result, ok: false, text: '', refused: true }]
  if (!result.ok) return [result]
  const created = CREATED.test(text) ? textOf(input.path) : ''
  if (tool === 'editor' && created !== '') result.files = [{ path: created, change: 'create' }]
  if (isCopy(TOOLS.get(tool))) result.text = ''
  if (tool === 'skills') return [{ ...result, text: '' }, ...skillOf(textOf(input.skill))]
  return tool === 'ask_question' && text !== '' ? [result, { kind: 'answer', id, text }] : [result]
}

/** Begins the result of `editor` where there was no such file (executors/editor.ts of 3.0.56). */
const CREATED = /^File created successfully at: /
/** The answer to a question that was closed (cli/src/tui/hooks/use-runtime-dialog-bridge.tsx of 3.0.56). */
const DISMISSED = '[User dismissed the question]'

/** The parts of a result: objects with `result`, `error` and `success`, one such object as a text, or a plain text. */
function outcomesOf(content: unknown): Fields[] {
  if (typeof content !== 'string')
    return itemsOf(content).map((part) => (part.type === 'text' ? { result: part.text } : part))
  const one = recordOf(content.startsWith('{') ? content : '')
  // A subagent's report.
  if (typeof one.text === 'string') return [{ result: one.text }]
  return ['result', 'error', 'success'].some((key) => key in one) ? [one] : [{ result: content }]
}

/** The words of a client's own refusal (agents/src/agent-runtime.ts of 3.0.56): nobody was asked. */
const BY_CLIENT =
  /^Tool (?:".*" (?:is disabled by policy|requires approval but|was not approved|approval request failed)|\S+ was blocked by a runtime hook|execution is disabled for provider )/
/** How a refusal of the person is told: by the CLI (3.0.56), by the extension (sdk/tool-approval-denial.ts of 4.1.13), by a chat. */
const DENIED =
  /^(?:Tool ".*" was denied by user|User denied the tool execution|The user denied this edit\.|Tool execution was cancelled because the user sent|Denied by [\w ]+ user$)/
const FEEDBACK = /^[^<]*<feedback>\n([\s\S]*)\n<\/feedback>/
/** A command that the person stopped (executors/bash.ts of 3.0.56). */
const ABORTED = /^(?:Command failed: )?Command was aborted$/

function outcome(id: string, failed: boolean, parts: Fields[]): DraftOf<'result'> {
  const ok = !failed && parts.every(({ success, error }) => success !== false && !error)
  const error = textOf(parts.find((part) => textOf(part.error) !== '')?.error)
  const text = parts.map((part) => textOf(part.result) || textOf(part.error)).join('\n')
  const result = endOf(id, ok, text)
  if (ok) return result
  if (BY_CLIENT.test(error)) return { ...result, refused: true, byClient: true }
  if (!DENIED.test(error) && !ABORTED.test(error)) return result
  const reason = FEEDBACK.exec(error)?.[1]?.trim() ?? ''
  return { ...result, text: '', refused: true, ...(reason === '' ? {} : { reason }) }
}

const EXITED = /^\[Command exited with code (\d+)\]\n?/
/** Begins what is told of a command that goes on by itself, or whose end nobody saw (vscode-run-commands-tool.ts of 4.1.13). */
const GOES_ON =
  /^(?:\[Command is still running\.|The user chose to proceed while the command|The command was still starting or running after|\[Command completion could not be observed;)/

function ofShell(failed: boolean, { result, success }: Fields): Partial<DraftOf<'result'>> {
  const text = textOf(result)
  if (GOES_ON.test(text)) return { text: '', unsure: true }
  const code = EXITED.exec(text)
  if (code) return { ok: false, exitCode: Number(code[1]), text: clip(text.slice(code[0].length)) }
  return !failed && success === true ? { exitCode: 0 } : {}
}
