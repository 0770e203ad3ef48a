import { createExtractor, type Extractor } from '../extract/extractor.ts'
import type { Scanner } from '../secrets/scanner.ts'
import type { Place } from '../types.ts'
import type { PickedSession } from './pick-session.ts'

export interface ReadSession {
  extractor: Extractor
  /** Lines of the transcript that could not be used, by reason. */
  skipped: Partial<Record<'torn' | 'not-json' | 'unknown', number>>
}

/** Streams a session into an extractor, its raw bytes past the secret scanner. Throws what the adapter throws. */
export async function readSession(
  picked: PickedSession | null,
  place: Pick<Place, 'home' | 'signal'>,
  scanner: Scanner,
): Promise<ReadSession> {
  const begin = (): ReadSession => ({
    extractor: createExtractor({ sessionCwd: picked?.ref.cwd ?? null, home: place.home }),
    skipped: {},
  })
  let session = begin()
  if (picked === null) return session
  const batches = picked.adapter.read(picked.ref, {
    ...(place.signal === undefined ? {} : { signal: place.signal }),
    onRaw: scanner.onRaw,
    onSkip: (reason) => {
      session.skipped[reason] = (session.skipped[reason] ?? 0) + 1
    },
    onRestart: () => {
      session = begin()
    },
  })
  for await (const batch of batches) for (const event of batch) session.extractor.add(event)
  return session
}
