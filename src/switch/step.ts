import type { OwnSettings } from '../config/own.ts'
import type { Repo } from '../git/open-repo.ts'
import { launch } from '../programs.ts'
import { writeJournal } from '../store/journal.ts'
import { type Pending, readPending, writePending } from '../store/pending.ts'
import { withLock } from '../store/private.ts'
import type { Place } from '../types/place.ts'

/** Ms that a program of the person's own may take to hear of a step. */
const NOTIFY_MS = 5000

/** What is to change, given how the request stands at that moment; null: nothing. */
export type Change = Partial<Pending> | ((now: Pending) => Partial<Pending> | null)

/**
 * Writes a change of a request, the journal line that tells it, and tells the program of the person's own configuration. Hooks and the
 * waiting process write in turn. Gives the request as it stands then.
 */
export async function step(
  place: Pick<Place, 'now' | 'env'>,
  repo: Pick<Repo, 'commonDir'>,
  pending: Pending,
  change: Change,
  own: Pick<OwnSettings, 'notify'> = { notify: null },
): Promise<Pending> {
  const { before, next } = await withLock(repo.commonDir, `locks/${pending.requestId}`, async () => {
    const before = (await readPending(repo.commonDir, pending.requestId)) ?? pending
    const changes = typeof change === 'function' ? change(before) : change
    if (changes === null) return { before, next: before }
    const next: Pending = { ...before, ...changes, changedAt: place.now().toISOString() }
    await writePending(repo.commonDir, next)
    return { before, next }
  })
  if (next.state === before.state) return next
  const { requestId, state, agent, sessionId, failure, cycle, changedAt: at } = next
  const briefId = cycle?.briefId ?? null
  const told = { at, kind: 'cycle', requestId, state, agent, sessionId, failure, briefId }
  await writeJournal(repo.commonDir, told)
  const [program, ...args] = own.notify ?? []
  // A program that is not there, or does not read, is the person's affair; nobody waits for it.
  if (program !== undefined)
    launch(program, args, { env: place.env, timeout: NOTIFY_MS, input: `${JSON.stringify(told)}\n` })
  return next
}
