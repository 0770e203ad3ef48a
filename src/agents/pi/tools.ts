import type { Action, FileTouch, PlanItem } from '../../types/session.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'

/** What a Pi or oh-my-pi tool call attempts. Built-in tools of Pi 0.74 … 1.5; other names may come from extensions. */
export function piAction(tool: string, input: Fields): Action {
  const paths = pathsOf(input)
  switch (tool) {
    case 'read':
      return { type: 'read', paths: paths.map((path) => path.replace(SELECTOR, '')) }
    // Pi's `write` does not record whether the file was there before, so no creation is claimed.
    case 'write':
    case 'edit':
      return { type: 'edit', files: paths.map((path) => ({ path, change: 'update' })) }
    case 'bash':
      return { type: 'run', command: textOf(input.command) }
    case 'grep':
    case 'find':
    case 'glob':
    case 'ast_grep':
      return { type: 'search', pattern: textOf(input.pattern) || textOf(input.path), paths: placesOf(paths) }
    case 'subagent':
    case 'task':
      return { type: 'task', prompt: taskPrompt(input) }
    default:
      return { type: 'other', paths }
  }
}

/** Which lines of a file oh-my-pi 18 shall read, written behind its path: `:10-20`, `:-5`, `:raw`, `:raw:1-9`. */
const SELECTOR = /(?::(?:raw|conflicts|img|-?\d+(?:[-+]\d*)?(?:,\d+(?:[-+]\d*)?)*))+$/

/** oh-my-pi 18 searches several places at once, `src; test/**`; a pattern is no place. */
const placesOf = (paths: string[]): string[] =>
  paths
    .flatMap((path) => path.split(';'))
    // No system has a longer path, and the pattern takes time by the square of a longer one.
    .filter((path) => path.length <= 4096)
    .map((path) => path.trim().replace(SELECTOR, ''))
    .filter((path) => path !== '' && !/[*?{[]/.test(path))

/** The paths an input names, each once: its own, those of its edits, and those of oh-my-pi's `[path#TAG]` patches. */
function pathsOf(input: Fields): string[] {
  const inEdits = listOf(input.edits).map((edit) => textOf(fieldsOf(edit).path))
  const inPatch = [...textOf(input.input).matchAll(/^\[([^\]\n]+?)(?:#[0-9A-F]+)?\]$/gm)].map(
    ([, path]) => path ?? '',
  )
  const named = [textOf(input.path) || textOf(input.file_path), ...inEdits, ...inPatch]
  return [...new Set(named.filter((path) => path !== ''))]
}

function taskPrompt(input: Fields): string {
  const several = [...listOf(input.tasks), ...listOf(input.chain)].map(fieldsOf)
  const parts = several.map((task) => textOf(task.task) || textOf(task.assignment) || textOf(task.prompt))
  return [textOf(input.task) || textOf(input.prompt), ...parts].filter((part) => part !== '').join('\n')
}

const CHANGES: Readonly<Record<string, FileTouch['change']>> = {
  create: 'create',
  update: 'update',
  delete: 'delete',
}

/** The files an edit of oh-my-pi 18 did change; undefined where the result does not tell, as in Pi. */
export function editedFiles(details: Fields): FileTouch[] | undefined {
  const each = Array.isArray(details.perFileResults) ? details.perFileResults.map(fieldsOf) : [details]
  const files = each.flatMap((file): FileTouch[] => {
    const change = CHANGES[textOf(file.op)]
    const path = textOf(file.move) || textOf(file.path)
    if (change === undefined || path === '' || file.isError === true) return []
    const from = textOf(file.sourcePath)
    return [from !== '' && from !== path ? { path, change: 'rename', from } : { path, change }]
  })
  return files.length === 0 ? undefined : files
}

/** What each word of oh-my-pi 18 for the state of a task means; `blocked` waits for something. */
const STATES: Readonly<Record<string, PlanItem['status']>> = {
  in_progress: 'in_progress',
  completed: 'done',
  abandoned: 'cancelled',
}

/**
 * The plan in the result of Pi's `todo` extension (`examples/extensions/todo.ts` of 0.74.2), or in phases as oh-my-pi 18 keeps
 * it; null for other results.
 */
export function piPlan(details: Fields): PlanItem[] | null {
  if (Array.isArray(details.phases))
    return details.phases
      .flatMap((phase) => listOf(fieldsOf(phase).tasks).map(fieldsOf))
      .filter((task) => textOf(task.content) !== '')
      .map((task) => ({
        text: textOf(task.content),
        status: STATES[textOf(task.status)] ?? 'pending',
        ...(textOf(task.blocker) === '' ? {} : { blockedBy: [textOf(task.blocker)] }),
      }))
  if (!Array.isArray(details.todos)) return null
  return listOf(details.todos)
    .map(fieldsOf)
    .filter((item) => textOf(item.text) !== '')
    .map((item) => ({
      text: textOf(item.text),
      status: item.done === true ? 'done' : 'pending',
      ...(typeof item.id === 'number' || typeof item.id === 'string' ? { id: String(item.id) } : {}),
    }))
}
