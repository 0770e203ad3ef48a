import type { CommandFact } from '../types/evidence.ts'
import type { Action, SessionEvent } from '../types/session.ts'
import { isOwnCall, withoutOwnText } from './own.ts'

/** What a person asked and all that came of it, in order; each message whole, since half a secret is not known for one. */
export interface ConversationTurn {
  messages: Message[]
}

export interface Message {
  who: 'user' | 'agent' | 'deed'
  text: string
}

/** A command line that really ran. */
export type RanCommand = Pick<CommandFact, 'command' | 'outcome' | 'exitCode' | 'at' | 'runs'> & {
  /** Absolute, or null. */
  cwd: string | null
}

export interface Conversation {
  add(event: SessionEvent): void
  /** The first turn and the newest ones; `left` turns in between are forgotten. */
  turns(): { first: ConversationTurn | null; newest: ConversationTurn[]; left: number }
  /** By their text without differences in blanks. */
  commands(): ReadonlyMap<string, RanCommand>
}

/** UTF-16 units remembered: many times what is sent, and little beside the session itself. */
const MOST = 4 << 20
const MOST_COMMANDS = 3000

/** Keeps a conversation as it streams by, for a model to read. Helpers of the agent and handoff itself are left out. */
export function createConversation(): Conversation {
  let first: ConversationTurn | null = null
  const turns: ConversationTurn[] = []
  let size = 0
  let left = 0
  const own = new Set<string>()
  const open = new Map<string, Extract<SessionEvent, { kind: 'call' }>>()
  const ran = new Map<string, RanCommand>()

  const say = (who: Message['who'], text: string): void => {
    if (text.trim() === '') return
    if (who === 'user' || turns.length === 0) {
      const turn = { messages: [] }
      turns.push(turn)
      first ??= turn
    }
    turns.at(-1)?.messages.push({ who, text })
    size += text.length
    while (size > MOST && turns.length > 1) {
      const oldest = turns.shift()
      size -= sizeOf(oldest)
      if (oldest !== first) left++
    }
    // One turn of hours: what it began with stays.
    const { messages = [] } = turns[0] ?? {}
    while (size > MOST && messages.length > 2) size -= messages.splice(1, 1)[0]?.text.length ?? 0
  }
  const settle = (
    call: Extract<SessionEvent, { kind: 'call' }>,
    end: Extract<SessionEvent, { kind: 'result' }>,
  ) => {
    // A tool that names nothing tells nothing.
    if (call.action.type === 'other' && call.action.paths.length === 0) return
    const how = end.refused ? ' (refused)' : end.ok || end.unsure ? '' : ` (failed${status(end.exitCode)})`
    const output = call.action.type === 'run' && end.text.trim() !== '' ? `\n${end.text}` : ''
    say('deed', `${deedOf(call.action, call.tool)}${how}${output}`)
    if (call.action.type === 'run' && !end.refused) remember(call.action.command, call.cwd, end)
  }
  const remember = (
    command: string,
    cwd: string | null,
    { ok, unsure, exitCode, at }: Extract<SessionEvent, { kind: 'result' }>,
  ): void => {
    const key = squashed(command)
    const outcome = unsure ? 'unknown' : ok && (exitCode ?? 0) === 0 ? 'ok' : 'failed'
    const runs = (ran.get(key)?.runs ?? 0) + 1
    ran.delete(key)
    ran.set(key, {
      command,
      cwd,
      outcome,
      exitCode: Number.isSafeInteger(exitCode) ? exitCode : null,
      at,
      runs,
    })
    if (ran.size > MOST_COMMANDS) ran.delete([...ran.keys()][0] ?? '')
  }

  return {
    add(event) {
      if (event.sub !== null) return
      switch (event.kind) {
        case 'prompt':
          return say('user', withoutOwnText(event.text))
        case 'reply':
          return say('agent', event.text)
        case 'call':
          if (isOwnCall(event.tool, event.action)) own.add(event.id)
          else open.set(event.id, event)
          return
        case 'result': {
          const call = open.get(event.id)
          if (own.delete(event.id) || call === undefined) return
          open.delete(event.id)
          return settle(call, event)
        }
        case 'plan':
          return say(
            'deed',
            `Plan:\n${event.items.map(({ status, text }) => `- ${status}: ${text}`).join('\n')}`,
          )
        case 'question':
          return say('agent', `${event.text}${event.options.map((option) => `\n- ${option}`).join('')}`)
        case 'answer':
          return say('deed', `The user answered: ${event.text}`)
        case 'proposal':
          // One that was not accepted may go on in another session; the person's words say what they want of it.
          return say(
            'agent',
            `Plan${event.accepted ? ', accepted' : ', not accepted in this session'}:\n${event.text}`,
          )
        case 'compaction':
          return say('agent', `Summary of what stood before:\n${withoutOwnText(event.summary)}`)
        case 'interrupt':
          return say('deed', 'The user interrupted the agent.')
        case 'failure':
          return say('deed', `The agent failed: ${event.text}`)
        default:
      }
    },
    turns: () => ({ first, newest: turns.filter((turn) => turn !== first), left }),
    commands: () => ran,
  }
}

const sizeOf = (turn: ConversationTurn | undefined): number =>
  turn?.messages.reduce((sum, { text }) => sum + text.length, 0) ?? 0

const status = (exitCode: number | null): string => (exitCode === null ? '' : `, exit ${exitCode}`)

/** Blanks folded: how a command is looked up. */
export const squashed = (command: string): string => command.replace(/\s+/g, ' ').trim()

function deedOf(action: Action, tool: string): string {
  switch (action.type) {
    case 'read':
      return `Read ${action.paths.join(', ')}`
    case 'edit':
      return `Edited ${action.files.map(({ path, change }) => `${path}${change === 'update' ? '' : ` (${change})`}`).join(', ')}`
    case 'run':
      return `Ran: ${action.command}`
    case 'search':
      return `Searched ${action.pattern} ${action.paths.join(', ')}`.trimEnd()
    case 'task':
      return `Gave to a helper: ${action.prompt}`
    case 'other':
      return `${tool} ${action.paths.join(', ')}`.trimEnd()
  }
}
