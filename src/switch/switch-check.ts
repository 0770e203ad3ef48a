import { callerOf } from '../agents/caller.ts'
import { checkGoal } from '../brief/goal.ts'
import { checkPlace } from '../briefs/save-brief.ts'
import type { Invocation } from '../command.ts'
import { agentMissing, noPane, noTerminal, notHooked, sessionEnded, tmuxUnusable } from '../errors/cycle.ts'
import { badGoal, goalTooLong } from '../errors/goal.ts'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { isOnPath } from '../init/init-agents.ts'
import { type Destination, findDestination } from '../start/destination.ts'
import { listPanes, TmuxError } from '../start/tmux.ts'
import { readLive } from '../store/live.ts'
import type { Cycle, Pending } from '../store/pending.ts'
import { checkInput, openScanner } from '../workspace/input-secrets.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Target } from './request-target.ts'
import { chooseWay } from './requests.ts'

/** Whom to ask, how, and where the successor will be started. */
export interface SwitchPlan {
  target: Target
  via: Pending['via']
  pane: string | null
  where: Cycle['where']
}

/**
 * Every precondition of a switch, before anybody is asked or anything is written; each has its own code. Throws `badGoal`,
 * `goalTooLong`, `secretInInput`, what finding session, pane and destination throws, `notHooked`, `sessionEnded`, `agentMissing`,
 * `noTerminal`, `tmuxUnusable`, and what the folder of the brief throws.
 */
export async function checkSwitch(
  invocation: Invocation,
  workspace: Workspace & { repo: Repo },
  goal: string,
  to: string,
  options: Record<string, unknown>,
): Promise<SwitchPlan> {
  const { place } = invocation
  const { repo, loaded } = workspace
  await checkWords(invocation, workspace, goal, options)
  const { target, via, pane } = await findOutgoing(invocation, repo, options)
  const persona = typeof options.persona === 'string' ? { persona: options.persona } : {}
  const meta = {
    agent: { id: target.adapter.id, label: target.adapter.label },
    skills: Array.isArray(options.skill) ? (options.skill as string[]) : [],
    ...persona,
  }
  const destination = await findDestination(invocation, workspace, meta, to)
  const { adapter } = destination
  if (!(await isOnPath(adapter.launch.program, place.env.PATH ?? '')))
    throw agentMissing(adapter.label, adapter.launch.program)
  if (options.endOutgoing === true && pane === null)
    throw usage('--end-outgoing needs the pane of the session that is asked.', 'Name it: --pane %3')
  if (!loaded.config.commit.enabled)
    throw usage(
      'A switch commits the brief, and `commit.enabled` is off.',
      'Turn it on in the configuration.',
    )
  await checkPlace(repo, true)
  return { target, via, pane, where: await chooseWhere(invocation, destination, pane, options) }
}

/** Throws `badGoal`, `goalTooLong`, `secretInInput`. */
async function checkWords(
  { place }: Invocation,
  { root, loaded }: Workspace,
  goal: string,
  { reason, persona, skill, allowVague }: Record<string, unknown>,
): Promise<void> {
  const { minLength } = loaded.config.goal
  const verdict = checkGoal(goal, { minLength, allowVague: allowVague === true })
  if (!verdict.ok)
    throw verdict.rule === 'too-long'
      ? goalTooLong(verdict.bytes, null)
      : badGoal(verdict.rule, verdict.detail)
  const scanner = await openScanner(place, root, loaded.config)
  await checkInput(scanner, 'goal, reason, persona or skill', { goal, reason, persona, skill }, false)
}

/**
 * The session that is asked and how. It must run, and its hooks must tell of it: without them the end of its turn is never heard.
 * Throws what `chooseWay` throws, `notHooked`, `sessionEnded`, `noPane`, `usage`.
 */
async function findOutgoing(
  invocation: Invocation,
  repo: Repo,
  options: Record<string, unknown>,
): Promise<Omit<SwitchPlan, 'where'>> {
  const { place } = invocation
  const caller = callerOf(place.env)
  const isOwn = caller !== null && options.session === undefined && options.from === undefined
  const own =
    isOwn && caller.sessionId !== null ? { session: caller.sessionId, from: caller.agent as string } : {}
  const pane = isOwn && options.via === undefined ? { pane: options.pane ?? place.env.TMUX_PANE } : {}
  if (options.via === 'print' && invocation.out.json && options.detach !== true)
    throw usage('With `--json` the instruction to paste comes only with `--detach`.', 'Add `--detach`.')
  const found = await chooseWay(invocation, repo, { ...options, ...own, ...pane })
  const { adapter, sessionId } = found.target
  if (caller !== null && caller.sessionId === sessionId && options.detach !== true)
    throw usage(
      'An agent that hands itself over cannot wait for the end of its own turn.',
      'Add `--detach`, then end the turn.',
    )
  const live = await readLive(repo.commonDir, adapter.id, sessionId)
  if (live === null) throw notHooked(adapter.label, sessionId)
  if (live.endedAt !== null) throw sessionEnded(adapter.label, sessionId, live.endedAt)
  if (found.via !== 'print' || options.via === 'print') return found
  // Nobody is there to paste what is printed, unless it was asked for.
  if (adapter.hooks?.goOn === undefined) throw noPane(`no pane here shows ${adapter.label}`, [])
  return { ...found, via: 'hook' }
}

/** Where the successor is started. Throws `noTerminal`, `tmuxUnusable`. */
async function chooseWhere(
  { place, out }: Invocation,
  { adapter }: Destination,
  pane: string | null,
  { headless, detach }: Record<string, unknown>,
): Promise<Cycle['where']> {
  if (headless === true) return 'headless'
  if (pane !== null || (place.env.TMUX ?? '') !== '') {
    await listPanes(place.env).catch((error: unknown) => {
      throw error instanceof TmuxError ? tmuxUnusable(error.message) : error
    })
    return 'tmux'
  }
  if (out.interactive && detach !== true) return 'here'
  throw noTerminal(adapter.label)
}
