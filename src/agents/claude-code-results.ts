import type { FileTouch, SessionEvent } from '../types.ts'
import { isLook } from './claude-code-calls.ts'
import { withoutReminders } from './claude-code-rows.ts'
import { contentText, type Fields, fieldsOf, textOf } from './fields.ts'
import { clip } from './lines.ts'

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
export type Outcome = Omit<Result, 'at' | 'sub' | 'cwd'>

/** What came of a call; `block` is the `tool_result`, `record` the row that holds it. */
export function outcomeOf(block: Fields, record: Fields, call: OpenCall | undefined): Outcome {
  const id = textOf(block.tool_use_id)
  const text = withoutReminders(contentText(block.content))
  if (block.is_error === true) return failureOf(id, text, record)
  const output = fieldsOf(record.toolUseResult)
  const runs = call?.tool === 'Bash' || call?.tool === 'PowerShell'
  const started = runs && BACKGROUND.test(text)
  // Success is written without a code: 0, unless the client reads another code as success, or is older than 2.
  const zero = runs && !started && !output.returnCodeInterpretation && !/^[01]\./.test(textOf(record.version))
  return {
    kind: 'result',
    id,
    ok: true,
    exitCode: zero ? 0 : null,
    text: call && isLook(call.tool) ? '' : clip(text),
    ...(started ? { unsure: true } : {}),
    ...(call ? touched(call, output.type, textOf(output.filePath)) : {}),
  }
}

/** The files an edit tool changed, as its output names them. */
export function touched(call: OpenCall, type: unknown, path: string): { files?: FileTouch[] } {
  if (!EDITS.has(call.tool)) return {}
  const file = path || textOf(call.input.file_path) || textOf(call.input.notebook_path)
  return file === '' ? {} : { files: [{ path: file, change: type === 'create' ? 'create' : 'update' }] }
}
const EDITS = new Set(['Edit', 'MultiEdit', 'NotebookEdit', 'Write'])

/** Id of the background task that a successful command became, or null. */
export const taskIdOf = (text: string): string | null => BACKGROUND.exec(text)?.[1] ?? null
const BACKGROUND = /^Command (?:running in background|was manually backgrounded by user) with ID: (\w+)/

function failureOf(id: string, content: string, record: Fields): Outcome {
  const text = content.replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>\s*$/, '$1')
  const code = /^(?:Error: )?Exit code (\d+)(?:\n|$)/.exec(text)
  const refused = record.toolDenialKind !== undefined || DID_NOT_HAPPEN.test(text)
  return {
    kind: 'result',
    id,
    ok: false,
    exitCode: code ? Number(code[1]) : null,
    text: clip(code ? text.slice(code[0].length) : text),
    ...(refused ? { refused } : {}),
  }
}

const DID_NOT_HAPPEN = new RegExp(
  [
    "^The user doesn't want to (?:proceed with this tool use|take this action right now)",
    '|^\\[Request interrupted by user',
    '|^Permission (?:to use|for this) ',
    "|^Claude requested permissions to .* haven't granted it yet",
    '|^(?:Sibling tool call errored|Cancelled: parallel tool call )',
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
