import { isOwnCall, withoutOwnText } from '../facts/shell.ts'
import type { Action, SessionEvent } from '../types/session.ts'

/** What was said or done, whole, since half a secret is not known for one. */
export interface Message {
  who: 'user' | 'agent' | 'action'
  text: string
}

type Call = Extract<SessionEvent, { kind: 'call' }>
type Result = Extract<SessionEvent, { kind: 'result' }>

/** UTF-16 units remembered: many times what is sent, and little beside the session itself. */
const MOST = 4 << 20

/** Keeps a conversation as it streams by, for a model to read. Helpers of the agent and handoff itself are left out. */
export function createConversation() {
  let first: Message | null = null
  const newest: Message[] = []
  let size = 0
  let left = 0
  const open = new Map<string, Call>()

  const say = (who: Message['who'], text: string): void => {
    if (text.trim() === '') return
    if (first === null) {
      first = { who, text }
      return
    }
    newest.push({ who, text })
    size += text.length
    // The newest stays, whatever its size.
    for (; size > MOST && newest.length > 1; left++) size -= newest.shift()?.text.length ?? 0
  }
  const settle = (call: Call, end: Result) => {
    // A tool that names nothing tells nothing.
    if (call.action.type === 'other' && call.action.paths.length === 0) return
    const how = end.refused ? ' (refused)' : end.ok || end.unsure ? '' : ` (failed${status(end.exitCode)})`
    const output = call.action.type === 'run' && end.text.trim() !== '' ? `\n${end.text}` : ''
    say('action', `${actionText(call.action, call.tool)}${how}${output}`)
  }

  return {
    add(event: SessionEvent) {
      if (event.sub !== null) return
      switch (event.kind) {
        case 'prompt':
          return say('user', withoutOwnText(event.text))
        case 'reply':
          return say('agent', event.text)
        case 'call':
          if (!isOwnCall(event.tool, event.action)) open.set(event.id, event)
          return
        case 'result': {
          const call = open.get(event.id)
          if (call === undefined) return
          open.delete(event.id)
          return settle(call, event)
        }
        case 'plan':
          return say(
            'action',
            `Plan:\n${event.items.map(({ status, text }) => `- ${status}: ${text}`).join('\n')}`,
          )
        case 'question':
          return say('agent', `${event.text}${event.options.map((option) => `\n- ${option}`).join('')}`)
        case 'answer':
          return say('action', `The user answered: ${event.text}`)
        case 'proposal':
          // One that was not accepted may go on in another session; the person's words say what they want of it.
          return say(
            'agent',
            `Plan${event.accepted ? ', accepted' : ', not accepted in this session'}:\n${event.text}`,
          )
        case 'compaction':
          return say('agent', `Summary of what stood before:\n${withoutOwnText(event.summary)}`)
        case 'interrupt':
          return say('action', 'The user interrupted the agent.')
        case 'failure':
          return say('action', `The agent failed: ${event.text}`)
        default:
      }
    },
    /** What the person said first, and the newest messages; `left` in between are forgotten. */
    messages(): { first: Message | null; newest: Message[]; left: number } {
      // Whether it was done nobody knows.
      for (const call of open.values())
        say('action', `${actionText(call.action, call.tool)} (no result on record)`)
      open.clear()
      return { first, newest, left }
    },
  }
}
export type Conversation = ReturnType<typeof createConversation>

const status = (exitCode: number | null): string => (exitCode === null ? '' : `, exit ${exitCode}`)

function actionText(action: Action, tool: string): string {
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

/** UTF-16 units of the whole, about 30,000 tokens: what a fast model reads in seconds. */
const MOST_CONVERSATION = 120_000
/** Of one message, by whose it is; what the user said matters most, output of commands least. */
const MOST_MESSAGE: Readonly<Record<Message['who'], number>> = { user: 8000, agent: 4000, action: 1200 }
const NAME: Readonly<Record<Message['who'], string>> = { user: 'User: ', agent: 'Agent: ', action: '' }

/** A conversation as a model reads it: the first request, then the newest messages that fit. Secrets are replaced before: here texts are cut. */
export function conversationText(
  { first, newest, left }: ReturnType<Conversation['messages']>,
  most: number = MOST_CONVERSATION,
): string {
  if (first === null) return ''
  const head = messageText(first)
  const kept: string[] = []
  let room = most - head.length
  for (const message of newest.toReversed()) {
    const text = messageText(message)
    if (text.length > room) break
    room -= text.length
    kept.push(text)
  }
  const gone = left + newest.length - kept.length
  return [head, ...(gone === 0 ? [] : [`(${gone} messages left out)`]), ...kept.reverse()].join('\n')
}

function messageText({ who, text }: Message): string {
  const most = MOST_MESSAGE[who]
  // No line of an output begins as if somebody else spoke.
  const whole = text.trim().replaceAll('\n', '\n  ')
  if (whole.length <= most) return NAME[who] + whole
  // The end of an output tells how it went.
  const head = whole.slice(0, most / 2).replace(/[\ud800-\udbff]$/, '')
  const tail = whole.slice(-most / 2).replace(/^[\udc00-\udfff]/, '')
  return `${NAME[who]}${head}\n  […]\n  ${tail}`
}
