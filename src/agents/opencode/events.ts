import type { ReadOptions, SessionEvent } from '../../types/session.ts'
import { wordSet } from '../content.ts'
import { createSettings, type Draft, type Stamp, stamped, usageOf } from '../draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, numberOf, sumOf, textOf, timeOf } from '../fields.ts'
import { attached, createCalls } from './calls.ts'

/** The row OpenCode puts before a command the person ran with `!`; the reply to it holds the command. */
const BY_USER = 'The following tool was executed by the user'
const SILENT = wordSet('reasoning step-start step-finish snapshot agent subtask compaction')

/** Events of one export (`opencode export`, 1.18.33), `{info, messages: [{info, parts}]}`, by message. */
export function* openCodeEvents(
  session: Fields,
  options: Pick<ReadOptions, 'onSkip'>,
): Generator<SessionEvent[]> {
  const info = fieldsOf(session.info)
  const messages = itemsOf(session.messages)
  const main = new Set([textOf(info.id), textOf(fieldsOf(messages[0]?.info).sessionID)])
  const translator = createOpenCodeTranslator(info, main, options)
  yield translator.begin()
  for (const message of messages) yield translator.add(message)
  yield translator.end()
}

/** Makes events of messages in order of time; sessions not in `main` are subagents. `/undo` marks the first message that counts no more. */
export function createOpenCodeTranslator(
  info: Fields,
  main: ReadonlySet<string>,
  options: Pick<ReadOptions, 'onSkip'>,
) {
  const revert = fieldsOf(info.revert)
  const byUser = new Set<string>()
  /** By session: what a call of a subagent was answered, and all behind it, waits until the subagent has spoken. */
  const held = new Map<string, SessionEvent[]>()
  let isUndone = false
  let lastUser = ''
  const settings = createSettings()

  function* translate(message: Fields): Generator<SessionEvent> {
    const about = fieldsOf(message.info)
    const owner = textOf(about.sessionID)
    const stamp: Stamp = {
      at: timeOf(fieldsOf(about.time).created),
      sub: owner === '' || main.has(owner) ? null : owner,
      cwd: textOf(fieldsOf(about.path).cwd) || textOf(info.directory) || null,
    }
    const parts = itemsOf(message.parts)
    if (about.role === 'user') {
      lastUser = textOf(about.id)
      if (parts.some((part) => part.synthetic === true && part.text === BY_USER)) byUser.add(lastUser)
      // What a subagent is asked are the agent's words, which its call told.
      if (stamp.sub === null) yield* userEvents(parts, stamp, options)
    } else if (about.role === 'assistant') {
      if (stamp.sub === null) {
        const name = [about.providerID, about.modelID]
          .map(textOf)
          .filter((part) => part !== '')
          .join('/')
        const news = [
          ...settings({ model: about.summary ? '' : name }),
          ...settings({ thinking: textOf(about.variant) }),
        ]
        yield* news.map((draft) => stamped(draft, stamp))
      }
      const isByUser = byUser.has(textOf(about.parentID) || lastUser)
      yield* assistantEvents(about, parts, isByUser ? 'user' : 'agent', stamp, options)
    } else options.onSkip?.('unknown')
  }

  return {
    begin: (): SessionEvent[] => [
      {
        kind: 'setting',
        ...facts(info),
        at: timeOf(fieldsOf(info.time).created),
        sub: null,
        cwd: textOf(info.directory) || null,
      },
    ],
    add(message: Fields): SessionEvent[] {
      if (isUndone) return []
      const about = fieldsOf(message.info)
      isUndone = textOf(revert.messageID) !== '' && about.id === revert.messageID
      const rest = isUndone ? untilPart(message, textOf(revert.partID)) : message
      const owner = textOf(about.sessionID)
      const events = held.get(owner) ?? []
      held.delete(owner)
      if (rest !== null) events.push(...translate(rest))
      const from = firstAnswerOfTask(events)
      if (from === -1) return events
      held.set(owner, events.slice(from))
      return events.slice(0, from)
    },
    end: (): SessionEvent[] => [...held.values()].flat(),
  }
}

/** A message without what stands from that part on; null when nothing is left. */
function untilPart(message: Fields, partId: string): Fields | null {
  const parts = listOf(message.parts)
  const cut = parts.findIndex((part) => fieldsOf(part).id === partId)
  return partId !== '' && cut > 0 ? { ...message, parts: parts.slice(0, cut) } : null
}

function firstAnswerOfTask(events: readonly SessionEvent[]): number {
  const tasks = new Set<string>()
  return events.findIndex((event) => {
    if (event.kind === 'call' && event.action.type === 'task') tasks.add(event.id)
    return event.kind === 'result' && tasks.has(event.id)
  })
}

const facts = (info: Fields) => ({
  ...(textOf(info.version) ? { version: textOf(info.version) } : {}),
  ...(titleOf(info) ? { title: titleOf(info) } : {}),
})

/** The title of a session; empty for the one OpenCode fills in until a model has found a better one. */
export const titleOf = (info: Fields): string =>
  /^(?:New|Child) session - \d{4}-/.test(textOf(info.title)) ? '' : textOf(info.title)

function* userEvents(
  parts: Fields[],
  stamp: Stamp,
  options: Pick<ReadOptions, 'onSkip'>,
): Generator<SessionEvent> {
  for (const part of parts) {
    if (part.type === 'text') {
      // Synthetic and ignored parts were put there by OpenCode and its plugins.
      if (part.synthetic === true || part.ignored === true) continue
      const text = ownCommand(unquoted(textOf(part.text)))
      if (text.trim() !== '') yield { kind: 'prompt', text, ...stamp }
    } else if (part.type === 'file') yield* attached(part, stamp)
    else if (!SILENT.has(textOf(part.type))) options.onSkip?.('unknown')
  }
}

/** The text of our command as the person called it: a session without our plugin has it for their words. */
const ownCommand = (text: string): string =>
  text.replace(/^# Hand the work over\n[\s\S]*\nThe goal: /, '/handoff ')

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
  if (about.summary !== true) for (const usage of usageIn(fieldsOf(about.tokens))) yield stamped(usage, end)
  // The person's own Escape is no failure of the agent.
  if (fieldsOf(about.error).name === 'MessageAbortedError') yield { kind: 'interrupt', ...end }
  else if (about.error) yield { kind: 'failure', text: failureText(about.error), ...end }
}

const failureText = (error: unknown): string =>
  textOf(fieldsOf(fieldsOf(error).data).message) ||
  textOf(fieldsOf(error).name) ||
  'The model request failed.'

function usageIn({ input, output, reasoning, cache, total }: Fields): Draft[] {
  const { read, write } = fieldsOf(cache)
  return usageOf(sumOf(input, read, write), sumOf(output, reasoning), numberOf(total) ?? undefined)
}
