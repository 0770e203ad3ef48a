import type { SessionEvent } from '../../types/session.ts'
import { actionOf, isOwnSkill, questionsOf } from './calls.ts'
import { createPlan, isPlanTool, type Plan } from './plan.ts'
import {
  type Needs,
  needsOf,
  type OpenCall,
  refusalWords,
  resultOf,
  type Stamp,
  taskIdOf,
} from './results.ts'
import { contentText, type Fields, fieldsOf, textOf } from '../fields.ts'

/** Tool calls and what came of them. */
export interface Actions {
  call(block: Fields, stamp: Stamp): void
  result(block: Fields, record: Fields, stamp: Stamp): void
  /** What the result of this call is told by when it went well; null when it takes all of the record. */
  needsOf(id: string): Needs | null
  /** Call that a background task was started by, or null. */
  startedBy(task: string): string | null
  /** The client listed its tasks. */
  tasks(list: unknown[], stamp: Stamp): void
  end(): void
}

export function createActions(emit: (event: SessionEvent) => void): Actions {
  const open = new Map<string, OpenCall>()
  const proposals = new Map<string, SessionEvent>()
  const background = new Map<string, string>()
  const plans = new Map<string | null, Plan>()
  const planOf = (sub: string | null): Plan => {
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
    if (tool === 'AskUserQuestion')
      questionsOf(input).forEach(({ question, options }, index) => {
        emit({ kind: 'question', ...stamp, id: questionId(id, index), text: question, options })
      })
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
    const text = contentText(block.content)
    if (outcome.ok && made) succeeded(made, record, stamp, text)
    const proposal = proposals.get(id)
    // A call that failed without a refusal was no answer.
    const accepted = outcome.ok ? true : outcome.refused ? false : null
    if (proposal?.kind === 'proposal') emit({ ...proposal, at: stamp.at, accepted })
    proposals.delete(id)
    const words = outcome.ok ? null : refusalWords(text)
    if (words !== null) emit({ kind: 'prompt', ...stamp, text: words })
  }

  function succeeded(made: OpenCall, record: Fields, stamp: Stamp, text: string): void {
    const { tool, input, id } = made
    const output = fieldsOf(record.toolUseResult)
    const task = tool === 'Bash' ? taskIdOf(text) : null
    if (task !== null) background.set(task, id)
    if (isPlanTool(tool)) {
      const items = planOf(stamp.sub).apply(tool, input, output)
      if (items) emit({ kind: 'plan', ...stamp, items })
    }
    if (tool === 'Skill') emitSkill(emit, textOf(input.skill) || textOf(input.command), stamp)
    if (tool === 'AskUserQuestion')
      questionsOf(input).forEach(({ question }, index) => {
        const notes = textOf(fieldsOf(fieldsOf(output.annotations)[question]).notes)
        // An answer in the person's own words stands in both.
        const said = [textOf(fieldsOf(output.answers)[question]).trim(), notes.trim()]
        const answer = [...new Set(said)].filter(Boolean).join('\n')
        if (answer !== '') emit({ kind: 'answer', ...stamp, id: questionId(id, index), text: answer })
      })
  }

  return {
    call,
    result,
    needsOf(id) {
      const tool = open.get(id)?.tool
      return tool === undefined || isPlanTool(tool) || OUTPUT_MATTERS.has(tool) ? null : needsOf(tool)
    },
    startedBy: (task) => background.get(task) ?? null,
    tasks(list, stamp) {
      const items = planOf(stamp.sub).replace(list)
      if (items) emit({ kind: 'plan', ...stamp, items })
    },
    end() {
      for (const proposal of proposals.values()) emit(proposal)
    },
  }
}

/** Tools whose `toolUseResult` says more than their result. */
const OUTPUT_MATTERS = new Set(['Agent', 'AskUserQuestion', 'Skill', 'Task'])

/** A skill by its name; our own is the way a session ends, not something the next one needs. */
export function emitSkill(emit: (event: SessionEvent) => void, name: string, stamp: Stamp): void {
  if (name !== '' && !isOwnSkill(name)) emit({ kind: 'skill', ...stamp, name })
}

const questionId = (id: string, index: number): string => (index === 0 ? id : `${id}#${index + 1}`)
