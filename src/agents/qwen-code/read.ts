import type { Batches, ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { partTexts } from '../content.ts'
import { createSettings, type Draft, promptOf, replyOf, stamped, usageOf } from '../draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, numberOf, sumOf, textOf, timeOf } from '../fields.ts'
import { geminiQuestions } from '../gemini-cli/calls.ts'
import { snapshotText } from '../gemini-cli/read.ts'
import { ATTACHED, typed } from '../gemini-cli/user.ts'
import { recordsIn, type Translator, translate } from '../lines.ts'
import { mergeByTime } from '../merge-by-time.ts'
import { readByUser } from '../tools.ts'
import { type QwenCall, qwenAction, qwenCounted, qwenNotified, qwenResult } from './calls.ts'
import { qwenSubagents } from './files.ts'

/**
 * The conversation of one session without the turns that the person took back, subagents merged in by time. Throws
 * `sessionUnreadable`, and `sessionFormat` when no line of the file is a record.
 */
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
  yield* mergeByTime(translate(ref.path, options, main, { mustHold: true }), files, ({ id, path }) =>
    translate(path, options, { add: createQwenTranslator(id, onFile) }),
  )
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
    if (subtype !== undefined && subtype !== 'mid_turn_user_message') return []
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
    const call: Draft = { kind: 'call', id, tool, by: 'agent', action: qwenAction(tool, args) }
    if (call.action.type === 'run' && textOf(args.directory) !== '') call.cwd = textOf(args.directory)
    return [call, ...(tool === 'ask_user_question' ? geminiQuestions(id, args) : [])]
  }

  function ended(record: Fields): Draft[] {
    const response = fieldsOf(partsOf(record)[0]?.functionResponse)
    const id = textOf(fieldsOf(record.toolCallResult).callId) || textOf(response.id)
    const call = calls.get(id) ?? { tool: textOf(response.name), args: {} }
    calls.delete(id)
    return qwenResult(id, call, record)
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
      return helper === null || onFile.has(callKey(event.function_name, event.function_args))
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

/** The subagent that an event is counted for: `<session>#<name>-<chance>#<round>`; null for the session and the client's own helpers. */
const helperOf = ({ prompt_id }: Fields): string | null =>
  /^[^#]+#(?!managed-auto-memory-)([^#]+)#\d+$/.exec(textOf(prompt_id))?.[1] ?? null
