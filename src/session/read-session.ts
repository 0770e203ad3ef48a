import { createExtractor, type Extractor } from '../extract/extractor.ts'
import type { Place } from '../types/place.ts'
import type { PickedSession } from './pick-session.ts'
import type { RawScan } from './raw-scan.ts'

export interface ReadSession {
  extractor: Extractor
  /** Lines of the transcript that could not be used, by reason. */
  skipped: Partial<Record<'torn' | 'not-json' | 'unknown', number>>
}

/**
 * Streams a session into an extractor, its raw bytes past the secret scan. `until` (ISO 8601): as it stood then. Throws what
 * the adapter throws.
 */
export async function readSession(
  picked: PickedSession | null,
  place: Pick<Place, 'home' | 'env' | 'signal'>,
  raw: Pick<RawScan, 'onRaw' | 'finish'>,
  until: string | null = null,
): Promise<ReadSession> {
  const begin = (): ReadSession => ({
    extractor: createExtractor({ sessionCwd: picked?.ref.cwd ?? null, home: place.home }),
    skipped: {},
  })
  let session = begin()
  if (picked === null) return session
  const batches = picked.adapter.read(picked.ref, {
    ...(place.signal === undefined ? {} : { signal: place.signal }),
    place,
    onRaw: raw.onRaw,
    onSkip: (reason) => {
      session.skipped[reason] = (session.skipped[reason] ?? 0) + 1
    },
    onRestart: () => {
      session = begin()
    },
  })
  const end = until === null ? null : Date.parse(until)
  // No time is parsed where there is no end: a large session has tens of thousands of them.
  for await (const batch of batches)
    for (const event of batch)
      if (end === null || event.at === null || !(Date.parse(event.at) > end)) session.extractor.add(event)
  await raw.finish()
  return session
}
