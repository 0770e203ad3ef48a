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
  const skipped: ReadSession['skipped'] = {}
  const extractor = createExtractor({ sessionCwd: picked?.ref.cwd ?? null, home: place.home })
  if (picked === null) return { extractor, skipped }
  const events = picked.adapter.read(picked.ref, {
    ...(place.signal === undefined ? {} : { signal: place.signal }),
    onRaw: scanner.onRaw,
    onSkip: (reason) => {
      skipped[reason] = (skipped[reason] ?? 0) + 1
    },
  })
  for await (const event of events) extractor.add(event)
  return { extractor, skipped }
}
