import type { SessionEvent } from '../types.ts'
import { actionOf, isLook, questionsOf } from './claude-code-calls.ts'
import type { Peek } from './claude-code-glance.ts'
import { createPlan, isPlanTool, type Plan } from './claude-code-plan.ts'
import {
  type OpenCall,
  outcomeOf,
  refusalWords,
  type Stamp,
  taskIdOf,
  touched,
} from './claude-code-results.ts'
import { contentText, type Fields, fieldsOf, textOf, timeOf } from './fields.ts'

/** Tool calls and what came of them. */
export interface Actions {
  call(block: Fields, stamp: Stamp): void
  result(block: Fields, record: Fields, stamp: Stamp): void
  /** Whether the result of this call must be parsed whole. */
  needsOutput(id: string): boolean
  /** Tells a result that needs no parse; false when it is not such a one. */
  takePeek(id: string, parts: Peek, line: Buffer): boolean
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
    const outcome = outcomeOf(block, record, made)
    emit({ ...stamp, ...outcome })
    const text = contentText(block.content)
    if (outcome.ok && made) succeeded(made, record, stamp, text)
    const proposal = proposals.get(id)
    if (proposal?.kind === 'proposal') emit({ ...proposal, at: stamp.at, accepted: outcome.ok })
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
        const answer = [textOf(fieldsOf(output.answers)[question]), notes].filter(Boolean).join('\n')
        if (answer !== '') emit({ kind: 'answer', ...stamp, id: questionId(id, index), text: answer })
      })
  }

  return {
    call,
    result,
    needsOutput(id) {
      const tool = open.get(id)?.tool
      return tool === undefined || isPlanTool(tool) || tool === 'Skill' || tool === 'AskUserQuestion'
    },
    takePeek(id, parts, line) {
      const made = open.get(id)
      if (!made) return false
      const { type, path } = filePathAt(line, parts.output)
      const files = touched(made, type, path)
      if (!isLook(made.tool) && !files.files) return false
      open.delete(id)
      const outcome = { kind: 'result', id, ok: true, exitCode: null, text: '' } as const
      emit({ ...outcome, at: timeOf(parts.at), sub: null, cwd: made.cwd, ...files })
      return true
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

/** A skill by its name; our own is the way a session ends, not something the next one needs. */
export function emitSkill(emit: (event: SessionEvent) => void, name: string, stamp: Stamp): void {
  if (name !== '' && !name.split(':').includes('handoff')) emit({ kind: 'skill', ...stamp, name })
}

const questionId = (id: string, index: number): string => (index === 0 ? id : `${id}#${index + 1}`)

/** Bytes of an edit's output in which its kind and path stand. */
const OUTPUT_HEAD = 4096

function filePathAt(line: Buffer, output: number): { type: string; path: string } {
  if (output === -1) return { type: '', path: '' }
  const text = line.toString('utf8', output, Math.min(line.length, output + OUTPUT_HEAD))
  const found = /^\{(?:"type":"(\w+)",)?"filePath":("(?:[^"\\]|\\.)*")/.exec(text)
  return { type: found?.[1] ?? '', path: found?.[2] ? textOf(JSON.parse(found[2])) : '' }
}
