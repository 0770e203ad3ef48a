import type { Action, FileTouch } from '../../types/session.ts'
import { commandAction, commandText, pathOf } from './action.ts'
import { outputText } from './output.ts'
import { changedFiles } from './patch.ts'
import { type Fields, fieldsOf, numberOf, textOf } from '../fields.ts'

/** How a call ended. */
export interface End {
  ok: boolean
  exitCode?: number | null
  text: string
  files?: FileTouch[]
  refused?: boolean
  unsure?: true
}

/** A call told whole by one record: what was tried, and how it ended when that is known. */
export interface Whole {
  id: string
  tool: string
  action: Action
  by: 'agent' | 'user'
  cwd?: string | null
  end: End | null
}

// Events name their call `call_id`, items `id`.
const idOf = (item: Fields): string => textOf(item.call_id) || textOf(item.id)

/** `exec_command_end` (0.118 … 0.126) and `item_completed/CommandExecution` (0.169). */
export function executed(item: Fields): Whole {
  const user = item.source === 'user_shell'
  const exitCode = numberOf(item.exit_code)
  const refused = item.status === 'declined'
  const text = textOf(item.aggregated_output) || textOf(item.formatted_output) || textOf(item.stdout)
  // -1: the client ended it on its own exit, so how it would have ended is not known.
  const known = refused || (exitCode !== null && exitCode !== -1)
  return {
    id: idOf(item),
    tool: user ? 'shell' : 'exec_command',
    action: commandAction(commandText(item.command)),
    by: user ? 'user' : 'agent',
    cwd: pathOf(item.cwd),
    end: known
      ? { ok: exitCode === 0 && !refused, exitCode: refused ? null : exitCode, text, refused }
      : null,
  }
}

/** `patch_apply_end` (0.118 … 0.144) and `item_completed/FileChange` (0.169). */
export function patched(item: Fields): Whole {
  const files = changedFiles(item.changes)
  const refused = item.status === 'declined'
  const ok = !refused && item.success !== false && item.status !== 'failed'
  const text = textOf(item.stdout) + textOf(item.stderr)
  return {
    id: idOf(item),
    tool: 'apply_patch',
    action: { type: 'edit', files },
    by: 'agent',
    end: { ok, text, refused, ...(ok ? { files } : {}) },
  }
}

/** `mcp_tool_call_end` (0.142 … 0.144) and `item_completed/McpToolCall` (0.169). */
export function called(item: Fields): Whole {
  const asked = 'invocation' in item ? fieldsOf(item.invocation) : item
  const answer = fieldsOf(item.result)
  const body = 'Ok' in answer ? fieldsOf(answer.Ok) : answer
  const error = textOf(fieldsOf(item.error).message) || textOf(answer.Err)
  const failed = error !== '' || item.status === 'failed' || body.isError === true || body.is_error === true
  return {
    id: idOf(item),
    tool: `mcp__${textOf(asked.server)}__${textOf(asked.tool)}`,
    action: { type: 'other', paths: [] },
    by: 'agent',
    end: { ok: !failed, text: error || outputText(body.content) },
  }
}
