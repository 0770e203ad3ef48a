import type { ReadOptions, SessionEvent, SessionRef } from '../types.ts'
import { createTranslator } from './codex-events.ts'
import { historyOf, type Part, subagentsOf, undoneLines } from './codex-history.ts'
import { peek, peekParsed } from './codex-peek.ts'
import { type Fields, fieldsOf } from './fields.ts'
import { type Line, readLineBatches } from './lines.ts'

/**
 * Events of a thread in order of time: what it was forked from, its own records, and those of its subagents, which
 * are rollouts of their own. Throws `sessionUnreadable` when a file cannot be read.
 */
export async function* readThread(ref: SessionRef, options: ReadOptions): AsyncGenerator<SessionEvent> {
  const parts = historyOf(ref.path, options)
  const seen = new Set<string>()
  const streams = [flat(readParts(parts, null, seen, options))]
  for (const { path, thread, startedAt, label } of subagentsOf(parts)) {
    const part: Part = { path, thread, startedAt, until: null, undone: false }
    streams.push(flat(readParts([part], label ?? thread, seen, options)))
  }
  yield* streams.length === 1 && streams[0] ? streams[0] : inOrder(streams)
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
        if (undone.some(([first, end]) => line.index >= first && line.index < end)) continue
        const look = line.torn ? null : peek(line.bytes)
        if (look && isPast(part, look.ordinal, line.offset)) {
          yield events
          break reading
        }
        if (look && !translator.wants(look)) continue
        const record = parse(line, options)
        if (!record) continue
        if (!look && isPast(part, peekParsed(record).ordinal, line.offset)) continue
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

function parse({ bytes, torn }: Line, { onSkip }: ReadOptions): Fields | null {
  const text = bytes.toString('utf8').trim()
  if (text === '') return null
  try {
    return fieldsOf(JSON.parse(text))
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
