import { createTrajectory, type Trajectory } from '../agents/atif/write.ts'
import type { Invocation } from '../command.ts'
import type { Scanner } from '../secrets/scanner.ts'
import type { PickedSession } from './pick-session.ts'

/** A session as an ATIF document without secrets, and how many were replaced, by rule. What cannot be used is warned of. */
export async function readConversation(
  { out, place }: Invocation,
  { adapter, ref }: Pick<PickedSession, 'adapter' | 'ref'>,
  scanner: Scanner,
): Promise<{ document: Trajectory; redacted: Record<string, number> }> {
  const trajectory = createTrajectory(ref)
  let skipped = 0
  const batches = adapter.read(ref, {
    place,
    signal: place.signal,
    onRaw: scanner.onRaw,
    onSkip: () => skipped++,
  })
  for await (const batch of batches) for (const event of batch) trajectory.add(event)
  if (skipped > 0) out.warn(`${skipped} records of the session could not be used`)
  const { value, counts } = await scanner.redact(trajectory.end())
  return { document: value, redacted: counts }
}
