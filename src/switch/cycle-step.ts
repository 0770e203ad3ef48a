import type { Repo } from '../git/open-repo.ts'
import type { Cycle, Pending, PendingSuccessor } from '../store/pending.ts'
import { step } from './pending-step.ts'
import type { Invocation } from '../command.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** A request that a switch began. */
export type CyclePending = Pending & { cycle: Cycle }

/** Leads a switch out of one state into the next. */
export type CycleStep = (
  invocation: Invocation,
  workspace: Workspace & { repo: Repo },
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
