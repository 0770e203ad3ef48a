import { orNull } from '../../errors/handoff-error.ts'
import type { Batches, ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { clip, createSettings, type Stamp, stamped, usageOf } from '../draft.ts'
import { type Fields, fieldsOf, listOf, sumOf, textOf, timeOf } from '../fields.ts'
import { decoded, type Line, type Translator, translate } from '../lines.ts'
import { mergeByTime } from '../merge-by-time.ts'
import { createActions } from './calls.ts'
import { findSubagents, isClaudeRecord } from './files.ts'
import { glance, peek, peekOutput } from './glance.ts'
import { findRewinds } from './rewinds.ts'
import { createUser } from './user.ts'

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
  const chains = new Map<string, string>()
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
    const who = sub ?? subagentOf(record)
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

  /** 1.0 writes subagents into the session without an id: the first row of a chain names it. */
  function subagentOf(record: Fields): string | null {
    if (record.isSidechain !== true) return null
    const uuid = textOf(record.uuid)
    const label = textOf(record.agentId) || chains.get(textOf(record.parentUuid)) || uuid.slice(0, 8)
    chains.set(uuid, label)
    return label
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

const valueIn = (bytes: Buffer): unknown => orNull(() => JSON.parse(decoded(bytes)))
