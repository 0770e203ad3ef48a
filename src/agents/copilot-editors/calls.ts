import type { Action } from '../../types/session.ts'
import type { Draft } from '../draft.ts'
import { type Fields, fieldsOf, listOf, numbered, pathsUnder, recordOf, textOf } from '../fields.ts'
import { actionBy, planItems, planStatus, questionsIn, toolsBy } from '../tools.ts'

/** Tools of the editors (`tools/common/toolNames.ts` of Copilot Chat 0.42). JetBrains has some of them under the same names. */
const TOOLS = toolsBy({
  read: 'read_file view_image',
  create: 'create_file',
  update: 'replace_string_in_file multi_replace_string_in_file insert_edit_into_file edit_notebook_file',
  patch: 'apply_patch',
  run: 'run_in_terminal',
  search: 'grep_search file_search semantic_search search_workspace_symbols list_code_usages',
  list: 'list_dir',
  task: 'runSubagent search_subagent execution_subagent',
})

/** The model's own text where it asks for a call, an object where the call begins. */
export const editorInput = (given: unknown): Fields =>
  typeof given === 'string' ? recordOf(given) : fieldsOf(given)

export function editorAction(tool: string, given: unknown): Action {
  const input = fieldsOf(given)
  const inside = [input, ...listOf(input.replacements).map(fieldsOf)]
  const paths = inside.flatMap((one) => pathsUnder(one, ['filePath', 'filePaths', 'path']))
  const prompt = textOf(input.prompt) || textOf(input.query) || textOf(input.description)
  return actionBy(TOOLS.get(tool), { ...input, pattern: input.query, prompt }, [...new Set(paths)])
}

/** What the person sees of a call: the plan, or the questions. */
export function editorSeen(id: string, tool: string, input: Fields): Draft[] {
  if (tool === 'vscode_askQuestions')
    return questionsIn(input.questions, (index) => numbered(id, index)).filter(({ text }) => text !== '')
  const items = tool === 'manage_todo_list' ? planItems(input.todoList, 'title', statusOf) : []
  return items.length === 0 ? [] : [{ kind: 'plan', items }]
}

/** `not-started`, `in-progress`, `completed`. */
const statusOf = ({ status }: Fields) => ({ status: planStatus(textOf(status).replace('-', '_')) })
