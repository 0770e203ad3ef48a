import type { ConversationTurn, Message } from './conversation.ts'

/** UTF-16 units of the whole, about 30,000 tokens: what a fast model reads in seconds. */
const MOST_CONVERSATION = 120_000
/** Of one message, by whose it is; what the user said matters most, output of commands least. */
const MOST_MESSAGE: Readonly<Record<Message['who'], number>> = { user: 8000, agent: 4000, deed: 1200 }
const NAME: Readonly<Record<Message['who'], string>> = { user: 'User: ', agent: 'Agent: ', deed: '' }

/**
 * A conversation as a model reads it, cut at whole turns: the first turn, then the newest ones that fit, what was left out said in
 * between. Only of a turn that is too long by itself messages are left out, after the first. Secrets are replaced before: here
 * texts are cut.
 */
export function conversationText(
  {
    first,
    newest,
    left,
  }: { first: ConversationTurn | null; newest: readonly ConversationTurn[]; left: number },
  most: number = MOST_CONVERSATION,
): string {
  if (first === null) return ''
  const head = turnText(first, newest.length === 0 ? most : most / 3)
  const kept: string[] = []
  let room = most - head.length
  for (const turn of [...newest].reverse()) {
    // The newest is always there, cut inside if need be.
    const text = turnText(turn, kept.length === 0 ? room : Number.POSITIVE_INFINITY)
    if (kept.length > 0 && text.length > room) break
    room -= text.length
    kept.unshift(text)
  }
  const gone = left + newest.length - kept.length
  return [head, ...(gone === 0 ? [] : [`(${gone} turns left out)`]), ...kept].join('\n\n')
}

function turnText({ messages }: ConversationTurn, most: number): string {
  const [begin = '', ...rest] = messages.map(messageText)
  const kept: string[] = []
  let room = most - begin.length
  for (const text of rest.reverse()) {
    if (text.length > room) break
    room -= text.length
    kept.unshift(text)
  }
  const gone = rest.length - kept.length
  return [begin, ...(gone === 0 ? [] : [`(${gone} messages left out)`]), ...kept].join('\n')
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
