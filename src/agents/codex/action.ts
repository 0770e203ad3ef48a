import { resolve } from 'node:path'
import type { Action } from '../../types/session.ts'
import { patchFiles, patchInCommand } from './patch.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'

/** Tools that run a shell command, through all versions. */
const SHELLS = new Set([
  'exec_command',
  'shell',
  'shell_command',
  'local_shell',
  'container.exec',
  'unified_exec',
])
/** Tools that hand work to another agent, and the field with the order. */
const TASKS = new Set(['spawn_agent', 'send_input', 'send_message', 'followup_task'])
/** Tools that only wait for, ask about or stop something: no work of their own. */
const SILENT = new Set([
  'wait', 'wait_agent', 'close_agent', 'list_agents', 'interrupt_agent', 'resume_agent', 'sleep',
  'get_goal', 'create_goal', 'update_goal', 'tool_search', 'request_user_input_async',
]) // biome-ignore format: one list

/** A call in the words of every agent; null for tools that do no work of their own. */
export function actionOf(tool: string, args: Fields, freeform: string): Action | null {
  if (SILENT.has(tool)) return null
  if (tool === 'apply_patch') return { type: 'edit', files: patchFiles(freeform || textOf(args.input)) }
  if (SHELLS.has(tool)) return commandAction(commandText(args.cmd ?? args.command))
  if (TASKS.has(tool)) return { type: 'task', prompt: taskText(args) }
  if (tool === 'view_image' || tool === 'read_file')
    return { type: 'read', paths: [textOf(args.path) || textOf(args.file_path)].filter(Boolean) }
  return { type: 'other', paths: [] }
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

/** A path given as it is or as a `file:` URL (0.169). */
export function pathOf(value: unknown): string | null {
  const text = textOf(value)
  if (!text.startsWith('file://')) return text || null
  try {
    return decodeURIComponent(text.slice('file://'.length))
  } catch {
    // A stray percent sign: the text is as good as it gets.
    return text.slice('file://'.length)
  }
}

/** Arguments of a function call, which stand there as JSON text. */
export function argumentsOf(value: unknown): Fields {
  try {
    return fieldsOf(JSON.parse(textOf(value) || '{}'))
  } catch {
    // The model wrote broken JSON; the client answers with an error, and the call keeps its name.
    return {}
  }
}
