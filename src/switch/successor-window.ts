import { setTimeout as sleep } from 'node:timers/promises'
import type { CurrentBrief } from '../briefs/current.ts'
import { findBrief } from '../briefs/find-brief.ts'
import type { ExitCode, Invocation } from '../command.ts'
import { reasonOf } from '../errors/handoff-error.ts'
import { openRepo, type Repo } from '../git/open-repo.ts'
import { runnerProgram } from '../init/init-agents.ts'
import { callerMarks, type Destination, findDestination } from '../start/destination.ts'
import { startAgent, successorEnv } from '../start/start-agent.ts'
import { manualCommand, promptFor } from '../start/start-successor.ts'
import { listPanes, openWindow } from '../start/tmux.ts'
import { listLive } from '../store/live.ts'
import { isEnded, type Pending, type PendingSuccessor, readPending } from '../store/pending.ts'
import { oneLine } from '../text/safe-text.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'
import { type CyclePending, type CycleStep, noteSuccessor, step } from './cycle-step.ts'

/** What a successor is started with. */
export interface Handover {
  brief: CurrentBrief
  destination: Destination
  /** In order: each line of persona and skills by itself, then the pointer. */
  prompts: string[]
  /** The command that does the same by hand. */
  manual: string
}

/** Throws `unknownId`, `noDestination`, `untrustedBrief`. */
export async function handoverOf(
  invocation: Invocation,
  workspace: RepoWorkspace,
  { cycle }: CyclePending,
): Promise<Handover> {
  const { repo } = workspace
  const brief = await findBrief(repo, cycle.briefId ?? 'latest', repo.root)
  const destination = await findDestination(invocation, workspace, brief.parsed.meta, cycle.to)
  const pointer = await promptFor(repo, brief, { ...destination, start: [] }, invocation.place.now())
  return {
    brief,
    destination,
    prompts: [...destination.start.map(oneLine), pointer],
    manual: manualCommand(repo, brief, destination),
  }
}

/**
 * Opens the window of the successor, which waits there for its turn: when the session that was asked ends, its own window may have been the last one.
 * Throws what `handoverOf` throws, `tmuxUnusable`.
 */
export const openSuccessor: CycleStep = async (invocation, workspace, pending) => {
  const { place } = invocation
  const { repo, loaded } = workspace
  const { where, endOutgoing } = pending.cycle
  const { destination } = await handoverOf(invocation, workspace, pending)
  const there = await openRepo(destination.cwd, { env: place.env })
  const before = (await listLive(there.commonDir)).filter(({ agent }) => agent === destination.adapter.id)
  const successor: PendingSuccessor = {
    agent: destination.adapter.id,
    pane: where === 'tmux' ? await windowFor(invocation, repo, pending, destination.cwd) : null,
    sessionId: null,
    known: before.map(({ sessionId }) => sessionId),
    sent: 0,
    sentAt: null,
    failure: null,
  }
  await step(
    place,
    repo,
    pending,
    ({ cycle }) => ({ state: endOutgoing ? 'ending' : 'starting', cycle: cycle && { ...cycle, successor } }),
    loaded.own,
  )
}

/** The pane of the successor's window, which an earlier process may have opened before it was killed. Throws `tmuxUnusable`. */
export async function windowFor(
  { place }: Invocation,
  repo: Repo,
  { requestId, pane: outgoing }: CyclePending,
  cwd: string,
): Promise<string> {
  const name = `handoff-${requestId.slice(-8)}`
  const { node, program } = runnerProgram()
  const panes = await listPanes(place.env)
  const open = panes.find(({ window, dead }) => window === name && !dead)
  if (open !== undefined) return open.id
  const near = [outgoing, place.env.TMUX_PANE].map((id) => panes.find((pane) => pane.id === id))
  return await openWindow(place.env, {
    name,
    cwd,
    program: node,
    args: [program, '--cwd', repo.root, 'switch', '--successor', requestId],
    after: near.find((pane) => pane !== undefined)?.windowId ?? null,
    set: { PATH: place.env.PATH ?? '' },
  })
}

/** Ms between two looks. */
const LOOK = 100

/**
 * The program of the successor's window: waits until the switch comes to it, then is the agent's parent, with the first of its prompts. What keeps it from
 * starting is told to the switch, since the window closes.
 */
export async function becomeSuccessor(
  invocation: Invocation,
  workspace: RepoWorkspace,
  first: Pending,
): Promise<ExitCode> {
  const { place, out } = invocation
  const { repo, loaded } = workspace
  out.say('Waiting for the session that hands over…')
  const pending = await waitForTurn(invocation, repo, first.requestId)
  if (pending === null) return 1
  let isMine = false
  const claimed = await noteSuccessor(invocation, repo, pending, ({ sent }) => {
    isMine = sent === 0
    return isMine ? { sent: 1, sentAt: place.now().toISOString(), pane: place.env.TMUX_PANE ?? null } : null
  })
  // Another window was opened for it and was first.
  if (!isMine) return 1
  try {
    const { destination, prompts } = await handoverOf(invocation, workspace, claimed as CyclePending)
    const { launch } = destination.adapter
    const { args, stdin } = launch.interactive(prompts[0] ?? '')
    const started = await startAgent({
      program: launch.program,
      args,
      stdin,
      cwd: destination.cwd,
      env: successorEnv(place.env, [...launch.passEnv, ...loaded.own.passEnv], callerMarks()),
      captured: false,
    })
    await started.ended
    return 0
  } catch (error) {
    await noteSuccessor(invocation, repo, pending, () => ({ failure: reasonOf(error) }))
    throw error
  }
}

/** Null when the switch has ended without it. */
async function waitForTurn({ place }: Invocation, repo: Repo, requestId: string): Promise<Pending | null> {
  for (;;) {
    const now = await readPending(repo.commonDir, requestId)
    if (now === null || isEnded(now)) return null
    if (now.state === 'starting' && now.cycle?.successor != null) return now
    place.signal?.throwIfAborted()
    await sleep(LOOK)
  }
}
