import type { Action, PlanItem } from '../../types/session.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'

/** What a tool call of Claude Code attempts (tools of 1.0.124 to 2.1.330). */
export function actionOf(tool: string, input: Fields): Action {
  const path = textOf(input.file_path) || textOf(input.notebook_path) || textOf(input.path)
  switch (tool) {
    case 'Read':
    case 'NotebookRead':
      return { type: 'read', paths: some(path) }
    case 'Edit':
    case 'MultiEdit':
    case 'NotebookEdit':
      return { type: 'edit', files: some(path).map((path) => ({ path, change: 'update' })) }
    case 'Write':
      return { type: 'edit', files: some(path).map((path) => ({ path, change: 'create' })) }
    case 'Bash':
    case 'PowerShell':
      return { type: 'run', command: textOf(input.command) }
    case 'Grep':
    case 'Glob':
      return { type: 'search', pattern: textOf(input.pattern), paths: some(path) }
    case 'LS':
      return { type: 'search', pattern: '*', paths: some(path) }
    case 'Task':
    case 'Agent':
      return { type: 'task', prompt: textOf(input.prompt) }
    case 'Skill':
      // Ours by the file that it loads, so that it is told apart from work.
      return isOwnSkill(textOf(input.skill) || textOf(input.command))
        ? { type: 'read', paths: ['.claude/skills/handoff/SKILL.md'] }
        : { type: 'other', paths: [] }
    default:
      return { type: 'other', paths: pathsIn(input) }
  }
}

/** Our own skill, also under the name of our plugin. */
export const isOwnSkill = (name: string): boolean => name.split(':').includes('handoff')

export interface Asked {
  question: string
  options: string[]
}

/** The questions of an AskUserQuestion call. */
export const questionsOf = (input: Fields): Asked[] =>
  listOf(input.questions)
    .map(fieldsOf)
    .map((asked) => ({
      question: textOf(asked.question),
      options: listOf(asked.options).map((option) => textOf(fieldsOf(option).label) || textOf(option)),
    }))

/** The list of a TodoWrite call. */
export const todosOf = (input: Fields): PlanItem[] =>
  listOf(input.todos)
    .map(fieldsOf)
    .map((todo) => ({ text: textOf(todo.content), status: planStatus(todo.status) }))

/** The client's word for how far a task is, in ours. */
export const planStatus = (value: unknown): PlanItem['status'] =>
  value === 'completed'
    ? 'done'
    : value === 'in_progress' || value === 'pending' || value === 'cancelled'
      ? value
      : 'pending'

const some = (path: string): string[] => (path === '' ? [] : [path])

// Tools of MCP servers name their files under a handful of keys.
const PATH_KEYS = ['path', 'file_path', 'filePath', 'filepath', 'file', 'filename', 'paths', 'files']

const pathsIn = (input: Fields): string[] =>
  PATH_KEYS.flatMap((key) => (typeof input[key] === 'string' ? [input[key]] : listOf(input[key])))
    .filter((path): path is string => typeof path === 'string' && path !== '' && !path.includes('\n'))
    .filter((path) => !path.includes('://'))
