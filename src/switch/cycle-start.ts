import { setTimeout as sleep } from 'node:timers/promises'
import type { Invocation } from '../command.ts'
import { requestEnded, successorSilent } from '../errors/cycle.ts'
import { agentNotStarted } from '../errors/start.ts'
import { openRepo, type Repo } from '../git/open-repo.ts'
import { startSuccessor } from '../start/start-successor.ts'
import { pasteText, readScreen, typeLine } from '../start/tmux.ts'
import { type LiveSession, listLive } from '../store/live.ts'
import { isEnded, type PendingSuccessor, readPending } from '../store/pending.ts'
import { recordPickUp } from '../store/pick-ups.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'
import { type CyclePending, type CycleStep, noteSuccessor, step } from './cycle-step.ts'
import { isOver } from './request-target.ts'
import { type Handover, handoverOf, windowFor } from './successor-window.ts'

/**
 * Lets the successor start and sends it all its prompts; the switch is over then. One without a window gets them as one. Throws what `handoverOf` and
 * `startSuccessor` throw, `agentFailed`, `successorSilent`.
 */
export const startSuccessorNow: CycleStep = async (invocation, workspace, pending) => {
  const { place, out } = invocation
  const { repo, loaded } = workspace
  const handover = await handoverOf(invocation, workspace, pending)
  const { brief, destination } = handover
  const { where, timeout, successor } = pending.cycle
  if (where !== 'tmux') {
    const headless = where === 'headless'
    const { output } = await startSuccessor(invocation, workspace, brief, destination, {
      headless,
      timeout,
      onStart: () => step(place, repo, pending, { state: 'started' }, loaded.own),
    })
    if (headless) out.quote(output)
    return
  }
  if (successor === null)
    throw agentNotStarted(destination.adapter.label, 'it has no window', handover.manual)
  if (successor.sent === 0) {
    // The one that was opened may be gone since.
    const pane = await windowFor(invocation, repo, pending, destination.cwd)
    await noteSuccessor(invocation, repo, pending, (now) => (now.pane === pane ? null : { pane }))
  }
  await sendPrompts(invocation, workspace, pending, handover)
  await step(place, repo, pending, { state: 'started' }, loaded.own)
  out.say('New session started with handoff context')
  const now = await readPending(repo.commonDir, pending.requestId)
  // Who took it up is worth knowing, not worth failing for.
  await recordPickUp(repo.commonDir, {
    id: brief.id,
    at: place.now().toISOString(),
    agent: destination.adapter.id,
    sessionId: now?.cycle?.successor?.sessionId ?? null,
    root: destination.cwd,
    isActing: true,
  }).catch(() => undefined)
}

/** Ms between two looks. */
const LOOK = 200
/** Ms in which a window starts its agent, and in which a successor that has all its prompts should tell of itself. */
const SIGN = 30_000
/** Ms for the composer to come back after the end of a turn, and for a prompt to show. */
const COMPOSER = 5000

/**
 * Follows the successor in its window until it has all its prompts. The first is given at the start; each other one is sent only when the hooks of that very
 * session have told its start and the end of the turn before. Throws `agentNotStarted`, `successorSilent`: then nothing more is sent.
 */
async function sendPrompts(
  invocation: Invocation,
  { repo }: RepoWorkspace,
  pending: CyclePending,
  { destination, prompts, manual }: Handover,
): Promise<void> {
  const { place, out } = invocation
  const { adapter, cwd } = destination
  const there = await openRepo(cwd, { env: place.env })
  const begun = performance.now()
  let sentHere = 0
  for (;;) {
    place.signal?.throwIfAborted()
    const successor = await successorNow(repo, pending)
    if (successor.failure !== null) throw agentNotStarted(adapter.label, successor.failure, manual)
    const session = newSession(await listLive(there.commonDir), there.root, successor)
    if (session !== null && successor.sessionId === null)
      await noteSuccessor(invocation, repo, pending, () => ({ sessionId: session.sessionId }))
    const since = successor.sentAt === null ? 0 : place.now().getTime() - Date.parse(successor.sentAt)
    const isHeard = session !== null && successor.sentAt !== null && session.at > successor.sentAt
    // The process before this one was killed between the record and the paste.
    if (
      !isHeard &&
      since > COMPOSER &&
      successor.sent > 1 &&
      sentHere !== successor.sent &&
      !(await isShown(successor))
    )
      await put(successor, successor.sent - 1)
    else if (successor.sent >= prompts.length) {
      if (isHeard || successor.sent > 1) return
      if (since > SIGN) {
        await mustLive(successor)
        out.warn(
          `${adapter.label} runs, and its hooks have told nothing of it; \`git handoff init\` sets them up`,
        )
        return
      }
    } else if (successor.sent === 0) {
      if (performance.now() - begun > SIGN)
        throw agentNotStarted(adapter.label, 'its window did not come up', manual)
    } else if (isHeard && session.event === 'stop') {
      await put(successor, successor.sent)
    } else if (since > pending.cycle.timeout) {
      const what = session === null ? 'its hooks told of no session' : 'its turn did not end in time'
      throw successorSilent(adapter.label, what, manual)
    }
    await mustLive(successor)
    await sleep(LOOK, undefined, { signal: place.signal }).catch(() => undefined)
  }

  /** Sends one prompt; the record comes first, so that none is sent twice. */
  async function put(successor: PendingSuccessor, index: number): Promise<void> {
    const { pane } = successor
    if (pane === null) throw agentNotStarted(adapter.label, 'it has no pane', manual)
    await mustLive(successor)
    for (const end = performance.now() + COMPOSER; performance.now() < end; await sleep(LOOK))
      if (adapter.launch.ready.test(await readScreen(place.env, pane))) break
    const text = prompts[index] ?? ''
    await noteSuccessor(invocation, repo, pending, () => ({
      sent: index + 1,
      sentAt: place.now().toISOString(),
    }))
    if (index === prompts.length - 1) await pasteText(place.env, pane, text.trim())
    else await typeLine(place.env, pane, text)
    sentHere = index + 1
  }

  async function isShown({ pane, sent }: PendingSuccessor): Promise<boolean> {
    const [line = ''] = (prompts[sent - 1] ?? '').trim().split('\n')
    return pane !== null && (await readScreen(place.env, pane)).includes(line.slice(0, SHOWN))
  }

  /** A pane that is gone, or shows a shell again, has no agent to send anything to. */
  async function mustLive({ pane, sent }: PendingSuccessor): Promise<void> {
    if (!(await isOver(place.env, pane))) return
    const { failure } = await successorNow(repo, pending)
    throw agentNotStarted(
      adapter.label,
      failure ?? (sent === 0 ? 'its window is gone' : 'it has ended'),
      manual,
    )
  }
}

/** Characters of a prompt that stand in one line of any screen. */
const SHOWN = 40

async function successorNow(repo: Repo, { requestId }: CyclePending): Promise<PendingSuccessor> {
  const now = await readPending(repo.commonDir, requestId)
  if (now === null || isEnded(now) || now.cycle?.successor == null)
    throw requestEnded(requestId, now?.state ?? 'removed')
  return now.cycle.successor
}

/** The session that began since in that place, by its hooks. */
const newSession = (
  live: readonly LiveSession[],
  root: string,
  { agent, sessionId, known }: PendingSuccessor,
): LiveSession | null =>
  live.find(
    (one) =>
      one.agent === agent &&
      one.root === root &&
      (sessionId === null ? !known.includes(one.sessionId) : one.sessionId === sessionId),
  ) ?? null
