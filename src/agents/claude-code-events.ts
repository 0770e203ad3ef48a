import type { ReadOptions, SessionEvent } from '../types.ts'
import { createActions } from './claude-code-actions.ts'
import { glance, hasReading, peek, withoutOutput } from './claude-code-glance.ts'
import type { Stamp } from './claude-code-results.ts'
import { createUser } from './claude-code-user.ts'
import { type Fields, fieldsOf, listOf, numberOf, textOf, timeOf } from './fields.ts'
import { clip, type Line } from './lines.ts'

/** Turns the lines of one transcript into events, in the order of the file. */
export interface Translator {
  /** The events of one line; an empty list when it holds none. */
  take(line: Line): SessionEvent[]
  /** What was still open when the file ended. */
  end(): SessionEvent[]
}

/**
 * `sub`: label of the subagent the file belongs to, null for a session. `onFile`: ids of subagents that have a file of
 * their own, so that their messages inside the session are not told twice.
 */
export function createTranslator(
  sub: string | null,
  onFile: ReadonlySet<string>,
  onSkip: ReadOptions['onSkip'],
): Translator {
  let events: SessionEvent[] = []
  const emit = (event: SessionEvent) => void events.push(event)
  const actions = createActions(emit)
  const user = createUser(emit, actions)
  const settings: Record<string, unknown> = {}
  const chains = new Map<string, string>()
  const usages = new Map<string | null, { id: string; event: SessionEvent }>()

  function take(line: Line): SessionEvent[] {
    events = []
    const look = glance(line.bytes)
    if (look === 'skip') return events
    const text = look === 'parse' ? line.bytes.toString() : shortened(line, look.result)
    if (text !== null && text.trim() !== '') {
      const record = parsed(text)
      if (record) read(record)
      else onSkip?.(line.torn ? 'torn' : 'not-json')
    }
    return events
  }

  /** Text of a line with a tool result, without what no event needs; null when it needed no parse at all. */
  function shortened(line: Line, id: string): string | null {
    const parts = peek(line.bytes)
    if (!parts || actions.needsOutput(id)) return line.bytes.toString()
    if (actions.takePeek(id, parts, line.bytes)) return null
    return parts.output === -1 || hasReading(line.bytes)
      ? line.bytes.toString()
      : withoutOutput(line.bytes, parts.output)
  }

  function read(record: Fields): void {
    const who = sub ?? subagentOf(record)
    const stamp = stampOf(record, who)
    if (who === null) settle(record, stamp)
    if (record.type === 'assistant') reply(record, stamp)
    else if (record.type === 'user') user.row(record, stamp)
    else if (record.type === 'attachment') user.attachment(fieldsOf(record.attachment), stamp)
    else if (record.type === 'queue-operation') user.queued(record, stamp)
    else if (record.type === 'progress') inlined(record, stamp)
    else if (record.subtype === 'compact_boundary') user.boundary(stamp)
    else if (!KNOWN.has(textOf(record.type))) onSkip?.('unknown')
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
    if (before && before.id !== id) emit(before.event)
    const usage = fieldsOf(message.usage)
    const inputTokens = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']
      .map((key) => numberOf(usage[key]) ?? 0)
      .reduce((sum, tokens) => sum + tokens, 0)
    const outputTokens = numberOf(usage.output_tokens) ?? 0
    if (id === '' || inputTokens + outputTokens === 0) usages.delete(stamp.sub)
    else {
      const counts = { inputTokens, outputTokens, contextTokens: inputTokens, contextWindow: null }
      usages.set(stamp.sub, { id, event: { kind: 'usage', ...stamp, ...counts } })
    }
  }

  function settle(record: Fields, stamp: Stamp): void {
    const { model } = fieldsOf(record.message)
    const branch = textOf(record.gitBranch)
    const found = {
      model: model === '<synthetic>' ? '' : textOf(model),
      version: textOf(record.version),
      // What git answers when no branch is checked out.
      branch: branch === 'HEAD' ? '' : branch,
      title: textOf(record.customTitle) || textOf(record.aiTitle),
      tools: record.type === 'tools-used' ? listOf(record.tools).map(textOf) : [],
    }
    // A name the person gave is not replaced by a generated one.
    if (record.type === 'ai-title' && settings.named) found.title = ''
    if (record.type === 'custom-title') settings.named = true
    const news = Object.entries(found).filter(
      ([key, value]) => value.length > 0 && String(settings[key] ?? '') !== String(value),
    )
    if (news.length === 0) return
    Object.assign(settings, Object.fromEntries(news))
    emit({ kind: 'setting', ...stamp, ...Object.fromEntries(news) })
  }

  /** 1.0 writes subagents into the session without an id: the first row of a chain names it. */
  function subagentOf(record: Fields): string | null {
    if (record.isSidechain !== true) return null
    const uuid = textOf(record.uuid)
    const label = textOf(record.agentId) || chains.get(textOf(record.parentUuid)) || uuid.slice(0, 8)
    chains.set(uuid, label)
    return label
  }

  return {
    take,
    end() {
      events = []
      user.end()
      actions.end()
      for (const { event } of usages.values()) emit(event)
      return events
    },
  }
}

/** Records that carry settings, and those of `system` that are not part of the conversation. */
const KNOWN = new Set(['ai-title', 'custom-title', 'system', 'tools-used'])

const stampOf = (record: Fields, sub: string | null): Stamp => ({
  at: timeOf(record.timestamp),
  sub,
  cwd: textOf(record.cwd) || null,
})

function parsed(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Fields) : null
  } catch {
    // The caller reports the line.
    return null
  }
}
