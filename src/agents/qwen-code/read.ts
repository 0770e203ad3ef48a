import { dirname, join } from 'node:path'
import type { Action, Batches, ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { createPlan } from '../claude-code/calls.ts'
import { numbered, partTexts, recordsIn, type Translator, translate } from '../content.ts'
import {
  callOf,
  clip,
  createSettings,
  type Draft,
  type DraftOf,
  endOf,
  promptOf,
  replyOf,
  stamped,
  usageOf,
} from '../draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, numberOf, sumOf, textOf, timeOf } from '../fields.ts'
import { geminiQuestions } from '../gemini-cli/calls.ts'
import { ATTACHED, snapshotText, typed } from '../gemini-cli/read.ts'
import { mergeByTime, type Side, sidesIn } from '../merge-by-time.ts'
import { firstRecord, readEnds } from '../session-files.ts'
import { actionBy, isCopy, planItems, readByUser, skillOf, TOOLS } from '../tools.ts'

/** The conversation without what the person took back. Throws `sessionUnreadable`, and `sessionFormat` when no line is a record. */
export async function* readQwenSession(ref: SessionRef, options: ReadOptions): Batches {
  const rewinds = await findRewinds(ref.path, options)
  const files = qwenSubagents(ref).filter(
    ({ startedAt }) => !rewinds.some(({ after, until }) => startedAt > after && startedAt < until),
  )
  const onFile = await callsIn(files, options)
  const isLeftOut = (index: number) => rewinds.some(({ from, to }) => index > from && index < to)
  const main: Translator = {
    wants: ({ index }) => !isLeftOut(index),
    add: createQwenTranslator(null, onFile),
  }
  yield* mergeByTime(translate(ref.path, options, main, { mustHold: true }), files, ({ label, path }) =>
    translate(path, options, { add: createQwenTranslator(label, onFile) }),
  )
}

/** Transcripts of the subagents that ran in the background; 0.15.10 keeps none of the others (core/agents/agent-transcript.ts). */
function qwenSubagents({ path, id }: Pick<SessionRef, 'path' | 'id'>): Side[] {
  if (!/^[\w-]+$/.test(id)) return []
  const begun = (file: string): string | null => timeOf(firstRecord(readEnds(file)).timestamp)
  return sidesIn(join(dirname(dirname(path)), 'subagents', id), /^agent-(.*)\.jsonl$/, begun)
}

/** What the person took back: the lines, and so the times, between the record that a rewind goes on from and its own. */
interface Rewind {
  from: number
  to: number
  after: string
  until: string
}

async function findRewinds(path: string, options: ReadOptions): Promise<Rewind[]> {
  const records = new Map<string, { index: number; at: string }>()
  const found: Rewind[] = []
  for await (const { record, index } of recordsIn(path, options)) {
    const at = textOf(record.timestamp)
    if (textOf(record.uuid) !== '') records.set(textOf(record.uuid), { index, at })
    if (record.type !== 'system' || record.subtype !== 'rewind') continue
    const parent = textOf(record.parentUuid)
    const before = parent === '' ? { index: -1, at: '' } : records.get(parent)
    if (before) found.push({ from: before.index, to: index, after: before.at, until: at })
  }
  return found
}

const OWN = /^# Hand the work over\n\nThe goal, [^:\n]*: ([\s\S]*?)\n\nIf no goal stands there[\s\S]*$/

/** What was typed, where a record holds the text of our command: without a terminal nothing else is recorded. */
export const typedFor = (text: string): string => text.replace(OWN, '/handoff $1')

const callKey = (tool: unknown, args: unknown): string => `${textOf(tool)} ${JSON.stringify(args)}`

/** The calls in the transcripts of subagents, since the session counts them too. */
async function callsIn(files: { path: string }[], options: ReadOptions): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const { path } of files)
    for await (const { record } of recordsIn(path, options))
      for (const { name, args } of callsOf(record)) found.add(callKey(name, args))
  return found
}

const partsOf = ({ message }: Fields): Fields[] => itemsOf(fieldsOf(message).parts)

/** A tool that is loaded when it is asked for is called through `tool_call` (0.24.4). */
const callsOf = (record: Fields): Fields[] =>
  partsOf(record)
    .map((part) => fieldsOf(part.functionCall))
    .map((call) => {
      const { name, arguments: args } = fieldsOf(call.args)
      return call.name === 'tool_call' && typeof name === 'string' ? { ...call, name, args } : call
    })
    .filter(({ name }) => name !== undefined)

/** How soon after the line of a command the client sends what the command stands for, in ms; a person takes longer. */
const AT_ONCE = 1000

/** `sub`: the subagent whose transcript it is, null for a session. `onFile`: calls of those that have a transcript. */
export function createQwenTranslator(
  sub: string | null,
  onFile: ReadonlySet<string>,
): (record: Fields) => SessionEvent[] | null {
  const settings = createSettings(sub)
  const calls = new Map<string, QwenCall>()
  const tasks = createPlan()
  let command = { line: '', uuid: '', at: Number.NaN }

  function drafts(record: Fields): Draft[] | null {
    const payload = fieldsOf(record.systemPayload)
    switch (record.type) {
      case 'user':
        return sub === null ? said(record, payload) : []
      case 'assistant':
        return replied(record)
      case 'tool_result':
        return ended(record)
      case 'system':
        return noted(record, payload)
      default:
        return null
    }
  }

  /** Words of the person; other kinds, like `cron`, are the client's. Hooks put theirs into parts of their own behind them. */
  function said(record: Fields, { displayText }: Fields): Draft[] {
    const texts = partTexts(fieldsOf(record.message).parts)
    const { subtype } = record
    if (subtype === 'notification') return qwenNotified(texts.join(''))
    if (subtype !== undefined && !WORDS.has(subtype)) return []
    const isCommand =
      command.line !== '' &&
      record.parentUuid === command.uuid &&
      Date.parse(textOf(record.timestamp)) - command.at < AT_ONCE
    if (isCommand) return typed(command.line)
    const own = texts.find((text) => text !== '' && !text.startsWith(ATTACHED)) ?? ''
    return promptOf(typedFor(textOf(displayText) || own))
  }

  function replied(record: Fields): Draft[] {
    const parts = partsOf(record)
    const text = parts.filter(({ thought }) => thought !== true).map((part) => textOf(part.text))
    const usage = fieldsOf(record.usageMetadata)
    const input = sumOf(usage.promptTokenCount)
    return [
      ...settings({ model: textOf(record.model) }),
      ...replyOf(text.join('')),
      ...usageOf(input, sumOf(usage.candidatesTokenCount), input, numberOf(record.contextWindowSize)),
      ...callsOf(record).flatMap(called),
    ]
  }

  function called({ id: own, name, args: input }: Fields): Draft[] {
    const [id, tool, args] = [textOf(own), textOf(name), fieldsOf(input)]
    calls.set(id, { tool, args })
    const call = callOf(id, tool, qwenAction(tool, args))
    if (call.action.type === 'run' && textOf(args.directory) !== '') call.cwd = textOf(args.directory)
    return [call, ...(tool === 'ask_user_question' ? geminiQuestions(id, args) : [])]
  }

  function ended(record: Fields): Draft[] {
    const response = fieldsOf(partsOf(record)[0]?.functionResponse)
    const id = textOf(fieldsOf(record.toolCallResult).callId) || textOf(response.id)
    const call = calls.get(id) ?? { tool: textOf(response.name), args: {} }
    calls.delete(id)
    const drafts = qwenResult(id, call, record)
    return [...drafts, ...(drafts[0]?.kind === 'result' && drafts[0].ok ? planned(call, drafts[0].text) : [])]
  }

  /** The tasks of a team, which the agent makes and changes one by one (0.24.4). */
  function planned({ tool, args }: QwenCall, output: string): Draft[] {
    const id = /^Task #(\S+) created: /.exec(output)?.[1]
    const name = TASK_TOOLS.get(tool)
    const items = name === undefined ? null : tasks.apply(name, args, { task: { id } })
    return items === null ? [] : [{ kind: 'plan', items }]
  }

  function noted(record: Fields, payload: Fields): Draft[] {
    switch (record.subtype) {
      case 'slash_command':
        command = {
          line: textOf(payload.rawCommand),
          uuid: textOf(record.uuid),
          at: Date.parse(textOf(record.timestamp)),
        }
        return []
      case 'at_command':
        return listOf(payload.filesRead).flatMap((path, index) =>
          payload.status === 'success' ? readByUser(`${textOf(record.uuid)}:${index}`, textOf(path)) : [],
        )
      case 'custom_title':
        return settings({ title: textOf(payload.customTitle) })
      case 'chat_compression': {
        const [first] = listOf(payload.compressedHistory)
        const summary = partTexts(fieldsOf(first).parts).join('\n')
        return [{ kind: 'compaction', summary: snapshotText(summary) }]
      }
      case 'ui_telemetry':
        return counted(textOf(record.uuid), fieldsOf(payload.uiEvent))
      default:
        return []
    }
  }

  /** What the client counts: failed requests, and calls of subagents, for most of which there is nothing else. */
  function counted(id: string, event: Fields): Draft[] {
    const helper = helperOf(event)
    if (event['event.name'] === 'qwen-code.tool_call')
      return (helper === null && event.source !== CODE_MODE) ||
        onFile.has(callKey(event.function_name, event.function_args))
        ? []
        : qwenCounted(id, event)
    if (event['event.name'] !== 'qwen-code.api_error' || helper !== null) return []
    return event.error_type === 'APIUserAbortError'
      ? [{ kind: 'interrupt' }]
      : [{ kind: 'failure', text: textOf(event.error_message) }]
  }

  return (record) => {
    const found = drafts(record)
    if (found === null) return null
    const branch = record.gitBranch === 'HEAD' ? '' : textOf(record.gitBranch)
    const all = [...settings({ version: textOf(record.version), branch }), ...found]
    const who = sub ?? helperOf(fieldsOf(fieldsOf(record.systemPayload).uiEvent))
    const stamp = { at: timeOf(record.timestamp), sub: who, cwd: textOf(record.cwd) || null }
    return all.map((draft) => stamped(draft, stamp))
  }
}

/** Rows in which the person speaks in the middle of a turn, or aloud (core/services/chatRecordingService.ts of 0.24.4). */
const WORDS: ReadonlySet<unknown> = new Set(['mid_turn_user_message', 'realtime_message'])
const TASK_TOOLS = new Map([
  ['task_create', 'TaskCreate'],
  ['task_update', 'TaskUpdate'],
])
/** A call that a script of `exec` made, which nothing else tells (0.24.4 with `tools.codeModeOnly`). */
const CODE_MODE = 'code_mode'

/** The subagent that an event is counted for: `<session>#<name>-<chance>#<round>`; null for the session and the client's own helpers. */
const helperOf = ({ prompt_id }: Fields): string | null =>
  /^[^#]+#(?!managed-auto-memory-)([^#]+)#\d+$/.exec(textOf(prompt_id))?.[1] ?? null

const SHELL = 'run_shell_command'

export const qwenAction = (tool: string, args: Fields): Action => actionBy(TOOLS.get(tool), args)

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
  const outcome = tool === SHELL ? shellOutcome(output) : {}
  // 0.24 calls a command that ended with another code than 0 an error.
  if (!ok) return [outcome.exitCode === undefined ? result : { ...result, ...outcome }]
  if (tool === SHELL) return [{ ...result, ...outcome }]
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
const TRAILER = /\nError: .*\nExit Code: (\S+)\nSignal: (?:\S+)\nProcess Group PGID: .*/
/** What stands in front of it, a note about a cut before that. */
const FRAME = /(?:^|\n)Directory: .*\nOutput: (?:\(empty\)$)?/

function shellOutcome(output: string): Partial<DraftOf<'result'>> {
  if (output.startsWith('Command timed out after ')) return { ok: false }
  if (output.startsWith('Command was cancelled by user')) return { ok: false, text: '', refused: true }
  const trailer = [...output.matchAll(new RegExp(TRAILER, 'g'))].at(-1)
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

/** A call of a script, or of a subagent that has no transcript, as the client counts it: only a failure has its output. */
export function qwenCounted(id: string, event: Fields): Draft[] {
  const tool = textOf(event.function_name)
  const ok = event.success === true
  const action = qwenAction(tool, fieldsOf(event.function_args))
  const error = textOf(event.error)
  return [
    callOf(id, tool, action),
    endOf(id, ok, error, {
      refused: event.status === 'cancelled',
      unsure: ok && tool === SHELL && event.source !== CODE_MODE,
      ...(TRAILER.test(error) ? shellOutcome(error) : {}),
    }),
  ]
}
