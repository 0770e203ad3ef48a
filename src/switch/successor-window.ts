import { setTimeout as sleep } from 'node:timers/promises'
import type { ExitCode, Invocation } from '../command.ts'
import type { Repo } from '../git/open-repo.ts'
import { callerMarks } from '../start/destination.ts'
import { startAgent, successorEnv } from '../start/start-agent.ts'
import { isEnded, type Pending, readPending } from '../store/pending.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type CyclePending, noteSuccessor } from './cycle-step.ts'
import { handoverOf } from './cycle-window.ts'

const LOOK = 100

/**
 * The program of the successor's window: waits until the switch comes to it, then is the agent's parent, with the first of its prompts. What keeps it from
 * starting is told to the switch, since the window closes.
 */
export async function becomeSuccessor(
  invocation: Invocation,
  workspace: Workspace & { repo: Repo },
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
    const marks = callerMarks()
    const started = await startAgent({
      program: launch.program,
      args,
      stdin,
      cwd: destination.cwd,
      env: successorEnv(place.env, [...launch.passEnv, ...loaded.own.passEnv], marks),
      captured: false,
    })
    await started.ended
    return 0
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error)
    await noteSuccessor(invocation, repo, pending, () => ({ failure }))
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
