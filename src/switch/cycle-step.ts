import type { Invocation } from '../command.ts'
import type { OwnSettings } from '../config/own.ts'
import type { Repo } from '../git/open-repo.ts'
import { launch } from '../programs.ts'
import { writeJournal } from '../store/journal.ts'
import {
  type Cycle,
  type Pending,
  type PendingSuccessor,
  readPending,
  writePending,
} from '../store/pending.ts'
import { withLock } from '../store/private.ts'
import type { Place } from '../types/place.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'

/** A request that a switch began. */
export type CyclePending = Pending & { cycle: Cycle }

/** Leads a switch out of one state into the next. */
export type CycleStep = (
  invocation: Invocation,
  workspace: RepoWorkspace,
  pending: CyclePending,
) => Promise<unknown>

/** Ms left for the answer of the session that is asked. */
export const timeLeft = ({ place }: Pick<Invocation, 'place'>, { askedAt, cycle }: CyclePending): number =>
  Math.max(0, Date.parse(askedAt) + cycle.timeout - place.now().getTime())

/** Writes down how far the successor is; `change` gets how it stands at that moment and says null for nothing. */
export const noteSuccessor = (
  { place }: Pick<Invocation, 'place'>,
  repo: Repo,
  pending: Pending,
  change: (now: PendingSuccessor) => Partial<PendingSuccessor> | null,
): Promise<Pending> =>
  step(place, repo, pending, ({ cycle }) => {
    if (cycle?.successor == null) return null
    const changes = change(cycle.successor)
    return changes && { cycle: { ...cycle, successor: { ...cycle.successor, ...changes } } }
  })

/** Ms that a program of the person's own may take to hear of a step; it must not hold the cycle up. */
const NOTIFY_MS = 5000

/** What is to change, given how the request stands at that moment; null: nothing. */
export type Change = Partial<Pending> | ((now: Pending) => Partial<Pending> | null)

/**
 * Writes a change of a request, the journal line that tells it, and tells the program of the person's own configuration. Hooks, the waiting
 * process and the successor's window write in turn. Gives the request as it stands then.
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
  const told = {
    at,
    kind: 'cycle',
    requestId,
    state,
    agent,
    sessionId,
    failure,
    briefId: cycle?.briefId ?? null,
  }
  await writeJournal(repo.commonDir, told)
  if (own.notify !== null) notify(own.notify, place.env, told)
  return next
}

/** Through no shell, and never waited for. */
function notify(command: readonly string[], env: Place['env'], told: object): void {
  const [program = '', ...args] = command
  // A program that is not there, or does not read, is the person's affair.
  launch(program, args, { env, timeout: NOTIFY_MS, input: `${JSON.stringify(told)}\n` })
}
