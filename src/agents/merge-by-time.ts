import { basename, dirname } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import type { Batches, SessionEvent, SessionRef } from '../types/session.ts'
import { pathsIn } from './session-files.ts'

/**
 * A conversation with its subagents, in order of time: at equal times its own event first, then the subagent that began first.
 * A subagent is read when the conversation reaches its beginning, so that few are held at a time.
 */
export async function* mergeByTime<One extends { startedAt: string }>(
  main: Batches,
  sides: readonly One[],
  read: (side: One) => Batches,
): Batches {
  const later = [...sides].sort((a, b) =>
    a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0,
  )
  let waiting: SessionEvent[] = []
  for await (const batch of main) {
    if (waiting.length === 0 && later.length === 0) {
      yield batch
      continue
    }
    const merged: SessionEvent[] = []
    for (const event of batch) {
      const now = event.sub === null ? event.at : null
      while (now !== null && later[0] && later[0].startedAt < now)
        waiting = await joined(waiting, read(later.shift() as One))
      const first = now === null ? 0 : waiting.findIndex(({ at }) => at !== null && at >= now)
      merged.push(...waiting.splice(0, first === -1 ? waiting.length : first), event)
    }
    yield merged
  }
  for (const side of later) waiting = await joined(waiting, read(side))
  yield waiting
}

async function joined(waiting: SessionEvent[], side: Batches): Promise<SessionEvent[]> {
  const events = [...waiting]
  for await (const batch of side) events.push(...batch)
  // Stable, so that events without a time stay behind their predecessor.
  const timed = withTimes(events)
  return timed.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).map(({ event }) => event)
}

function withTimes(events: SessionEvent[]): { event: SessionEvent; at: string }[] {
  let last = ''
  return events.map((event) => {
    last = event.at ?? last
    return { event, at: last }
  })
}

/** A conversation of a subagent in a file of its own. `startedAt`: ISO time of its first event. */
export type Side = Record<'path' | 'label' | 'startedAt', string>

/** Those in a folder; what `name` catches is the label, and without a time a file is none of them. */
export const sidesIn = (
  folder: string,
  name: RegExp,
  startedAt: (path: string) => string | null,
  deep = false,
): Side[] =>
  pathsIn(folder, undefined, deep).flatMap((path) => {
    const label = name.exec(basename(path))?.[1]
    const at = label === undefined ? null : startedAt(path)
    return label === undefined || at === null ? [] : [{ path, label, startedAt: at }]
  })

/** How a client says that a session was begun by another one, for a subagent, in a file beside it. */
export interface CalledBy {
  /** The id of the session that began the one at this path; empty where a person did. */
  parentOf(path: string): string
  refOf(path: string): SessionRef | null
}

/** Whether a person began the session at this path. What cannot be read is told by whoever reads it. */
export const isOfPerson = (path: string, { parentOf }: Pick<CalledBy, 'parentOf'>): boolean =>
  !orNull(() => parentOf(path))

/** A session with those that it began, and theirs, between its events. `read`: one file; `sub`: null for the session itself. */
export const withCalled = (
  ref: SessionRef,
  by: CalledBy,
  read: (one: SessionRef, sub: string | null) => Batches,
): Batches =>
  mergeByTime(
    read(ref, null),
    calledIn(ref, by).map((one) => ({ one, startedAt: one.startedAt ?? one.updatedAt })),
    ({ one }) => read(one, one.id),
  )

function calledIn(ref: SessionRef, { parentOf, refOf }: CalledBy): SessionRef[] {
  const all = pathsIn(dirname(ref.path))
    .filter((path) => path.endsWith('.jsonl') && path !== ref.path)
    .flatMap((path) => {
      const parent = orNull(() => parentOf(path))
      const own = parent ? refOf(path) : null
      return own && parent ? [{ own, parent }] : []
    })
  const found = new Map([[ref.id, ref]])
  for (let before = 0; before < found.size; ) {
    before = found.size
    for (const { own, parent } of all) if (found.has(parent) && !found.has(own.id)) found.set(own.id, own)
  }
  return [...found.values()].slice(1)
}
