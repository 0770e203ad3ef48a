import type { Batches, ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { decoded, type Line, type Translator, translate } from '../content.ts'
import { clip, createSettings, type Stamp, stamped, usageOf } from '../draft.ts'
import { type Fields, fieldsOf, jsonOf, listOf, recordOf, sumOf, textOf, timeOf } from '../fields.ts'
import { mergeByTime } from '../merge-by-time.ts'
import { createActions } from './calls.ts'
import { findSubagents, isClaudeRecord } from './files.ts'
import { createUser, findRewinds } from './user.ts'

/**
 * The conversation of one session without the turns that the person took back, subagents merged in by time. Throws `sessionUnreadable`,
 * and `sessionFormat` when no line of the file is a record.
 */
export async function* readClaudeSession(ref: SessionRef, options: ReadOptions): Batches {
  const rewinds = await findRewinds(ref.path, options.signal)
  const files = findSubagents(ref).filter((file) => !rewinds.wasAbandoned(file.startedAt))
  const onFile = new Set(files.map((file) => file.id))
  const read = (path: string, sub: string | null, isLeftOut: (offset: number) => boolean) =>
    translate(path, options, createTranslator(sub, onFile, isLeftOut, options), { mustHold: sub === null })
  yield* mergeByTime(read(ref.path, null, rewinds.isAbandoned), files, ({ path, id }) =>
    read(path, id, () => false),
  )
}

/**
 * Turns the lines of one transcript into events, in the order of the file. `sub`: label of the subagent the file belongs to, null for
 * a session. `onFile`: ids of subagents that have a file of their own, so that their messages inside the session are not told twice.
 * `isLeftOut` takes the offset of a line.
 */
function createTranslator(
  sub: string | null,
  onFile: ReadonlySet<string>,
  isLeftOut: (offset: number) => boolean,
  { onSkip }: Pick<ReadOptions, 'onSkip'>,
): Translator {
  let events: SessionEvent[] = []
  const emit = (event: SessionEvent) => void events.push(event)
  const actions = createActions(emit)
  const user = createUser(emit, actions)
  const settings = createSettings()
  let version = ''
  let named = false
  const usages = new Map<string | null, { id: string; event: SessionEvent | null }>()

  function wants({ bytes, offset }: Line): boolean {
    if (isLeftOut(offset)) return false
    const found = glance(bytes)
    return found === null || !peeked(bytes, found.call, found.content)
  }

  /** Tells a result without parsing its line; false when it takes a parse. */
  function peeked(line: Buffer, call: string, content: number): boolean {
    const needs = actions.needsOf(call)
    const parts = needs && peek(line)
    if (!parts) return false
    const value = needs.text ? valueIn(line.subarray(content, parts.contentEnd)) : ''
    if (value === null) return false
    const toolUseResult = needs.output ? peekOutput(line, content, parts) : undefined
    const record = { version, toolUseResult }
    const stamp = { at: timeOf(parts.at), sub: null, cwd: null }
    actions.result({ tool_use_id: call, content: value }, record, stamp)
    return true
  }

  function read(record: Fields): void {
    const who = sub ?? (record.isSidechain === true ? textOf(record.agentId) || 'subagent' : null)
    const stamp = stampOf(record, who)
    if (who === null) settle(record, stamp)
    // The reply before is complete when the person speaks.
    if (typeof fieldsOf(record.message).content === 'string') settleUsage(who)
    if (record.type === 'assistant') reply(record, stamp)
    else if (record.type === 'user') user.row(record, stamp)
    else if (record.type === 'attachment') user.attachment(fieldsOf(record.attachment), stamp)
    else if (record.type === 'queue-operation') user.queued(record, stamp)
    else if (record.type === 'progress') inlined(record, stamp)
    else if (record.subtype === 'compact_boundary') user.boundary(stamp)
    else if (!isClaudeRecord(record)) onSkip?.('unknown')
  }

  // Between 2.1.5 and about 2.1.70 a subagent's messages stand in the session as progress records.
  function inlined(record: Fields, outer: Stamp): void {
    const { message, agentId } = fieldsOf(record.data)
    const inner = fieldsOf(message)
    const label = textOf(agentId)
    if (label === '' || onFile.has(label)) return
    const stamp = { at: timeOf(inner.timestamp) ?? outer.at, sub: label, cwd: outer.cwd }
    if (inner.type === 'assistant') reply(inner, stamp)
    else if (inner.type === 'user') user.row(inner, stamp)
  }

  function reply(record: Fields, stamp: Stamp): void {
    const message = fieldsOf(record.message)
    const content =
      typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
    const blocks = listOf(content).map(fieldsOf)
    if (record.isApiErrorMessage === true) {
      const text = blocks.map((block) => textOf(block.text)).join('\n')
      emit({ kind: 'failure', ...stamp, text: clip(text) })
      return
    }
    // Lines like "No response requested." stand under this model's name.
    if (message.model === '<synthetic>') return
    count(message, stamp)
    for (const block of blocks) {
      const text = textOf(block.text)
      if (block.type === 'text' && text.trim() !== '') emit({ kind: 'reply', ...stamp, text })
      if (block.type === 'tool_use') actions.call(block, stamp)
    }
  }

  /** One reply is several records with one message id; the last of them has the full count. */
  function count(message: Fields, stamp: Stamp): void {
    const id = textOf(message.id)
    const before = usages.get(stamp.sub)
    if (before?.id === id && before.event === null) return
    if (before?.id !== id) settleUsage(stamp.sub)
    const usage = fieldsOf(message.usage)
    const inputTokens = sumOf(
      usage.input_tokens,
      usage.cache_read_input_tokens,
      usage.cache_creation_input_tokens,
    )
    const [event] = usageOf(inputTokens, sumOf(usage.output_tokens), inputTokens)
    if (id === '' || !event) usages.delete(stamp.sub)
    else usages.set(stamp.sub, { id, event: stamped(event, stamp) })
  }

  function settleUsage(who: string | null): void {
    const last = usages.get(who)
    if (!last?.event) return
    emit(last.event)
    last.event = null
  }

  function settle(record: Fields, stamp: Stamp): void {
    const { model } = fieldsOf(record.message)
    version = textOf(record.version) || version
    if (record.type === 'custom-title') named = true
    const news = settings({
      model: model === '<synthetic>' ? '' : textOf(model),
      version,
      // What git answers when no branch is checked out is no branch.
      branch: record.gitBranch === 'HEAD' ? '' : textOf(record.gitBranch),
      // A name the person gave is not replaced by a generated one.
      title: record.type === 'custom-title' || !named ? textOf(record.customTitle ?? record.aiTitle) : '',
      tools: record.type === 'tools-used' ? listOf(record.tools).map(textOf) : [],
    })
    for (const draft of news) emit(stamped(draft, stamp))
  }

  function drain(): SessionEvent[] {
    const told = events
    events = []
    return told
  }

  return {
    wants,
    add(record: Fields) {
      read(record)
      return drain()
    },
    end() {
      user.end()
      actions.end()
      for (const who of usages.keys()) settleUsage(who)
      return drain()
    },
  }
}

const stampOf = (record: Fields, sub: string | null): Stamp => ({
  at: timeOf(record.timestamp),
  sub,
  cwd: textOf(record.cwd) || null,
})

const valueIn = (bytes: Buffer): unknown => jsonOf(decoded(bytes))

/** Bytes in which a record tells what it is; its envelope before the message is shorter in every version seen. */
const HEAD = 700

/**
 * The call whose result is all that a line holds, and the byte at which the content of that begins; null for any other line. Results are
 * most of a transcript.
 */
export function glance(line: Buffer): { call: string; content: number } | null {
  const head = line.toString('latin1', 0, HEAD)
  const content = head.indexOf('"content":[{', head.indexOf('"message":{')) + '"content":['.length
  // Subagents are few, and their rows must be read to know which one they belong to.
  if (!head.startsWith(CALL_ID, content) || SUBAGENT.some((mark) => head.includes(mark))) return null
  const id = content + CALL_ID.length
  const end = head.indexOf('"', id)
  return head.startsWith(RESULT, end) ? { call: head.slice(id, end), content: end + RESULT.length } : null
}

const SUBAGENT = ['"isSidechain":true', '"type":"progress"']
const CALL_ID = '{"tool_use_id":"'
const RESULT = '","type":"tool_result","content":'

// A quote inside a JSON string is escaped, so these bytes are found in structure only.
const NEXT_BLOCK = Buffer.from('},{"t')
const MESSAGE_END = Buffer.from(']},"')
const TIME = /","timestamp":"([^"]+)"/
const OUTPUT = Buffer.from('"toolUseResult":')

/** A tool result that went well, taken apart without parsing what it holds; offsets in bytes. */
interface Peek {
  /** Time of the record as written. */
  at: string
  /** Where the JSON of the result's content ends. */
  contentEnd: number
  /** Where the value of `toolUseResult` begins, or -1 when there is none. */
  output: number
}

/** Finds the parts of a line with one successful tool result; null when it must be parsed to be sure. */
export function peek(line: Buffer): Peek | null {
  const end = line.indexOf(MESSAGE_END)
  if (end === -1) return null
  // Words typed in the middle of a turn stood beside the result until about 2.1.40.
  if (line.subarray(0, end).includes(NEXT_BLOCK)) return null
  const before = line.toString('latin1', Math.max(0, end - 40), end)
  if (before.includes('"is_error":true')) return null
  const contentEnd = end - (before.endsWith(',"is_error":false}') ? ',"is_error":false}' : '}').length
  const after = line.toString('latin1', end, end + 160)
  // The time stands before the output, or, in records of other writers, in the envelope at the end of the line.
  const at = after.startsWith('uuid":"', MESSAGE_END.length) ? TIME.exec(after)?.[1] : timeAtEnd(line)
  const output = line.indexOf(OUTPUT, end)
  return at === undefined ? null : { at, contentEnd, output: output === -1 ? -1 : output + OUTPUT.length }
}

/** Bytes of an envelope that stands behind its message; its longest part is the directory. */
const ENVELOPE = 1024
const AT = '","timestamp":"'

/** Flat to the end of the line, so that the time is the record's own and not one inside of what a tool gave. */
function timeAtEnd(line: Buffer): string | undefined {
  const tail = line.toString('latin1', Math.max(0, line.length - ENVELOPE))
  const from = tail.lastIndexOf(AT) + AT.length
  const end = tail.indexOf('"', from)
  if (from < AT.length || end <= from || !tail.endsWith('}')) return undefined
  return /[{}[\]]/.test(tail.slice(end, -1)) ? undefined : tail.slice(from, end)
}

/** Bytes of an output in which the kind and path of an edit stand. */
const OUTPUT_HEAD = 1024

/** What an event needs of `toolUseResult`: which file was changed and how, or that an exit code was read as success. */
export function peekOutput(line: Buffer, content: number, { contentEnd, output }: Peek): Fields {
  if (output === -1) return {}
  const text = line.toString('utf8', output, Math.min(line.length, output + OUTPUT_HEAD))
  if (text.startsWith(STDOUT)) {
    // What was printed mostly stands here as it stands in the content; the reading comes behind it.
    const behind = output + STDOUT.length + contentEnd - content
    const isSame = line.toString('latin1', behind - 1, behind - 1 + STDERR.length) === STDERR
    return line.includes(READING, isSame ? behind : output) ? { returnCodeInterpretation: true } : {}
  }
  const found = /^\{(?:"type":"(\w+)",)?"filePath":("(?:[^"\\]|\\.)*")/.exec(text)
  // Damaged, the path is no string of JSON and tells nothing.
  return found?.[2] ? { type: found[1], ...recordOf(`{"filePath":${found[2]}}`) } : {}
}
const STDOUT = '{"stdout":'
const STDERR = '","stderr":"'
const READING = Buffer.from('"returnCodeInterpretation":"')
