import { agentNotStarted } from '../errors/start.ts'
import { writeJournal } from '../store/journal.ts'
import { readPending } from '../store/pending.ts'
import { sendPrompts } from './cycle-prompts.ts'
import { type CycleStep, noteSuccessor } from './cycle-step.ts'
import { handoverOf, windowFor } from './cycle-window.ts'
import { step } from './pending-step.ts'
import { endOf, startSuccessor } from '../start/start-successor.ts'

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
    const done = await startSuccessor(invocation, workspace, brief, destination, {
      headless,
      timeout,
      onStart: () => step(place, repo, pending, { state: 'started' }, loaded.own),
    })
    const failure = endOf(destination, done, headless)
    if (failure !== null) throw failure
    if (headless) out.quote(done.output)
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
  await writeJournal(repo.commonDir, {
    at: place.now().toISOString(),
    kind: 'pick-up',
    id: brief.id,
    agent: destination.adapter.id,
    sessionId: now?.cycle?.successor?.sessionId ?? null,
  }).catch(() => undefined)
}
