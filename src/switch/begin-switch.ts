import { callerOf } from '../agents/caller.ts'
import { checkPlace } from '../briefs/save-brief.ts'
import type { Invocation } from '../command.ts'
import { agentMissing, noPane, noTerminal, notHooked, sessionEnded } from '../errors/cycle.ts'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { isOnPath } from '../init/init-agents.ts'
import { isVagueGoal } from '../session/settle-goal.ts'
import { findDestination, type Launchable } from '../start/destination.ts'
import { listPanes } from '../start/tmux.ts'
import { readLive } from '../store/live.ts'
import type { Cycle } from '../store/pending.ts'
import { mayAsk } from '../workspace/at-terminal.ts'
import { checkInput, openScanner } from '../workspace/input-secrets.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'
import { chooseWay, type Wanted, type Way } from './request-target.ts'
import { beginRequest } from './requests.ts'
import type { SwitchPending } from './run-switch.ts'

/** What is to be switched, and how. */
export interface SwitchRequest extends Wanted {
  goal: string
  to: string
  reason: string
  /** Milliseconds to wait for each agent. */
  timeout: number
  persona?: string
  skill: string[]
  allowVague?: boolean
  headless?: boolean
  endOutgoing?: boolean
  detach?: boolean
}

/**
 * Checks every precondition of a switch before anybody is asked or anything is written, each with its own code; then the request stands on
 * disk. Throws `badGoal`, `goalTooLong`, `secretInInput`, what finding session, pane and destination throws, `notHooked`, `sessionEnded`,
 * `agentMissing`, `noTerminal`, `tmuxUnusable`, `usage`, and what the folder of the brief throws.
 */
export async function beginSwitch(
  invocation: Invocation,
  workspace: RepoWorkspace,
  request: SwitchRequest,
): Promise<SwitchPending> {
  const { place } = invocation
  const { repo, loaded } = workspace
  const { goal, to, persona, skill, skill: skills, reason, timeout, allowVague, endOutgoing } = request
  isVagueGoal(goal, loaded.config, allowVague)
  const scanner = await openScanner(place, repo.root, loaded.config)
  await checkInput(scanner, 'goal, reason, persona or skill', { goal, reason, persona, skill }, false)
  const way = await findOutgoing(invocation, repo, request)
  const { id, label } = way.target.adapter
  const meta = { agent: { id, label }, skills, ...(persona === undefined ? {} : { persona }) }
  const { adapter } = await findDestination(invocation, workspace, meta, to)
  if (!(await isOnPath(adapter.launch.program, place.env.PATH ?? '')))
    throw agentMissing(adapter.label, adapter.launch.program)
  if (endOutgoing && way.pane === null)
    throw usage('--end-outgoing needs the pane of the session that is asked.', 'Name it: --pane %3')
  if (!loaded.config.commit.enabled)
    throw usage(
      'A switch commits the brief, and `commit.enabled` is off.',
      'Turn it on in the configuration.',
    )
  await checkPlace(repo, loaded.config.commit)
  const { pending, isNew } = await beginRequest(
    invocation,
    repo,
    way,
    { reason, goal },
    {
      ...{ goal, to, persona: persona ?? null, skills, timeout, pid: process.pid },
      ...{ allowVague: allowVague === true, endOutgoing: endOutgoing === true },
      where: await chooseWhere(invocation, adapter, way.pane, request),
      ...{ briefId: null, successor: null },
    },
  )
  if (isNew) return pending as SwitchPending
  const { requestId, askedAt } = pending
  throw usage(
    `This session has been asked already, at ${askedAt}: ${requestId} is open.`,
    pending.cycle === null
      ? `Wait for it with \`git handoff await\`, or give it up: \`git handoff request --cancel ${requestId}\``
      : 'Wait for that switch: `git handoff status --follow`',
  )
}

/**
 * The session that is asked and how. It must run, and its hooks must tell of it: without them the end of its turn is never heard.
 * Throws what `chooseWay` throws, `notHooked`, `sessionEnded`, `noPane`, `usage`.
 */
async function findOutgoing(
  { place, out }: Invocation,
  repo: Repo,
  { session, from, via, pane, detach }: SwitchRequest,
): Promise<Way> {
  const caller = callerOf(place.env)
  const isOwn = caller !== null && session === undefined && from === undefined
  const own =
    isOwn && caller.sessionId !== null ? { session: caller.sessionId, from: caller.agent } : { session, from }
  if (via === 'print' && out.json && !detach)
    throw usage('With `--json` the instruction to paste comes only with `--detach`.', 'Add `--detach`.')
  const found = await chooseWay({ place }, repo, {
    ...own,
    ...(via === undefined ? {} : { via }),
    pane: pane ?? (isOwn && via === undefined ? place.env.TMUX_PANE : undefined),
  })
  const { adapter, sessionId } = found.target
  if (caller !== null && caller.sessionId === sessionId && !detach)
    throw usage(
      'An agent that hands itself over cannot wait for the end of its own turn.',
      'Add `--detach`, then end the turn.',
    )
  const live = await readLive(repo.commonDir, adapter.id, sessionId)
  if (live === null) throw notHooked(adapter.label, sessionId)
  if (live.endedAt !== null) throw sessionEnded(adapter.label, sessionId, live.endedAt)
  if (found.via !== 'print' || via === 'print') return found
  // Nobody is there to paste what is printed, unless it was asked for.
  if (adapter.hooks?.goOn === undefined) throw noPane(`no pane here shows ${adapter.label}`, [])
  return { ...found, via: 'hook' }
}

/** Where the successor is started. Throws `noTerminal`, `tmuxUnusable`. */
async function chooseWhere(
  invocation: Invocation,
  { label }: Launchable,
  pane: string | null,
  { headless, detach }: SwitchRequest,
): Promise<Cycle['where']> {
  const { place } = invocation
  if (headless) return 'headless'
  if (pane !== null || (place.env.TMUX ?? '') !== '') {
    await listPanes(place.env)
    return 'tmux'
  }
  if (mayAsk(invocation) && !detach) return 'here'
  throw noTerminal(label)
}
