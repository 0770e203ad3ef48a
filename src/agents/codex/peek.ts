import { type Fields, fieldsOf, textOf } from '../fields.ts'

/** What the first bytes of a rollout line tell, before any JSON is parsed. */
export interface Peek {
  type: string
  /** `payload.type`, or `item/<item.type>` for an `item_completed`; empty when the payload has none. */
  kind: string
  /** The text that was looked at; empty when the line was parsed instead. */
  head: string
}

/** Bytes that hold type and kind, and those that hold item type, role and call id too (0.98 … 0.169). */
const SHORT = 140
const LONG = 440

const START = '{"timestamp":"'
const TYPE = '"type":"'
const PAYLOAD = ',"payload":{'
const ITEM = '"item":{"type":"'

/** Looks at the start of a line; null when it has another shape and must be parsed to be understood. */
export function peek(bytes: Buffer): Peek | null {
  const short = bytes.toString('latin1', 0, SHORT)
  if (!short.startsWith(START)) return null
  const typeAt = short.indexOf(TYPE, START.length) + TYPE.length
  const typeEnd = short.indexOf('"', typeAt)
  if (typeAt < TYPE.length || !short.startsWith(PAYLOAD, typeEnd + 1)) return null
  const type = short.slice(typeAt, typeEnd)
  const kindAt = typeEnd + 1 + PAYLOAD.length + TYPE.length
  if (!short.startsWith(TYPE, kindAt - TYPE.length)) {
    // Items and events name their kind first; where they do not, it stands somewhere in the line.
    return type === 'response_item' || type === 'event_msg' ? null : { type, kind: '', head: short }
  }
  const kind = short.slice(kindAt, short.indexOf('"', kindAt))
  if (type !== 'response_item' && kind !== 'item_completed') return { type, kind, head: short }
  const head = bytes.toString('latin1', 0, LONG)
  if (kind !== 'item_completed') return { type, kind, head }
  const itemAt = head.indexOf(ITEM)
  if (itemAt === -1) return null
  const from = itemAt + ITEM.length
  return { type, kind: `item/${head.slice(from, head.indexOf('"', from))}`, head }
}

/** Position in the thread's history, which 0.169 writes into its records; null in older ones. */
export function ordinalOf({ head }: Peek): number | null {
  const ordinal = /^\{"timestamp":"[^"]*","ordinal":(\d+),/.exec(head)
  return ordinal ? Number(ordinal[1]) : null
}

/** Bytes in which an event names its call (0.118 … 0.126). */
const ID_WITHIN = 240
const USER_SHELL = Buffer.from('"source":"user_shell"')

/** The call of the agent's that an `exec_command_end` ends; empty for a command of the person's own. */
export function endedCall(bytes: Buffer): string {
  const id = /"call_id":"([^"]*)"/.exec(bytes.toString('latin1', 0, ID_WITHIN))?.[1] ?? ''
  return bytes.includes(USER_SHELL) ? '' : id
}

/** The same facts from a parsed line. The oldest rollouts hold bare items, without timestamp and payload. */
export function peekParsed(record: Fields): Peek {
  const payload = payloadOf(record)
  const kind = textOf(payload.type)
  return {
    type: payload === record ? 'response_item' : textOf(record.type),
    kind: kind === 'item_completed' ? `item/${textOf(fieldsOf(payload.item).type)}` : kind,
    head: '',
  }
}

/** What a parsed line says: its payload, or in the oldest rollouts the line itself. */
export function payloadOf(record: Fields): Fields {
  const payload = record.payload
  return typeof payload === 'object' && payload !== null ? fieldsOf(payload) : record
}
