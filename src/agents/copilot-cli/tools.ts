import type { Action, FileTouch } from '../../types/session.ts'
import { patchFiles } from '../codex/patch.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'

/** What a call of a built-in tool attempts (1.0.102); `arguments` is a bare text for `apply_patch`. */
export function copilotAction(tool: string, given: unknown): Action {
  const input = fieldsOf(given)
  const path = textOf(input.path)
  switch (tool) {
    case 'bash':
    case 'powershell':
    case 'local_shell':
      return { type: 'run', command: textOf(input.command) }
    case 'view':
      return { type: 'read', paths: pathsOf(input) }
    case 'create':
      return { type: 'edit', files: touched([path], 'create') }
    case 'edit':
      return { type: 'edit', files: touched([path], 'update') }
    case 'apply_patch':
      return { type: 'edit', files: patchFiles(textOf(given) || textOf(input.input) || textOf(input.patch)) }
    case 'grep':
    case 'rg':
    case 'glob':
      return { type: 'search', pattern: textOf(input.pattern), paths: pathsOf(input) }
    case 'task':
      return { type: 'task', prompt: textOf(input.prompt) || textOf(input.description) }
    default:
      return { type: 'other', paths: pathsOf(input) }
  }
}

const touched = (paths: string[], change: FileTouch['change']): FileTouch[] =>
  paths.filter((path) => path !== '').map((path) => ({ path, change }))

/** One path or a list of them. */
const pathsOf = (input: Fields): string[] =>
  [input.path, input.paths, ...listOf(input.paths)].map(textOf).filter((path) => path !== '')

const CHANGES: Readonly<Record<string, FileTouch['change']>> = {
  create: 'create',
  edit: 'update',
  delete: 'delete',
}

/** The files a call did change, as the client recorded them; undefined when it recorded none. */
export function editedFiles(edits: unknown): FileTouch[] | undefined {
  const files = listOf(edits)
    .map(fieldsOf)
    .map((edit): FileTouch => ({ path: textOf(edit.path), change: CHANGES[textOf(edit.kind)] ?? 'update' }))
    .filter(({ path }) => path !== '')
  return files.length === 0 ? undefined : files
}
