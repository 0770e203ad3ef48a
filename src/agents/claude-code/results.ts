import type { FileTouch, SessionEvent } from '../../types/session.ts'
import { withoutReminders } from './rows.ts'
import { contentText, type Fields, fieldsOf, textOf } from '../fields.ts'
import { clip } from '../lines.ts'

/** A tool call that waits for its result. */
export interface OpenCall {
  id: string
  tool: string
  input: Fields
  cwd: string | null
}

/** Where an event stands. */
export type Stamp = Pick<SessionEvent, 'at' | 'sub' | 'cwd'>

type Result = Extract<SessionEvent, { kind: 'result' }>

/** What came of a call; `block` is the `tool_result`, `record` the row that holds it. */
export function resultOf(block: Fields, record: Fields, call: OpenCall | undefined, stamp: Stamp): Result {
  const quiet = block.is_error !== true && call !== undefined && isQuiet(call.tool)
  const text = quiet ? '' : withoutReminders(contentText(block.content))
  const { at, sub, cwd } = stamp
  const id = textOf(block.tool_use_id)
  const event: Result = { kind: 'result', at, sub, cwd, id, ok: true, exitCode: null, text }
  if (block.is_error === true) return failed(event, record)
  const output = fieldsOf(record.toolUseResult)
  // Without the frame that the client puts around a subagent's report.
  if (Array.isArray(output.content)) event.text = contentText(output.content)
  if (call && SHELLS.has(call.tool)) {
    if (BACKGROUND.test(text)) event.unsure = true
    // Success is written without a code: 0, unless the client reads another as success, or is older than 2.
    else if (!output.returnCodeInterpretation && !/^[01]\./.test(textOf(record.version))) event.exitCode = 0
  }
  const file = call && EDITS.has(call.tool) ? fileOf(call, output) : null
  if (file) event.files = [file]
  event.text = clip(event.text)
  return event
}

/** The file an edit tool changed, as its output names it. */
function fileOf(call: OpenCall, output: Fields): FileTouch | null {
  const path = textOf(output.filePath) || textOf(call.input.file_path) || textOf(call.input.notebook_path)
  return path === '' ? null : { path, change: output.type === 'create' ? 'create' : 'update' }
}

const SHELLS = new Set(['Bash', 'PowerShell'])
const EDITS = new Set(['Edit', 'MultiEdit', 'NotebookEdit', 'Write'])

/** What of a record a successful result is told by: the text, and the head of `toolUseResult`. */
export interface Needs {
  text: boolean
  output: boolean
}

export const needsOf = (tool: string): Needs => ({
  text: !isQuiet(tool),
  output: SHELLS.has(tool) || EDITS.has(tool),
})

/** Tools whose successful output is a copy of files: the event carries no text. */
const isQuiet = (tool: string): boolean => LOOKS.has(tool) || EDITS.has(tool)
const LOOKS = new Set(['Read', 'NotebookRead', 'Grep', 'Glob', 'LS'])

/** Id of the background task that a successful command became, or null. */
export const taskIdOf = (text: string): string | null => BACKGROUND.exec(text)?.[1] ?? null
const BACKGROUND = /^Command (?:running in background|was manually backgrounded by user) with ID: (\w+)/

function failed(event: Result, record: Fields): Result {
  const text = event.text.replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>\s*$/, '$1')
  const code = /^(?:Error: )?Exit code (\d+)(?:\n|$)/.exec(text)
  event.ok = false
  event.exitCode = code ? Number(code[1]) : null
  event.text = clip(code ? text.slice(code[0].length) : text)
  if (record.toolDenialKind !== undefined || DID_NOT_HAPPEN.test(text)) event.refused = true
  const isRule = record.toolDenialKind !== undefined && record.toolDenialKind !== 'user-rejected'
  if (isRule || BY_CLIENT.test(text)) event.byClient = true
  // Words of the client: whoever asks why the person refused must not take them for an answer.
  if (BESIDE_A_FAILURE.test(text)) event.text = ''
  return event
}

/** A call that was never made because one beside it failed. */
const BESIDE_A_FAILURE = /^(?:Sibling tool call errored|Cancelled: parallel tool call )/

/** Nobody was asked: a rule or the mode forbade it. */
const NOT_PERMITTED =
  /^(?:Permission (?:to use|for this) |Claude requested permissions to .* haven't granted it yet)/
const BY_CLIENT = new RegExp(`${BESIDE_A_FAILURE.source}|${NOT_PERMITTED.source}`)

const DID_NOT_HAPPEN = new RegExp(
  [
    "^The user doesn't want to (?:proceed with this tool use|take this action right now)",
    '|^\\[Request interrupted by user',
    `|${BY_CLIENT.source}`,
  ].join(''),
)

/** The words with which the person refused a call, or null. */
export function refusalWords(text: string): string | null {
  const at = text.indexOf(SAID)
  if (at === -1 || !text.startsWith("The user doesn't want to")) return null
  const words =
    text
      .slice(at + SAID.length)
      .split(NOTE)[0]
      ?.trim() ?? ''
  // Written by the client when a question is answered with "let us talk about it".
  return words === '' || words.startsWith('The user wants to clarify these questions.') ? null : words
}
const SAID = 'To tell you how to proceed, the user said:\n'
const NOTE = "\n\nNote: The user's next message may contain a correction or preference."
