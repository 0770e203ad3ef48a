import { findSessions } from '../agents/find.ts'
import { checkGoal } from '../brief/goal.ts'
import type { Invocation } from '../command.ts'
import { clipSentence } from '../text/blocks.ts'
import type { Evidence } from '../types/evidence.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { adapterOf } from './pick-session.ts'
import { readSession } from './read-session.ts'
import { openHere } from './session-place.ts'

/** Characters, and open items of a plan. */
const MAX_LENGTH = 200
const MAX_ITEMS = 3

/**
 * A goal for the next session, from the newest session of this worktree and branch: the open items of its plan, else its last request,
 * secrets replaced. Empty when there is none, it cannot be read, or it says too little for a goal.
 */
export async function proposeGoal({ place }: Invocation, workspace: Workspace): Promise<string> {
  const { root, roots, loaded } = workspace
  const { own } = openHere(workspace)
  const found = await findSessions(place, [...roots], undefined, { own, onMissed: () => undefined })
  const [ref] = await own(found)
  if (ref === undefined) return ''
  const scanner = await openScanner(place, root, loaded.config)
  const { digest } = await readSession({ adapter: adapterOf(ref), ref, isOurs: true }, place, scanner)
  const evidence = digest.finish({
    ...{ git: null, goal: '', focus: null, inherited: null, agent: null },
    ...{ sessionId: ref.id, config: loaded.config },
  })
  const { minLength } = loaded.config.goal
  const { value } = await scanner.redact(nextOf(evidence))
  // Cut behind the redaction: half a secret is not known for one.
  const goals = value.map((goal) => clipSentence(goal, MAX_LENGTH))
  return goals.find((goal) => checkGoal(goal, { minLength, allowVague: false }).ok) ?? ''
}

/** The open items, the items with the last request, and the request alone: what comes first says most. A request that only says a rule asks for nothing, nor does one that ended in a commit. */
function nextOf({ plan, turns, constraints }: Evidence): string[] {
  const open = plan.filter(({ status }) => status === 'in_progress' || status === 'pending')
  const rules = new Set(constraints.map(({ text }) => text))
  const items = open.slice(0, MAX_ITEMS).map(({ text }) => text.replace(/[.;]\s*$/, ''))
  const last = turns.findLast((turn) => !rules.has(turn.request.trim()))
  const request = last?.request ?? ''
  // What ended in a commit is most likely done.
  if (items.length === 0 && last?.steps.at(-1)?.kind === 'commit') return []
  return items.length === 0 ? [request] : [items.join('; '), [...items, request].join('; '), request]
}
