import { isAscii } from 'node:buffer'
import type { ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { createTranslator } from './events.ts'
import { historyOf, type Part, subagentsOf, undoneLines } from './history.ts'
import { ordinalOf, peek } from './peek.ts'
import { type Fields, fieldsOf, numberOf } from '../fields.ts'
import { isBlank, type Line, readLineBatches } from '../lines.ts'

/**
 * Events of a thread in order of time: what it was forked from, its own records, and those of its subagents, which
 * are rollouts of their own. Throws `sessionUnreadable` when a file cannot be read.
 */
export async function* readThread(ref: SessionRef, options: ReadOptions): AsyncGenerator<SessionEvent[]> {
  const parts = historyOf(ref.path, options)
  const seen = new Set<string>()
  const main = readParts(parts, null, seen, options)
  const helpers = subagentsOf(parts).map(({ path, thread, startedAt, label }) => {
    const part: Part = { path, thread, startedAt, until: null, undone: false }
    return readParts([part], label ?? thread, seen, options)
  })
  if (helpers.length === 0) yield* main
  else for await (const event of inOrder([main, ...helpers].map(flat))) yield [event]
}

/** Events of files that continue each other, a batch of records at a time. */
async function* readParts(
  parts: readonly Part[],
  sub: string | null,
  seen: Set<string>,
  options: ReadOptions,
): AsyncGenerator<SessionEvent[]> {
  const translator = createTranslator(sub, seen)
  for (const part of parts) {
    translator.nextFile()
    const undone = part.undone ? await undoneLines(part.path, options) : []
    reading: for await (const batch of readLineBatches(part.path, options)) {
      const events: SessionEvent[] = []
      for (const line of batch) {
        if (undone.length > 0 && undone.some(([from, to]) => line.index >= from && line.index < to)) continue
        const look = line.torn ? null : peek(line.bytes)
        if (look && part.until && isPast(part, ordinalOf(look), line.offset)) {
          yield events
          break reading
        }
        if (look && !translator.wants(look, line.bytes)) continue
        const record = parse(line, options, look?.kind || look?.type)
        if (!record) continue
        if (!look && isPast(part, numberOf(record.ordinal), line.offset)) continue
        const told = translator.add(record)
        if (told) events.push(...told)
        else options.onSkip?.('unknown')
      }
      yield events
    }
  }
  yield translator.end()
}

/** Ordinals decide; the byte offset does for records without one. */
const isPast = ({ until }: Part, ordinal: number | null, offset: number): boolean =>
  until !== null &&
  (ordinal !== null && until.ordinal !== null
    ? ordinal >= until.ordinal
    : until.offset !== null && offset >= until.offset)

/** Last keys of a payload that are long and not asked for; a quoted one would stand with escaped quotes. */
const UNASKED = new Map([
  ['compacted', ',"replacement_history":'],
  ['token_count', ',"rate_limits":'],
])

function parse(line: Line, { onSkip }: ReadOptions, kind = ''): Fields | null {
  if (isBlank(line)) return null
  const { bytes, torn } = line
  const unasked = UNASKED.get(kind)
  const end = unasked === undefined ? -1 : bytes.indexOf(unasked)
  const asked = end === -1 ? bytes : bytes.subarray(0, end)
  // Most lines are ASCII, which decodes several times faster.
  const text = asked.toString(isAscii(asked) ? 'latin1' : 'utf8') + (end === -1 ? '' : '}}')
  try {
    const record: unknown = JSON.parse(text)
    if (typeof record === 'object' && record !== null && !Array.isArray(record)) return fieldsOf(record)
    onSkip?.('unknown')
    return null
  } catch {
    onSkip?.(torn ? 'torn' : 'not-json')
    return null
  }
}

async function* flat(batches: AsyncIterable<SessionEvent[]>): AsyncGenerator<SessionEvent> {
  for await (const events of batches) yield* events
}

/** Merges streams by time; each keeps its own order, and at the same time the first stream goes first. */
async function* inOrder(streams: AsyncGenerator<SessionEvent>[]): AsyncGenerator<SessionEvent> {
  const heads: { stream: AsyncGenerator<SessionEvent>; event: SessionEvent; at: string }[] = []
  try {
    for (const stream of streams) {
      const { value, done } = await stream.next()
      if (!done) heads.push({ stream, event: value, at: value.at ?? '' })
    }
    while (heads.length > 0) {
      const next = heads.reduce((first, head) => (head.at < first.at ? head : first))
      yield next.event
      const { value, done } = await next.stream.next()
      if (done) heads.splice(heads.indexOf(next), 1)
      // An event without a time stays behind the one before it; so does a clock that was set back.
      else
        Object.assign(next, {
          event: value,
          at: value.at !== null && value.at > next.at ? value.at : next.at,
        })
    }
  } finally {
    for (const { stream } of heads) await stream.return(undefined)
  }
}
