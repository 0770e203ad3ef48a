import type { ReadOptions, SessionEvent } from '../types.ts'
import { type Fields, fieldsOf, listOf, numberOf, textOf, timeOf } from './fields.ts'
import { attached, createCalls, type Stamp } from './opencode-calls.ts'

/** The row OpenCode puts before a command the person ran with `!`; the reply to it holds the command. */
const BY_USER = 'The following tool was executed by the user'
/** Parts that say nothing about the work. */
const SILENT = new Set([
  'reasoning',
  'step-start',
  'step-finish',
  'snapshot',
  'agent',
  'subtask',
  'compaction',
])

/** Events of one export (`opencode export`, 1.18.33): `{info, messages: [{info, parts}]}`. */
export function* openCodeEvents(
  session: Fields,
  options: Pick<ReadOptions, 'onSkip'>,
): Generator<SessionEvent> {
  const info = fieldsOf(session.info)
  const messages = untilRevert(session)
  const main = new Set([textOf(info.id), textOf(fieldsOf(messages[0]?.info).sessionID)])
  const byUser = new Set<string>()
  let lastUser = ''
  let model = ''
  let thinking = ''

  yield {
    kind: 'setting',
    ...facts(info),
    at: timeOf(fieldsOf(info.time).created),
    sub: null,
    cwd: textOf(info.directory) || null,
  }
  for (const message of messages) {
    const about = fieldsOf(message.info)
    const owner = textOf(about.sessionID)
    const stamp: Stamp = {
      at: timeOf(fieldsOf(about.time).created),
      sub: owner === '' || main.has(owner) ? null : owner,
      cwd: textOf(fieldsOf(about.path).cwd) || textOf(info.directory) || null,
    }
    const parts = listOf(message.parts).map(fieldsOf)
    if (about.role === 'user') {
      lastUser = textOf(about.id)
      if (parts.some((part) => part.synthetic === true && part.text === BY_USER)) byUser.add(lastUser)
      yield* userEvents(parts, stamp, options)
    } else if (about.role === 'assistant') {
      const name = [about.providerID, about.modelID]
        .map(textOf)
        .filter((part) => part !== '')
        .join('/')
      if (name !== '' && name !== model && !about.summary) yield { kind: 'setting', model: name, ...stamp }
      const level = textOf(about.variant)
      if (level !== '' && level !== thinking) yield { kind: 'setting', thinking: level, ...stamp }
      model = name || model
      thinking = level || thinking
      yield* assistantEvents(
        about,
        parts,
        byUser.has(textOf(about.parentID) || lastUser) ? 'user' : 'agent',
        stamp,
        options,
      )
    } else options.onSkip?.('unknown')
  }
}

const facts = (info: Fields) => ({
  ...(textOf(info.version) ? { version: textOf(info.version) } : {}),
  ...(titleOf(info) ? { title: titleOf(info) } : {}),
})

/** The title of a session; empty for the one OpenCode fills in until a model has found a better one. */
export const titleOf = (info: Fields): string =>
  /^(?:New|Child) session - \d{4}-/.test(textOf(info.title)) ? '' : textOf(info.title)

/** The messages that still count: `/undo` marks the first that does not, and its files were put back. */
function untilRevert(session: Fields): Fields[] {
  const messages = listOf(session.messages).map(fieldsOf)
  const revert = fieldsOf(fieldsOf(session.info).revert)
  const at = messages.findIndex((message) => fieldsOf(message.info).id === revert.messageID)
  if (at === -1 || textOf(revert.messageID) === '') return messages
  const kept = messages.slice(0, at)
  const parts = listOf(messages[at]?.parts)
  const cut = parts.findIndex((part) => fieldsOf(part).id === revert.partID)
  return textOf(revert.partID) !== '' && cut > 0
    ? [...kept, { ...messages[at], parts: parts.slice(0, cut) }]
    : kept
}

function* userEvents(
  parts: Fields[],
  stamp: Stamp,
  options: Pick<ReadOptions, 'onSkip'>,
): Generator<SessionEvent> {
  for (const part of parts) {
    if (part.type === 'text') {
      // Synthetic and ignored parts were put there by OpenCode and its plugins.
      if (part.synthetic === true || part.ignored === true) continue
      const text = unquoted(textOf(part.text))
      if (text.trim() !== '') yield { kind: 'prompt', text, ...stamp }
    } else if (part.type === 'file') yield* attached(part, stamp)
    else if (!SILENT.has(textOf(part.type))) options.onSkip?.('unknown')
  }
}

/** `opencode run "two words"` stores the prompt with the quotes it needed on the command line. */
function unquoted(text: string): string {
  const inner = /^"((?:[^"\\]|\\[\s\S])*\s(?:[^"\\]|\\[\s\S])*)"$/.exec(text)?.[1]
  return inner === undefined ? text : inner.replace(/\\"/g, '"')
}

function* assistantEvents(
  about: Fields,
  parts: Fields[],
  by: 'agent' | 'user',
  stamp: Stamp,
  options: Pick<ReadOptions, 'onSkip'>,
): Generator<SessionEvent> {
  const calls = createCalls(by, stamp)
  const events: SessionEvent[] = []
  for (const part of parts) {
    const at = timeOf(fieldsOf(part.time).start) ?? stamp.at
    if (part.type === 'text') {
      const text = textOf(part.text)
      if (part.synthetic === true || part.ignored === true || text.trim() === '') continue
      if (about.summary === true) events.push({ kind: 'compaction', summary: text, ...stamp, at })
      else events.push({ kind: 'reply', text, ...stamp, at })
    } else if (part.type === 'tool') events.push(...calls.tool(part))
    else if (part.type === 'patch') events.push(...calls.patch(part))
    else if (part.type === 'retry')
      events.push({ kind: 'failure', text: failureText(part.error), ...stamp, at })
    else if (part.type !== 'file' && !SILENT.has(textOf(part.type))) options.onSkip?.('unknown')
  }
  yield* events
  const end = { ...stamp, at: timeOf(fieldsOf(about.time).completed) ?? stamp.at }
  const usage = usageOf(fieldsOf(about.tokens))
  if (usage && about.summary !== true) yield { kind: 'usage', ...usage, contextWindow: null, ...end }
  // The person's own Escape is no failure of the agent.
  if (about.error && fieldsOf(about.error).name !== 'MessageAbortedError')
    yield { kind: 'failure', text: failureText(about.error), ...end }
}

const failureText = (error: unknown): string =>
  textOf(fieldsOf(fieldsOf(error).data).message) ||
  textOf(fieldsOf(error).name) ||
  'The model request failed.'

/** Null for the zeros of a failed request. Tokens. */
function usageOf(
  tokens: Fields,
): { inputTokens: number; outputTokens: number; contextTokens: number } | null {
  const cache = fieldsOf(tokens.cache)
  const inputTokens = [tokens.input, cache.read, cache.write].reduce<number>(
    (sum, value) => sum + (numberOf(value) ?? 0),
    0,
  )
  const outputTokens = (numberOf(tokens.output) ?? 0) + (numberOf(tokens.reasoning) ?? 0)
  if (inputTokens + outputTokens === 0) return null
  return { inputTokens, outputTokens, contextTokens: numberOf(tokens.total) ?? inputTokens + outputTokens }
}
