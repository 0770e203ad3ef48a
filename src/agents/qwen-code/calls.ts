import type { Action } from '../../types/session.ts'
import { numbered, pathsUnder } from '../content.ts'
import { callOf, clip, type Draft, type DraftOf, endOf } from '../draft.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import { actionBy, isCopy, planItems, skillOf, TOOLS } from '../tools.ts'

const SHELL = 'run_shell_command'

export const qwenAction = (tool: string, args: Fields): Action =>
  actionBy(TOOLS.get(tool), args, pathsUnder(args, ['file_path', 'path', 'notebook_path']))

export interface QwenCall {
  tool: string
  args: Fields
}

/** What came of a call, and what follows from that; `record` is a `tool_result`. Transcripts of subagents tell no status. */
export function qwenResult(id: string, { tool, args }: QwenCall, record: Fields): Draft[] {
  const told = fieldsOf(record.toolCallResult)
  const responses = listOf(fieldsOf(record.message).parts).map((part) =>
    fieldsOf(fieldsOf(fieldsOf(part).functionResponse).response),
  )
  const output = responses.map((one) => textOf(one.output) || textOf(one.error)).join('\n')
  const ok = told.status === undefined ? !responses.some((one) => 'error' in one) : told.status === 'success'
  const result = endOf(id, ok, output)
  if (told.status === 'cancelled') {
    return [{ ...result, text: '', refused: true }, ...proposal(tool, args, false)]
  }
  // No rule, hook or person gave leave.
  if (told.errorType === 'execution_denied') return [{ ...result, refused: true, byClient: true }]
  if (!ok) return [result]
  if (tool === SHELL) return [{ ...result, ...shellOutcome(output) }]
  if (output.startsWith('Background agent launched ')) return [{ ...result, text: '', unsure: true }]
  const action = qwenAction(tool, args)
  if (action.type === 'edit' && NEW_FILE.test(output))
    result.files = action.files.map(({ path }) => ({ path, change: 'create' }))
  if (isCopy(TOOLS.get(tool))) result.text = ''
  return [result, ...followUps(id, tool, args, output)]
}

/** How `write_file` and `edit` begin when there was no such file. */
const NEW_FILE = /^(?:Successfully created and wrote to|Created) new file\b/

/** What stands behind the output (core/tools/shell.ts of 0.15.10); a hint may follow it. */
const TRAILER = /\nError: .*\nExit Code: (\S+)\nSignal: (?:\S+)\nProcess Group PGID: .*/g
/** What stands in front of it, a note about a cut before that. */
const FRAME = /(?:^|\n)Directory: .*\nOutput: (?:\(empty\)$)?/

function shellOutcome(output: string): Partial<DraftOf<'result'>> {
  if (output.startsWith('Command timed out after ')) return { ok: false }
  if (output.startsWith('Command was cancelled by user')) return { ok: false, text: '', refused: true }
  const trailer = [...output.matchAll(TRAILER)].at(-1)
  // It went on in the background, or its process was gone before that.
  if (!trailer) return { text: '', unsure: true }
  const body = output.slice(0, trailer.index)
  const frame = FRAME.exec(body)
  const text = clip(frame ? body.slice(frame.index + frame[0].length) : body)
  const code = Number(trailer[1])
  return Number.isNaN(code) ? { ok: false, text } : { ok: code === 0, exitCode: code, text }
}

function followUps(id: string, tool: string, args: Fields, output: string): Draft[] {
  if (tool === 'todo_write') return [{ kind: 'plan', items: planItems(args.todos, 'content') }]
  if (tool === 'skill') return skillOf(textOf(args.skill))
  if (tool === 'ask_user_question') return answers(id, args, output)
  // `User has approved your plan.` in 0.15, `User approved.` in 0.24.
  return proposal(tool, args, /^User (?:has )?approved\b/.test(output))
}

const proposal = (tool: string, { plan }: Fields, accepted: boolean): Draft[] =>
  tool === 'exit_plan_mode' && textOf(plan) !== '' ? [{ kind: 'proposal', text: textOf(plan), accepted }] : []

/** The person's answers, each behind the header of its question; none where nobody answered. */
function answers(id: string, { questions }: Fields, output: string): DraftOf<'answer'>[] {
  const asked = listOf(questions).map((question) => `**${textOf(fieldsOf(question).header)}**: `)
  const starts = asked.map((header) => output.indexOf(`\n${header}`))
  return asked.flatMap((header, index) => {
    const start = starts[index] ?? -1
    if (start === -1) return []
    const end = Math.min(...starts.filter((other) => other > start), output.length)
    const text = output.slice(start + header.length + 1, end).trim()
    return [{ kind: 'answer' as const, id: numbered(id, index), text }]
  })
}

/** How a subagent in the background ended, as the client tells its model later on. */
export function qwenNotified(text: string): DraftOf<'result'>[] {
  const tag = (name: string): string => new RegExp(`<${name}>([\\s\\S]*)</${name}>`).exec(text)?.[1] ?? ''
  const id = tag('tool-use-id')
  const ok = tag('status') === 'completed'
  return id === '' ? [] : [endOf(id, ok, tag('result'))]
}

/** A call of a subagent that has no transcript, as the client counts it: neither output nor exit code is told. */
export function qwenCounted(id: string, event: Fields): Draft[] {
  const tool = textOf(event.function_name)
  const ok = event.success === true
  const action = qwenAction(tool, fieldsOf(event.function_args))
  return [
    callOf(id, tool, action),
    endOf(id, ok, textOf(event.error), {
      ...(event.status === 'cancelled' ? { refused: true } : {}),
      ...(ok && tool === SHELL ? { unsure: true } : {}),
    }),
  ]
}
