import type { PlanItem } from '../../types/session.ts'
import { planStatus, todosOf } from './calls.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'

/** The plan of one conversation, folded from the tools that change it piece by piece (2.1) or as a whole (TodoWrite). */
export interface Plan {
  /** The whole plan after a successful call, or null when it stands as before. `output`: `toolUseResult`. */
  apply(tool: string, input: Fields, output: unknown): PlanItem[] | null
  /** The whole plan after the client listed its tasks, or null when it stands as before. */
  replace(tasks: unknown[]): PlanItem[] | null
}

export const isPlanTool = (tool: string): boolean => PLAN_TOOLS.has(tool)
const PLAN_TOOLS = new Set(['TodoWrite', 'TaskCreate', 'TaskUpdate', 'TaskList'])

export function createPlan(): Plan {
  /** Never changed in place: what was told goes on standing in an event. */
  let items: readonly PlanItem[] = []
  let shown = items
  const changed = (): PlanItem[] | null => {
    if (isSame(items, shown)) return null
    shown = items
    return [...items]
  }
  const replace = (tasks: unknown[]) => {
    items = tasks.map(fieldsOf).map(taskItem)
    return changed()
  }
  return {
    replace,
    apply(tool, input, output) {
      const result = fieldsOf(output)
      if (tool === 'TodoWrite') items = todosOf(input)
      else if (tool === 'TaskList') return Array.isArray(result.tasks) ? replace(result.tasks) : null
      else if (tool === 'TaskCreate') {
        const id = textOf(fieldsOf(result.task).id) || String(items.length + 1)
        items = [...items.filter((item) => item.id !== id), taskItem({ ...input, id })]
      } else items = updated(items, input)
      return changed()
    },
  }
}

const isSame = (items: readonly PlanItem[], others: readonly PlanItem[]): boolean =>
  items.length === others.length &&
  items.every((item, index) => {
    const other = others[index]
    return (
      item === other ||
      (item.text === other?.text &&
        item.status === other.status &&
        item.id === other.id &&
        JSON.stringify(item.blockedBy) === JSON.stringify(other.blockedBy))
    )
  })

function updated(items: readonly PlanItem[], input: Fields): PlanItem[] {
  const id = textOf(input.taskId)
  if (input.status === 'deleted') return items.filter((item) => item.id !== id)
  const blocks = listOf(input.addBlocks)
  return items.map((item) => {
    const waits = item.id === id ? listOf(input.addBlockedBy) : blocks.includes(item.id) ? [id] : []
    const blockedBy = [...new Set([...(item.blockedBy ?? []), ...waits.map(textOf)])]
    const own =
      item.id === id
        ? {
            text: textOf(input.subject) || item.text,
            status: input.status === undefined ? item.status : planStatus(input.status),
          }
        : {}
    return { ...item, ...own, ...(blockedBy.length > 0 ? { blockedBy } : {}) }
  })
}

function taskItem(task: Fields): PlanItem {
  const blockedBy = listOf(task.blockedBy).map(textOf)
  return {
    id: textOf(task.id),
    text: textOf(task.subject),
    status: planStatus(task.status),
    ...(blockedBy.length > 0 ? { blockedBy } : {}),
  }
}
