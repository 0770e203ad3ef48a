import type { Action, FileTouch, PlanItem } from '../../types/session.ts'
import { numbered, pathsUnder } from '../content.ts'
import { clip, type Draft } from '../draft.ts'
import { type Fields, fieldsOf, listOf, recordOf, textOf } from '../fields.ts'
import { actionBy, isCopy, planItems, questionsIn, TOOLS } from '../tools.ts'

export function geminiAction(tool: string, args: Fields): Action {
  const paths = [...pathsUnder(args), ...pathsUnder(args, ['include'])]
  return actionBy(
    TOOLS.get(tool),
    args,
    paths.filter((path) => !path.includes('*')),
  )
}

interface GeminiResult {
  ok: boolean
  exitCode: number | null
  /** Whole, as the model got it, without the client's frame; not cut. */
  output: string
  text: string
  files?: FileTouch[]
  refused?: boolean
  unsure?: boolean
}

/** Null while a call is under way: `call` is one of a record's `toolCalls`. */
export function geminiResult(call: Fields): GeminiResult | null {
  const { status } = call
  if (status !== 'success' && status !== 'error' && status !== 'cancelled') return null
  const tool = textOf(call.name)
  const output = outputOf(call)
  const result: GeminiResult = { ok: status === 'success', exitCode: null, output, text: clip(output) }
  // The reason is the client's, not the person's.
  if (status === 'cancelled') return { ...result, text: '', refused: true }
  if (tool === 'run_shell_command') return { ...result, ...shellOutcome(output, result.ok) }
  if (!result.ok || !isCopy(TOOLS.get(tool))) return result
  const file = fileOf(fieldsOf(call.resultDisplay))
  return { ...result, text: '', ...(file ? { files: [file] } : {}) }
}

function fileOf(display: Fields): FileTouch | null {
  const path = textOf(display.filePath)
  return path === '' ? null : { path, change: display.isNewFile === true ? 'create' : 'update' }
}

/** The texts of a result, out of the frame that marks them as data. */
function outputOf(call: Fields): string {
  const texts = listOf(call.result).map((part) => {
    const response = fieldsOf(fieldsOf(fieldsOf(part).functionResponse).response)
    return textOf(response.output) || textOf(response.error)
  })
  const text = texts.filter((one) => one !== '').join('\n')
  return text.replace(FRAME, '').replace(/\n?<\/untrusted_context>\s*$/, '')
}

/** A large output is cut, with a line about that in front. */
const FRAME = /^(?:Output too large\. Showing first .*\n)?<untrusted_context>\n/

/** What the shell tool writes behind the output, a line each; no exit code means 0 (tools/shell.js of 0.61.0). */
const TRAILER =
  /(?:\nExit Code: (-?\d+))?(?:\nSignal: (\S+))?(?:\nBackground PIDs: [\d, ]+)?(?:\nProcess Group PGID: \d+)?$/

/** Characters at the end that hold all of it. */
const TAIL = 400

function shellOutcome(output: string, ran: boolean): Partial<GeminiResult> {
  if (/^Command moved to background \(PID: /.test(output)) return { text: '', unsure: true }
  if (/^Command was cancelled by user /.test(output)) return { ok: false, text: '', refused: true }
  if (!ran || output.startsWith('Command was automatically cancelled ')) return { ok: false }
  // The client's summary of the output (a setting), which does not tell how it ended.
  if (!output.startsWith('Output: ')) return { unsure: true }
  const from = Math.max(0, output.length - TAIL)
  const trailer = TRAILER.exec(output.slice(from))
  const body = trailer ? output.slice(0, from + trailer.index) : output
  const text = clip(body.replace(/^Output: (?:\(empty\)$)?/, ''))
  if (trailer?.[1] !== undefined) return { ok: false, exitCode: Number(trailer[1]), text }
  return trailer?.[2] === undefined ? { exitCode: 0, text } : { ok: false, text }
}

/** The plan that `write_todos`, or the task tracker in the same form, has after the call; null for other tools. */
export function geminiPlan(call: Fields): PlanItem[] | null {
  const tool = textOf(call.name)
  if (tool !== 'write_todos' && !tool.startsWith('tracker_')) return null
  const todos = fieldsOf(call.resultDisplay).todos ?? fieldsOf(call.args).todos
  return Array.isArray(todos) ? planItems(todos, 'description') : null
}

export const geminiQuestions = (id: string, { questions }: Fields): Draft[] =>
  questionsIn(questions, (index) => numbered(id, index))

/** The person's answers, told by the number of the question; none where the output is the client's words that there was none. */
export function geminiAnswers(id: string, { output }: GeminiResult): Draft[] {
  const answers = fieldsOf(recordOf(output).answers)
  return Object.entries(answers)
    .filter(([, text]) => textOf(text) !== '')
    .map(([index, text]) => ({ kind: 'answer', id: numbered(id, Number(index)), text: textOf(text) }))
}

/** A plan shown to the person (`exit_plan_mode`) and what they said. `text`: its file as this session wrote it last, or empty. */
export function geminiProposal(text: string, result: GeminiResult): Draft[] {
  const { output } = result
  const accepted = /^The approved implementation plan is stored at: /m.test(output)
  const rejected = output.startsWith('Plan rejected.')
  // Any other answer means that nobody was asked: the file was not there, or the tool itself failed.
  if (!accepted && !rejected && !output.startsWith('User cancelled the plan approval dialog')) return []
  const feedback = /^Plan rejected\. User feedback: ([\s\S]*?)\n\nThe plan is stored at: /.exec(output)?.[1]
  return [
    ...(text === ''
      ? []
      : [{ kind: 'proposal' as const, text, accepted: accepted || (rejected ? false : null) }]),
    ...(feedback === undefined ? [] : [{ kind: 'prompt' as const, text: feedback }]),
  ]
}
