import { resolve } from 'node:path'
import type { Action, FileTouch } from '../../types/session.ts'
import { pathOf } from '../content.ts'
import type { DraftOf } from '../draft.ts'
import { type Fields, fieldsOf, listOf, numberOf, recordOf, textOf } from '../fields.ts'
import { actionBy, patchFiles, planItems, questionsIn, TOOLS } from '../tools.ts'
import { outputText } from './texts.ts'

/** Tools that only wait for, ask about or stop something: no work of their own. */
const SILENT = new Set([
  'wait', 'wait_agent', 'close_agent', 'list_agents', 'interrupt_agent', 'resume_agent', 'sleep',
  'get_goal', 'create_goal', 'update_goal', 'tool_search', 'request_user_input_async',
]) // biome-ignore format: one list

/** A call in the words of every agent; null for tools that do no work of their own. */
export function actionOf(tool: string, args: Fields, freeform: string): Action | null {
  if (SILENT.has(tool)) return null
  const deed = TOOLS.get(tool)
  if (deed === 'run') return commandAction(commandText(args.cmd ?? args.command))
  const input = { input: freeform || args.input, prompt: deed === 'task' ? taskText(args) : '' }
  const path = deed === 'read' ? textOf(args.path) || textOf(args.file_path) : ''
  return actionBy(deed, input, path === '' ? [] : [path])
}

export function commandAction(command: string): Action {
  const files = patchInCommand(command)
  return files.length > 0 ? { type: 'edit', files } : { type: 'run', command }
}

/** The command a person would type: the script of `["bash", "-lc", script]`, or the words of an argument list. */
export function commandText(command: unknown): string {
  if (typeof command === 'string') return command
  const words = listOf(command).map(textOf)
  const [shell = '', flag = '', script] = words
  const isShell = /(?:^|[\\/])(?:ba|z|da|fi|k)?sh(?:\.exe)?$|powershell|pwsh/i.test(shell)
  if (words.length === 3 && isShell && /^-\w/.test(flag)) return script ?? ''
  return words.join(' ')
}

const taskText = (args: Fields): string =>
  textOf(args.message) ||
  textOf(args.prompt) ||
  listOf(args.items)
    .map((item) => textOf(fieldsOf(item).text))
    .filter(Boolean)
    .join('\n')

/** Directory a call works in: its own `workdir`, which may be relative to the session's. */
export function workdirOf(args: Fields, cwd: string | null): string | null {
  const own = textOf(args.workdir)
  if (own === '') return cwd
  return cwd === null ? (own.startsWith('/') ? own : null) : resolve(cwd, own)
}

/** Arguments of a function call, which stand there as JSON text; none where the model broke it, which the client answers with an error. */
export const argumentsOf = (value: unknown): Fields => recordOf(textOf(value))

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
    cwd: pathOf(textOf(item.cwd)) || null,
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

export function planOf(args: Fields): DraftOf<'plan'> | null {
  return Array.isArray(args.plan) ? { kind: 'plan', items: planItems(args.plan, 'step') } : null
}

/** The questions of `request_user_input`, one event each; its call id alone names the only one. */
export const questionsOf = (call: string, { questions }: Fields): DraftOf<'question'>[] =>
  questionsIn(questions, (_, { id }) => (listOf(questions).length === 1 ? call : `${call}/${textOf(id)}`))

/** The answers to `request_user_input`: `{"answers": {"<question id>": {"answers": ["…"]}}}`. */
export function answersOf(call: string, output: string): DraftOf<'answer'>[] {
  // Where it was not answered, the tool says in words why (cancelled, not available in this mode).
  const answers = fieldsOf(recordOf(output).answers)
  const ids = Object.keys(answers)
  return ids
    .map(
      (id): DraftOf<'answer'> => ({
        kind: 'answer',
        id: ids.length === 1 ? call : `${call}/${id}`,
        text: listOf(fieldsOf(answers[id]).answers).map(textOf).filter(Boolean).join('\n'),
      }),
    )
    .filter(({ text }) => text !== '')
}

/** Files of a shell command that feeds a patch to `apply_patch` (the way of clients before the tool); else empty. */
export const patchInCommand = (command: string): FileTouch[] =>
  /\bapply_?patch\b/.test(command) && command.includes('*** Begin Patch') ? patchFiles(command) : []

/** Files of a `changes` table (`patch_apply_end` 0.118 … 0.144, `FileChange` 0.169), by path. */
export function changedFiles(changes: unknown): FileTouch[] {
  const table = fieldsOf(changes)
  return Object.keys(table)
    .sort()
    .map((path): FileTouch => {
      const change = fieldsOf(table[path])
      // Before 0.130 a change was {"update": {…}}, since then {"type": "update", …}.
      const old = ['add', 'delete', 'update'].find((word) => word in change) ?? ''
      const moved = textOf(change.move_path) || textOf(fieldsOf(change[old]).move_path)
      if (moved) return { path: moved, change: 'rename', from: path }
      const type = textOf(change.type) || old
      return { path, change: type === 'add' ? 'create' : type === 'delete' ? 'delete' : 'update' }
    })
}
