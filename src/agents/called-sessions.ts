import { dirname } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import type { Batches, SessionRef } from '../types/session.ts'
import { mergeByTime } from './merge-by-time.ts'
import { pathsIn } from './session-files.ts'

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
