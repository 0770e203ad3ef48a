import { checkGoal } from '../brief/goal.ts'
import type { Invocation } from '../command.ts'
import { isDone } from '../life/hand-down.ts'
import { clipSentence } from '../text/blocks.ts'
import type { Evidence } from '../types/evidence.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { PickedSession } from './pick-session.ts'
import { readSession } from './read-session.ts'

/** Characters, and open items of a plan. */
const MAX_LENGTH = 200
const MAX_ITEMS = 3

/**
 * A goal for the session that goes on: the open items of the chosen session's plan, else its last request, secrets replaced. Empty when there
 * is none, or it says too little for a goal.
 */
export async function proposeGoal(
  { place }: Invocation,
  { root, loaded }: Workspace,
  picked: PickedSession | null,
): Promise<string> {
  if (picked === null) return ''
  const scanner = await openScanner(place, root, loaded.config)
  const { digest } = await readSession(picked, place, scanner)
  const evidence = digest.finish({
    ...{ git: null, goal: '', focus: null, inherited: null, agent: null },
    ...{ sessionId: picked.ref.id, config: loaded.config },
  })
  const { minLength } = loaded.config.goal
  const { value } = await scanner.redact(nextOf(evidence))
  // Cut behind the redaction: half a secret is not known for one.
  const goals = value.map((goal) => clipSentence(goal, MAX_LENGTH))
  return goals.find((goal) => checkGoal(goal, { minLength, allowVague: false }).ok) ?? ''
}

/** The open items, the items with the last request, and the request alone: what comes first says most. A request that only says a rule asks for nothing, nor does one that ended in a commit. */
function nextOf(evidence: Evidence): string[] {
  const { plan, turns, constraints } = evidence
  const open = plan.filter(
    ({ status, text }) => (status === 'in_progress' || status === 'pending') && !isOver(text, evidence),
  )
  const rules = new Set(constraints.map(({ text }) => text))
  const items = open.slice(0, MAX_ITEMS).map(({ text }) => text.replace(/[.;]\s*$/, ''))
  const last = turns.findLast((turn) => !rules.has(turn.request.trim()))
  const request = last?.request ?? ''
  // What ended in a commit is most likely done.
  if (items.length === 0 && last?.steps.at(-1)?.kind === 'commit') return []
  return items.length === 0 ? [request] : [items.join('; '), [...items, request].join('; '), request]
}

/** Agents seldom tick off what they did: the session made the file, committed with these words, or saw the tests pass. */
function isOver(step: string, { files, turns, checks }: Evidence): boolean {
  const made = files.filter(({ evidence }) => evidence.includes('created')).map(({ path }) => path)
  const commits = turns.flatMap(({ steps }) => steps.filter(({ kind }) => kind === 'commit'))
  const isTested = checks.some(({ kind, outcome }) => kind === 'test' && outcome === 'ok')
  return (
    (isTested && /^(?:run|test)\b/i.test(step) && !/[./]\w/.test(step)) ||
    isDone(step, { changed: made, commits: commits.map(({ text }) => text) })
  )
}
