import type { Action, PlanItem } from '../types.ts'
import { type Fields, fieldsOf, listOf, textOf } from './fields.ts'

/** What a Pi or oh-my-pi tool call attempts. Built-in tools of Pi 0.74 … 1.5; other names may come from extensions. */
export function piAction(tool: string, input: Fields): Action {
  const paths = pathsOf(input)
  switch (tool) {
    case 'read':
      return { type: 'read', paths }
    // Pi's `write` does not record whether the file was there before, so no creation is claimed.
    case 'write':
    case 'edit':
      return { type: 'edit', files: paths.map((path) => ({ path, change: 'update' })) }
    case 'bash':
      return { type: 'run', command: textOf(input.command) }
    case 'grep':
    case 'find':
      return { type: 'search', pattern: textOf(input.pattern), paths }
    case 'subagent':
    case 'task':
      return { type: 'task', prompt: taskPrompt(input) }
    default:
      return { type: 'other', paths }
  }
}

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

/** The plan in the result of Pi's `todo` extension (`examples/extensions/todo.ts` of 0.74.2); null for other results. */
export function piPlan(details: Fields): PlanItem[] | null {
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
