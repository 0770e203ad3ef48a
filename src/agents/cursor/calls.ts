import type { Action, PlanItem } from '../../types/session.ts'
import type { Draft } from '../draft.ts'
import { type Fields, fieldsOf, labelsOf, listOf, numbered, pathsUnder, textOf } from '../fields.ts'
import { actionBy, planItems, planStatus, toolsBy } from '../tools.ts'

/** Tools of Cursor, in the names of today and of 2025 (docs of relayhistory, pi-cursor-sdk, 2026). */
const TOOLS = toolsBy({
  read: 'Read ReadFile read_file',
  update: 'Write StrReplace EditNotebook search_replace edit_file',
  patch: 'ApplyPatch apply_patch',
  run: 'Shell run_terminal_cmd',
  search: 'Grep rg Glob SemanticSearch grep_search file_search codebase_search',
  list: 'LS list_dir',
  task: 'Task Subagent',
})

const PATHS = 'path paths file_path target_file target_notebook target_directory target_directories'.split(
  ' ',
)

/** The name of a tool; some models see all of them in a namespace. */
const plainName = (tool: string): string => tool.replace(/^functions\./, '')

/** The input of `ApplyPatch` is the patch itself. */
const fieldsIn = (given: unknown): Fields => (typeof given === 'string' ? { input: given } : fieldsOf(given))

function actionOf(tool: string, input: Fields): Action {
  const paths = pathsUnder(input, PATHS)
  if (tool === 'Delete' || tool === 'delete_file')
    return { type: 'edit', files: paths.map((path) => ({ path, change: 'delete' })) }
  const pattern = textOf(input.pattern) || textOf(input.glob_pattern) || textOf(input.query)
  return actionBy(TOOLS.get(tool), { ...input, pattern }, paths)
}

/** Tells the calls of one session. */
export function createCursorCalls() {
  let plan: PlanItem[] = []

  /** A list that is merged names its items by id, with the fields that change. */
  function planned({ todos, merge }: Fields): Draft[] {
    const given = listOf(todos).map(fieldsOf)
    if (given.length === 0) return []
    const news = planItems(given, 'content', ({ id }) => ({ id: textOf(id) }))
    if (merge !== true) plan = news
    else {
      const changed = (item: PlanItem): PlanItem => {
        const found = given.find(({ id }) => textOf(id) !== '' && id === item.id)
        if (!found) return item
        return {
          ...item,
          text: textOf(found.content).trim() || item.text,
          status: found.status === undefined ? item.status : planStatus(found.status),
        }
      }
      const known = new Set(plan.map(({ id }) => id))
      plan = [...plan.map(changed), ...news.filter(({ id }) => !known.has(id))]
    }
    return [{ kind: 'plan', items: plan }]
  }

  /** No record tells what came of a call, so the result says only that. */
  return (id: string, { name, input: given }: Fields): Draft[] => {
    const input = fieldsIn(given)
    const tool = plainName(textOf(name))
    const folder = textOf(input.working_directory)
    const cwd = folder.startsWith('/') ? folder : null
    const drafts: Draft[] = [
      { kind: 'call', id, tool: textOf(name), action: actionOf(tool, input), by: 'agent', cwd },
    ]
    if (tool === 'TodoWrite') drafts.push(...planned(input))
    if (tool === 'AskQuestion')
      for (const [index, asked] of listOf(input.questions).map(fieldsOf).entries())
        drafts.push({
          kind: 'question',
          id: numbered(id, index),
          text: textOf(asked.prompt),
          options: labelsOf(asked.options),
        })
    return [...drafts, { kind: 'result', id, ok: true, exitCode: null, text: '', unsure: true, cwd }]
  }
}
