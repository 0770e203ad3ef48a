import type { Invocation, Outcome } from '../command.ts'
import { requestEnded } from '../errors/cycle.ts'
import { isHandoffError, reasonOf } from '../errors/handoff-error.ts'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { runnerProgram } from '../init/init-agents.ts'
import { launch } from '../programs.ts'
import { livePane } from '../start/tmux.ts'
import {
  isEnded,
  isGoingOn,
  listPending,
  type Pending,
  type PendingState,
  readPending,
} from '../store/pending.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'
import { startSuccessorNow } from './cycle-start.ts'
import { type CyclePending, type CycleStep, step, timeLeft } from './cycle-step.ts'
import { askOutgoing, commitBrief, endOutgoing } from './cycle-steps.ts'
import { instructionFor, summaryOf } from './requests.ts'
import { openSuccessor } from './successor-window.ts'
import { removeDocument, waitForDocument } from './wait-document.ts'

/**
 * What leads from each state to the next. Each step writes its state last and can be taken again, so a process that was killed anywhere is
 * followed by another one.
 */
const STEPS: Partial<Record<PendingState, CycleStep>> = {
  asked: askOutgoing,
  delivered: (invocation, workspace, pending) =>
    waitForDocument(
      invocation,
      workspace,
      pending,
      timeLeft(invocation, pending),
      async () => pending.pane !== null && (await livePane(invocation.place.env, pending.pane)) === null,
    ),
  noted: async (invocation, workspace, pending) => {
    await removeDocument(pending)
    await commitBrief(invocation, workspace, pending)
  },
  committed: openSuccessor,
  ending: endOutgoing,
  starting: startSuccessorNow,
}

/** The switch that an id or a prefix of one means. Throws `usage`. */
export async function findSwitch(repo: Repo, wanted: string): Promise<Pending> {
  const found = (await listPending(repo.commonDir)).filter(({ requestId }) => requestId.startsWith(wanted))
  const [pending] = found
  if (pending === undefined || found.length > 1 || pending.cycle === null)
    throw usage(`There is no one switch ${wanted}.`, '`git handoff status` lists them.')
  return pending
}

/** Goes on with a switch to its end, or lets a process of its own do that. Throws what `runCycle` throws. */
export async function goOn(
  invocation: Invocation,
  workspace: RepoWorkspace,
  pending: Pending,
  isDetached: boolean,
): Promise<Outcome> {
  const { warnings } = invocation.out
  const { repo } = workspace
  if (isEnded(pending) && pending.state !== 'started')
    throw requestEnded(pending.requestId, pending.failure?.message ?? pending.state)
  if (!isDetached) {
    const done = await runCycle(invocation, workspace, pending.requestId)
    const text = `${done.cycle?.briefId ?? done.requestId}\n`
    return { result: { ok: true, ...summaryOf(done), warnings }, text, said: [] }
  }
  detachCycle(invocation, repo, pending.requestId)
  const isPrinted = pending.via === 'print'
  const instruction = isPrinted ? await instructionFor(repo, pending) : `${pending.requestId}\n`
  return {
    result: { ok: true, ...summaryOf(pending), ...(isPrinted ? { instruction } : {}), warnings },
    text: instruction,
    said: ['It continues in the background. See its state: `git handoff status --follow`'],
  }
}

/**
 * Takes a switch from wherever it stands to its end, unless another process does that. Gives it as it stands then. Throws what failed; the
 * switch has failed then, and the session that was asked goes on.
 */
async function runCycle(
  invocation: Invocation,
  workspace: RepoWorkspace,
  requestId: string,
): Promise<Pending> {
  const { place, out } = invocation
  const { repo, loaded } = workspace
  const first = await claim(invocation, repo, requestId)
  if (first === null) {
    out.warn('another process already runs it')
    return required(repo, requestId)
  }
  const here: Invocation =
    place.env.TMUX === undefined && first.cycle.tmux !== null
      ? { ...invocation, place: { ...place, env: { ...place.env, TMUX: first.cycle.tmux } } }
      : invocation
  try {
    for (;;) {
      const pending = await required(repo, requestId)
      place.signal?.throwIfAborted()
      if (isEnded(pending)) return pending
      out.say(SAYS[pending.state] ?? pending.state)
      await STEPS[pending.state]?.(here, workspace, pending)
    }
  } catch (error) {
    const isCancelled = place.signal?.aborted === true
    const code = isHandoffError(error) ? error.code : 'E_UNEXPECTED'
    const failure = isCancelled ? null : { code, message: reasonOf(error) }
    // What failed by itself has written why already.
    await step(
      place,
      repo,
      first,
      (now) =>
        now.state === 'failed' || now.state === 'cancelled'
          ? null
          : { state: isCancelled ? 'cancelled' : 'failed', failure },
      loaded.own,
    )
    throw error
  }
}

/** What happens now, for the person who waits. */
const SAYS: Partial<Record<PendingState, string>> = {
  asked: 'Asking the session to write down what it knows.',
  delivered: 'Waiting for its document and the end of its turn.',
  noted: 'It has answered. Making the brief.',
  committed: 'The brief is committed.',
  ending: 'Ending the session that was asked.',
  starting: 'Starting the successor.',
}

/** Makes this process the one that goes on; null when another one does. */
async function claim({ place }: Invocation, repo: Repo, requestId: string): Promise<CyclePending | null> {
  const pending = await required(repo, requestId)
  const claimed = await step(place, repo, pending, ({ cycle }) =>
    cycle === null || isGoingOn(cycle.pid) ? null : { cycle: { ...cycle, pid: process.pid } },
  )
  return claimed.cycle?.pid === process.pid ? (claimed as CyclePending) : null
}

async function required(repo: Repo, requestId: string): Promise<CyclePending> {
  const pending = await readPending(repo.commonDir, requestId)
  if (pending === null || pending.cycle === null) throw requestEnded(requestId, 'removed')
  return pending as CyclePending
}

/** Lets a process of its own go on with a switch, in a session of its own, so that it outlives whoever called. */
function detachCycle({ place }: Invocation, repo: Repo, requestId: string): void {
  const { node, program } = runnerProgram()
  // The switch stands on disk; `--continue` goes on with it when this cannot be started.
  launch(node, [program, '--cwd', repo.root, 'switch', '--continue', requestId], {
    cwd: repo.root,
    env: place.env,
  })
}
