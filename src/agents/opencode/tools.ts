import { isAbsolute, resolve } from 'node:path'
import type { Action, FileTouch, PlanItem } from '../../types/session.ts'
import { type Fields, fieldsOf, listOf, numberOf, textOf } from '../fields.ts'

/** What an OpenCode tool part attempts (built-in tools of 1.18.33). `state` also tells whether a written file is new. */
export function openCodeAction(tool: string, state: Fields): Action {
  const input = fieldsOf(state.input)
  const path = textOf(input.filePath) || textOf(input.path)
  const paths = path === '' ? [] : [path]
  switch (tool) {
    case 'read':
      return { type: 'read', paths }
    case 'edit':
    case 'multiedit':
      // An edit of nothing makes the file.
      return { type: 'edit', files: touched(paths, input.oldString === '' ? 'create' : 'update') }
    case 'write':
      return {
        type: 'edit',
        files: touched(paths, fieldsOf(state.metadata).exists === false ? 'create' : 'update'),
      }
    case 'patch':
    case 'apply_patch':
      return { type: 'edit', files: patchedFiles(textOf(input.patchText)) }
    case 'bash':
      return { type: 'run', command: textOf(input.command) }
    case 'grep':
    case 'glob':
      return { type: 'search', pattern: textOf(input.pattern), paths }
    case 'skill':
      // Ours by the file that it loads, so that it is told apart from work.
      return input.name === 'handoff'
        ? { type: 'read', paths: ['.agents/skills/handoff/SKILL.md'] }
        : { type: 'other', paths }
    case 'task':
      return { type: 'task', prompt: textOf(input.prompt) }
    default:
      return { type: 'other', paths }
  }
}

const touched = (paths: readonly string[], change: FileTouch['change']): FileTouch[] =>
  paths.map((path) => ({ path, change }))

const CHANGE: Readonly<Record<string, FileTouch['change']>> = {
  Add: 'create',
  Update: 'update',
  Delete: 'delete',
}

function patchedFiles(patch: string): FileTouch[] {
  const files: FileTouch[] = []
  for (const [, verb, path] of patch.matchAll(/^\*\*\* (Add|Update|Delete|Move)(?: File| to): (.+?)\s*$/gm)) {
    const before = files.at(-1)
    if (verb === 'Move' && before)
      files[files.length - 1] = { path: path ?? '', change: 'rename', from: before.path }
    else files.push({ path: path ?? '', change: CHANGE[verb ?? ''] ?? 'update' })
  }
  return files
}

/** The files a finished edit names in its result: absolute, where the call may have been relative. */
export function editedFiles(action: Action, metadata: Fields): FileTouch[] | null {
  if (action.type !== 'edit') return null
  const path = textOf(fieldsOf(metadata.filediff).file) || textOf(metadata.filepath)
  const [only, ...others] = action.files
  return path !== '' && only && others.length === 0 ? [{ ...only, path }] : null
}

/** How a tool part ended. A shell command is `completed` even when it failed: `metadata.exit` tells. */
export function outcomeOf(state: Fields): {
  ok: boolean
  exitCode: number | null
  text: string
  refused?: boolean
} {
  const exitCode = numberOf(fieldsOf(state.metadata).exit)
  const text = textOf(state.status === 'error' ? state.error : state.output)
  const note = /<(?:bash_|shell_)?metadata>([\s\S]*)<\/(?:bash_|shell_)?metadata>\s*$/.exec(text)?.[1] ?? ''
  const stopped = note.includes('terminated command after exceeding timeout')
  const refused =
    note.includes('User aborted the command') ||
    (state.status === 'error' &&
      /^(?:Error: )?(?:The user (?:rejected|dismissed|has specified a rule)|Tool execution aborted)/.test(
        text,
      ))
  const ok = state.status === 'completed' && (exitCode ?? 0) === 0 && !stopped && !refused
  return { ok, exitCode, text, ...(refused ? { refused } : {}) }
}

/** What the person said when they refused a call; empty when they said nothing. */
export const refusalWords = (text: string): string =>
  /^(?:Error: )?The user rejected [^\n]*? with the following feedback: ([\s\S]*)$/.exec(text)?.[1]?.trim() ??
  ''

const STATUS: Readonly<Record<string, PlanItem['status']>> = {
  pending: 'pending',
  in_progress: 'in_progress',
  completed: 'done',
  cancelled: 'cancelled',
}

/** The list of a `todowrite` call, as the result or else the call gives it. */
export function openCodePlan(state: Fields): PlanItem[] {
  const todos = fieldsOf(state.metadata).todos ?? fieldsOf(state.input).todos
  return listOf(todos)
    .map(fieldsOf)
    .filter((todo) => textOf(todo.content) !== '')
    .map((todo) => ({
      text: textOf(todo.content),
      status: STATUS[textOf(todo.status)] ?? 'pending',
      ...(textOf(todo.id) ? { id: textOf(todo.id) } : {}),
    }))
}

/** Directory a command ran in, absolute; `cwd` unless the call names another. */
export function workDir(input: Fields, cwd: string | null): string | null {
  const dir = textOf(input.workdir)
  if (dir === '') return cwd
  return isAbsolute(dir) ? dir : cwd && resolve(cwd, dir)
}
