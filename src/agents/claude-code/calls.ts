import type { Action, PlanItem, SessionEvent } from '../../types/session.ts'
import { type Stamp, stamped } from '../draft.ts'
import { contentText, type Fields, fieldsOf, listOf, numbered, pathsUnder, textOf } from '../fields.ts'
import { actionBy, isOwnSkill, planItems, planStatus, questionsIn, skillOf, TOOLS } from '../tools.ts'
import { type Needs, needsOf, type OpenCall, resultOf, taskIdOf } from './rows.ts'

export type Actions = ReturnType<typeof createActions>

export function createActions(emit: (event: SessionEvent) => void) {
  const open = new Map<string, OpenCall>()
  const proposals = new Map<string, SessionEvent>()
  const background = new Map<string, string>()
  const plans = new Map<string | null, ReturnType<typeof createPlan>>()
  const planOf = (sub: string | null) => {
    const plan = plans.get(sub) ?? createPlan()
    plans.set(sub, plan)
    return plan
  }

  function call(block: Fields, stamp: Stamp): void {
    const id = textOf(block.id)
    const tool = textOf(block.name)
    const input = fieldsOf(block.input)
    open.set(id, { id, tool, input, cwd: stamp.cwd })
    emit({ kind: 'call', ...stamp, id, tool, action: actionOf(tool, input), by: 'agent' })
    if (tool === 'AskUserQuestion') for (const draft of asked(id, input)) emit(stamped(draft, stamp))
    if (tool === 'ExitPlanMode' && textOf(input.plan) !== '')
      proposals.set(id, { kind: 'proposal', ...stamp, text: textOf(input.plan), accepted: null })
  }

  function result(block: Fields, record: Fields, own: Stamp): void {
    const id = textOf(block.tool_use_id)
    const made = open.get(id)
    open.delete(id)
    const stamp = { ...own, cwd: own.cwd ?? made?.cwd ?? null }
    const outcome = resultOf(block, record, made, stamp)
    emit(outcome)
    if (outcome.ok && made) succeeded(made, record, stamp, contentText(block.content))
    const proposal = proposals.get(id)
    // A call that failed without a refusal was no answer.
    const accepted = outcome.ok ? true : outcome.refused ? false : null
    if (proposal?.kind === 'proposal') emit({ ...proposal, at: stamp.at, accepted })
    proposals.delete(id)
    if (outcome.reason !== undefined) emit({ kind: 'prompt', ...stamp, text: outcome.reason })
  }

  function succeeded(made: OpenCall, record: Fields, stamp: Stamp, text: string): void {
    const { tool, input, id } = made
    const output = fieldsOf(record.toolUseResult)
    const task = tool === 'Bash' ? taskIdOf(text) : null
    if (task !== null) background.set(task, id)
    if (PLAN_TOOLS.has(tool)) {
      const items = planOf(stamp.sub).apply(tool, input, output)
      if (items) emit({ kind: 'plan', ...stamp, items })
    }
    if (tool === 'Skill')
      for (const draft of skillOf(textOf(input.skill) || textOf(input.command))) emit(stamped(draft, stamp))
    if (tool === 'AskUserQuestion')
      for (const { id: question, text } of asked(id, input)) {
        const notes = textOf(fieldsOf(fieldsOf(output.annotations)[text]).notes)
        // An answer in the person's own words stands in both.
        const said = [textOf(fieldsOf(output.answers)[text]).trim(), notes.trim()]
        const answer = [...new Set(said)].filter(Boolean).join('\n')
        if (answer !== '') emit({ kind: 'answer', ...stamp, id: question, text: answer })
      }
  }

  return {
    call,
    result,
    /** What the result of this call is told by when it went well; null when it takes all of the record. */
    needsOf(id: string): Needs | null {
      const tool = open.get(id)?.tool
      return tool === undefined || PLAN_TOOLS.has(tool) || OUTPUT_MATTERS.has(tool) ? null : needsOf(tool)
    },
    startedBy: (task: string): string | null => background.get(task) ?? null,
    tasks(list: unknown[], stamp: Stamp): void {
      const items = planOf(stamp.sub).replace(list)
      if (items) emit({ kind: 'plan', ...stamp, items })
    },
    end(): void {
      for (const proposal of proposals.values()) emit(proposal)
    },
  }
}

/** Tools whose `toolUseResult` says more than their result. */
const OUTPUT_MATTERS = new Set(['Agent', 'AskUserQuestion', 'Skill', 'Task'])

const asked = (id: string, { questions }: Fields) => questionsIn(questions, (index) => numbered(id, index))

function actionOf(tool: string, input: Fields): Action {
  // Ours by the file that it loads, so that it is told apart from work.
  if (tool === 'Skill' && isOwnSkill(textOf(input.skill) || textOf(input.command)))
    return { type: 'read', paths: ['.claude/skills/handoff/SKILL.md'] }
  const deed = TOOLS.get(tool)
  const path = textOf(input.file_path) || textOf(input.notebook_path) || textOf(input.path)
  if (deed === undefined) return actionBy(deed, input, tool === 'Skill' ? [] : pathsUnder(input, PATH_KEYS))
  return actionBy(deed, input, path === '' ? [] : [path])
}

// Tools of MCP servers name their files under a handful of keys.
const PATH_KEYS = ['path', 'file_path', 'filePath', 'filepath', 'file', 'filename', 'paths', 'files']

const PLAN_TOOLS = new Set(['TodoWrite', 'TaskCreate', 'TaskUpdate', 'TaskList'])

/** The plan of one conversation, folded from the tools that change it piece by piece (2.1) or as a whole (TodoWrite). */
function createPlan() {
  /** Never changed in place: what was told goes on standing in an event. */
  let items: readonly PlanItem[] = []
  let shown = '[]'
  const changed = (): PlanItem[] | null => {
    const now = JSON.stringify(items)
    if (now === shown) return null
    shown = now
    return [...items]
  }
  /** The whole plan after the client listed its tasks, or null when it stands as before. */
  const replace = (tasks: unknown[]): PlanItem[] | null => {
    items = tasks.map(fieldsOf).map(taskItem)
    return changed()
  }
  return {
    replace,
    /** The same after a successful call. `output`: `toolUseResult`. */
    apply(tool: string, input: Fields, output: unknown): PlanItem[] | null {
      const result = fieldsOf(output)
      if (tool === 'TodoWrite') items = planItems(input.todos, 'content')
      else if (tool === 'TaskList') return Array.isArray(result.tasks) ? replace(result.tasks) : null
      else if (tool === 'TaskCreate') {
        const id = textOf(fieldsOf(result.task).id) || String(items.length + 1)
        items = [...items.filter((item) => item.id !== id), taskItem({ ...input, id })]
      } else items = updated(items, input)
      return changed()
    },
  }
}

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
