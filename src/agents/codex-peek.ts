import { type Fields, fieldsOf, textOf } from './fields.ts'

/** What the first bytes of a rollout line tell, before any JSON is parsed. */
export interface Peek {
  at: string | null
  /** Position in the thread's history; 0.169 numbers its records, older clients do not. */
  ordinal: number | null
  type: string
  /** `payload.type`, or `item/<item.type>` for an `item_completed`; empty when the payload has none. */
  kind: string
  /** The text that was looked at. */
  head: string
}

/** Bytes that hold type, kind, role and call id in every record seen (0.98 … 0.169). */
const HEAD = 440

const SHAPE = /^\{"timestamp":"([^"]*)",(?:"ordinal":(\d+),)?"type":"(\w+)","payload":\{(?:"type":"(\w+)")?/
const ITEM = /"item":\{"type":"(\w+)"/

/** Looks at the start of a line; null when it has another shape and must be parsed to be understood. */
export function peek(bytes: Buffer): Peek | null {
  const head = bytes.toString('latin1', 0, HEAD)
  const shape = SHAPE.exec(head)
  if (!shape) return null
  const item = shape[4] === 'item_completed' ? ITEM.exec(head) : null
  if (shape[4] === 'item_completed' && !item) return null
  return {
    at: shape[1] ?? null,
    ordinal: shape[2] === undefined ? null : Number(shape[2]),
    type: shape[3] ?? '',
    kind: item ? `item/${item[1]}` : (shape[4] ?? ''),
    head,
  }
}

/** The same facts from a parsed line. The oldest rollouts hold bare items, without timestamp and payload. */
export function peekParsed(record: Fields): Peek {
  const bare = typeof record.payload !== 'object' || record.payload === null
  const payload = payloadOf(record)
  const kind = textOf(payload.type)
  return {
    at: textOf(record.timestamp) || null,
    ordinal: typeof record.ordinal === 'number' ? record.ordinal : null,
    type: bare ? 'response_item' : textOf(record.type),
    kind: kind === 'item_completed' ? `item/${textOf(fieldsOf(payload.item).type)}` : kind,
    head: '',
  }
}

/** What a parsed line says: its payload, the item in it, or in the oldest rollouts the line itself. */
export function payloadOf(record: Fields): Fields {
  const payload = record.payload
  if (typeof payload !== 'object' || payload === null) return record
  return fieldsOf(payload)
}
