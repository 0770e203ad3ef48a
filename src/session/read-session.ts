import { readsBrief } from '../agents/tools.ts'
import type { Invocation } from '../command.ts'
import { createDigest, type Digest } from '../facts/digest.ts'
import type { Scanner } from '../secrets/scanner.ts'
import type { Adapter } from '../types/agent.ts'
import type { Place } from '../types/place.ts'
import type { SessionEvent } from '../types/session.ts'
import type { PickedSession } from './pick-session.ts'

/** Lines that are named before the rest of them is only counted. */
const NAMED = 3

export interface ReadSession {
  digest: Digest
  /** Lines of the transcript that could not be used, by reason. */
  skipped: Partial<Record<'torn' | 'not-json' | 'unknown', number>>
  damaged: number[]
  /** It looked into a brief: it took up what was handed over. */
  hasReadBrief: boolean
}

/**
 * Streams a session into a digest, its raw bytes past the secret scan. Whoever tells the facts cleans them: a digest cuts no word, and
 * events searched one by one once more took 15 % of the time at 44 MB. Throws what the adapter throws.
 */
export async function readSession(
  picked: PickedSession | null,
  place: Pick<Place, 'home' | 'env' | 'signal'>,
  scanner: Pick<Scanner, 'onRaw'>,
): Promise<ReadSession> {
  const session: ReadSession = {
    digest: createDigest({ sessionCwd: picked?.ref.cwd ?? null, home: place.home }),
    skipped: {},
    damaged: [],
    hasReadBrief: false,
  }
  if (picked === null) return session
  const batches = picked.adapter.read(picked.ref, {
    signal: place.signal,
    place,
    onRaw: scanner.onRaw,
    onSkip: (reason, line) => {
      session.skipped[reason] = (session.skipped[reason] ?? 0) + 1
      if (reason === 'not-json' && line !== undefined && session.damaged.length < NAMED)
        session.damaged.push(line)
    },
  })
  for await (const batch of batches)
    for (const event of batch) {
      session.hasReadBrief ||= event.kind === 'call' && readsBrief(event)
      session.digest.add(withoutMiddle(event))
    }
  return session
}

/** Characters of a prompt that are looked into: what was pasted into the middle of a longer one tells nothing that fits into a brief. */
const LONGEST_PROMPT = 1 << 20

/** A prompt with both ends alone, of whole words: half a secret is not known for one. */
function withoutMiddle(event: SessionEvent): SessionEvent {
  if (event.kind !== 'prompt' || event.text.length <= LONGEST_PROMPT) return event
  const head = event.text.slice(0, LONGEST_PROMPT / 2)
  const tail = event.text.slice(-LONGEST_PROMPT / 2)
  const text = `${head.slice(0, head.lastIndexOf(' '))}\n\n${tail.slice(tail.indexOf(' ') + 1)}`
  return { ...event, text }
}

/** The session; `note` is told every event of it as it is read, once. */
export function watchEvents(picked: PickedSession, note: (event: SessionEvent) => void): PickedSession {
  const read: Adapter['read'] = async function* (ref, options) {
    for await (const batch of picked.adapter.read(ref, options)) {
      for (const event of batch) note(event)
      yield batch
    }
  }
  return { ...picked, adapter: { ...picked.adapter, read } }
}

/** Says that records in the middle of a session are damaged; the last one may still be written. */
export function warnDamaged({ out }: Pick<Invocation, 'out'>, { skipped, damaged }: ReadSession): void {
  const count = skipped['not-json'] ?? 0
  if (count === 0) return
  const more = count > damaged.length && damaged.length > 0 ? ' and others' : ''
  const where = damaged.length === 0 ? '' : ` (line ${damaged.join(', ')}${more})`
  out.warn(
    `${count === 1 ? 'A record' : `${count} records`} of the session cannot be read${where}: what stood there is left out`,
  )
}
