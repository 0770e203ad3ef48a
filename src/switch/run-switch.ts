import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { adapterById, labelOf } from '../agents/table.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import { findBrief } from '../briefs/find-brief.ts'
import type { Invocation, Outcome } from '../command.ts'
import { createBrief } from '../create/create-brief.ts'
import { readRequest } from '../create/create-request.ts'
import { agentNotStarted, requestEnded, requestTimeout, successorSilent } from '../errors/cycle.ts'
import { isHandoffError, reasonOf } from '../errors/handoff-error.ts'
import { nobodyToAsk } from '../errors/session.ts'
import { usage } from '../errors/usage.ts'
import { notCommitted } from '../errors/writing.ts'
import { openRepo, type Repo, withoutAbort } from '../git/open-repo.ts'
import { launch } from '../programs.ts'
import { personEnv } from '../start/agent-env.ts'
import { type Destination, findDestination } from '../start/destination.ts'
import { manualCommand, promptFor, startSuccessor } from '../start/start-successor.ts'
import {
  closePane,
  listPanes,
  livePane,
  openWindow,
  pasteText,
  readScreen,
  serverEnv,
  typeLine,
} from '../start/tmux.ts'
import { endStarted, recordPickUp } from '../store/journal.ts'
import { type LiveSession, listLive } from '../store/live.ts'
import { type Cycle, isEnded, listPending, type Pending, readPending } from '../store/pending.ts'
import { packageFolder } from '../workspace/find-program.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'
import { isFree, isOver } from './request-target.ts'
import { type Change, deliver, instructionFor, step, summaryOf } from './requests.ts'
import { waitForDocument } from './wait-document.ts'

/** A request that a switch began. */
export type SwitchPending = Pending & { cycle: Cycle }

/** Ms between two looks. */
const LOOK = 200

/** The switch of that id. Throws `usage`. */
export async function findSwitch(repo: Repo, wanted: string): Promise<SwitchPending> {
  const found = (await listPending(repo.commonDir)).find(({ requestId }) => requestId === wanted)
  if (found === undefined || found.cycle === null)
    throw usage(`There is no switch ${wanted}.`, '`git handoff status` lists them.')
  return found as SwitchPending
}

/** Lets a process of its own run the switch, in a session of its own, so that it outlives whoever called. */
export async function detachSwitch(
  { place, out: { warnings } }: Invocation,
  { repo, loaded }: RepoWorkspace,
  pending: SwitchPending,
): Promise<Outcome> {
  const argv = [
    join(packageFolder(), 'bin', 'handoff.cjs'),
    '--cwd',
    repo.root,
    'switch',
    '--run',
    pending.requestId,
  ]
  const pid = launch(process.execPath, argv, { cwd: repo.root, env: place.env })
  await step(place, repo, pending, ({ cycle }) => ({ cycle: cycle && { ...cycle, pid } }))
  const isPrinted = pending.via === 'print'
  const instruction = isPrinted ? instructionFor(loaded, pending) : `${pending.requestId}\n`
  return {
    result: { ok: true, ...summaryOf(pending), ...(isPrinted ? { instruction } : {}), warnings },
    text: instruction,
    said: ['It continues in the background. See its state: `git handoff status --follow`'],
  }
}

/**
 * Asks, waits, commits and starts the successor, in this process. If it dies on the way, notes and brief are kept, and `create` or `resume`
 * goes on. Throws what failed; the session that was asked goes on then.
 */
export async function runSwitch(
  invocation: Invocation,
  workspace: RepoWorkspace,
  pending: SwitchPending,
): Promise<Outcome> {
  const { place, out } = invocation
  const { repo, loaded } = workspace
  const { requestId, pane, cycle } = pending
  const to = (change: Change) => step(place, repo, pending, change, loaded.own)
  if (isEnded(pending)) throw requestEnded(requestId, pending.state)
  try {
    out.say('Asking the session to write down what it knows.')
    await askOutgoing(invocation, workspace, pending)
    out.say('Waiting for its document and the end of its turn.')
    const left = Math.max(0, Date.parse(pending.askedAt) + cycle.timeout - place.now().getTime())
    const isGone = async () => pane !== null && (await livePane(place.env, pane)) === null
    await waitForDocument(invocation, workspace, pending, left, isGone)
    out.say('It has answered. Making the brief.')
    const briefId = await commitBrief(invocation, pending)
    await to(({ cycle: now }) => ({ state: 'committed', cycle: now && { ...now, briefId } }))
    // The brief stands now, and whoever cancels is told so.
    const after = { ...workspace, repo: withoutAbort(repo) }
    const brief = await findBrief(after.repo, briefId, repo.root)
    const destination = await findDestination(invocation, after, brief.parsed.meta, cycle.to)
    await to({ state: 'starting' })
    out.say('The brief is committed. Starting the successor.')
    const onStart = async (successor: Cycle['successor'] = null): Promise<void> => {
      if (cycle.endOutgoing) await endOutgoing(invocation, pending)
      await to(({ cycle: now }) => ({ state: 'started', cycle: now && { ...now, successor } }))
    }
    if (cycle.where === 'tmux')
      await onStart(
        await startInWindow(invocation, after, brief, destination, {
          outgoing: pane,
          timeout: cycle.timeout,
        }),
      )
    else {
      const options = { headless: cycle.where === 'headless', timeout: cycle.timeout, onStart }
      const { output } = await startSuccessor(invocation, after, brief, destination, options)
      if (options.headless) out.quote(output)
    }
    const done = (await readPending(repo.commonDir, requestId)) ?? pending
    return {
      result: { ok: true, ...summaryOf(done), warnings: out.warnings },
      text: `${briefId}\n`,
      said: [],
    }
  } catch (error) {
    const isCancelled = place.signal?.aborted === true
    const code = isHandoffError(error) ? error.code : 'E_UNEXPECTED'
    const failure = isCancelled ? null : { code, message: reasonOf(error) }
    const end: Partial<Pending> = { state: isCancelled ? 'cancelled' : 'failed', failure }
    // What failed by itself has written why already.
    await to(({ state }) => (state === 'failed' || state === 'cancelled' ? null : end))
    throw error
  }
}

/**
 * Brings the instruction to the session that is asked: by tmux as soon as it waits for input, by its hook when its turn ends, or printed.
 * Throws what delivering throws, `requestTimeout`.
 */
async function askOutgoing(
  invocation: Invocation,
  workspace: RepoWorkspace,
  pending: SwitchPending,
): Promise<void> {
  const { place, out } = invocation
  const { repo, loaded } = workspace
  const { requestId, sessionId, via, pane, cycle } = pending
  const adapter = adapterById(pending.agent)
  if (adapter === null || sessionId === null) throw nobodyToAsk(labelOf(pending.agent))
  const text = instructionFor(loaded, pending)
  if (via === 'hook') await deliver(invocation, workspace, adapter, pending, text)
  const end = Date.parse(pending.askedAt) + cycle.timeout
  while (via === 'hook' || !(await isFree(invocation, repo, { adapter, sessionId }, pane))) {
    const now = await readPending(repo.commonDir, requestId)
    if (now === null || now.state !== 'asked') return
    if (place.now().getTime() > end)
      throw requestTimeout(Math.round(cycle.timeout / 1000), 'the turn that is under way did not end')
    place.signal?.throwIfAborted()
    await sleep(LOOK, undefined, { signal: place.signal }).catch(() => undefined)
  }
  await deliver(invocation, workspace, adapter, pending, text)
  if (via !== 'print') return
  out.say('Paste this into the session that is to be handed over:\n')
  out.quote(text)
}

/** Makes the brief of the session that was asked, strictly and with its notes, and commits it; its id. Throws what `create` throws, `notCommitted`. */
async function commitBrief(
  invocation: Invocation,
  { sessionId, reason, cycle: { goal, persona, skills, allowVague } }: SwitchPending,
): Promise<string> {
  const { out } = invocation
  const request = readRequest(goal, {
    ...{ session: sessionId ?? undefined, reason, persona: persona ?? undefined, skill: [...skills] },
    ...{ mode: 'strict', allowVague, edit: false, requireNotes: true },
    // They were asked for, however long the person has taken since.
    includeStaleNotes: true,
  })
  // What git knows has changed since the request, so the repository is opened again.
  const unasked = { ...invocation, out: { ...out, interactive: false } }
  const { result: made, said } = await createBrief(unasked, request)
  for (const line of said) out.say(line)
  if (made.parked === null) return made.id
  throw notCommitted(
    made.path,
    `a git operation is in progress or another branch is checked out, so it is parked under ${made.parked}`,
  )
}

/** Ms in which an agent may end by itself: its last hooks take up to 3 s. */
const GRACE = 15_000

/** Ends the session that was asked as a person would, and closes its pane when it does not end. A shell that it was started from stays. Throws `tmuxUnusable`. */
async function endOutgoing({ place, out }: Invocation, { pane, agent }: SwitchPending): Promise<void> {
  const { exitLine } = adapterById(agent)?.launch ?? {}
  if (pane === null || exitLine === undefined || (await isOver(place.env, pane))) return
  await typeLine(place.env, pane, exitLine)
  for (const end = performance.now() + GRACE; performance.now() < end; await sleep(LOOK))
    if (await isOver(place.env, pane)) return
  out.warn(`${exitLine} did not end it, so its pane ${pane} was closed`)
  await closePane(place.env, pane)
}

/** Ms in which a successor that has all its prompts should tell of itself. */
const SIGN = 30_000
/** Ms for the composer to come back after the end of a turn. */
const COMPOSER = 5000

/**
 * Starts the successor in a window of its own, with the first of its prompts: each line of persona and skills by itself, then the pointer.
 * Each other one is sent only when the hooks of that very session have told the end of the turn before. Throws what `promptFor` throws,
 * `agentNotStarted`, `successorSilent`, `tmuxUnusable`; then nothing more is sent.
 */
export async function startInWindow(
  { place, out }: Invocation,
  workspace: RepoWorkspace,
  brief: CurrentBrief,
  destination: Destination,
  { outgoing, timeout }: { outgoing: string | null; timeout: number },
): Promise<NonNullable<Cycle['successor']>> {
  const { repo } = workspace
  const { env, signal } = place
  const { adapter, cwd, start } = destination
  const { launch, label, id: agent } = adapter
  const pointer = await promptFor(workspace, brief, { ...destination, start: [] }, place.now())
  const manual = manualCommand(repo, brief, destination)
  const there = await openRepo(cwd, { env })
  const ours = async (): Promise<LiveSession[]> =>
    (await listLive(there.commonDir)).filter((one) => one.agent === agent && one.root === there.root)
  const known = new Set((await ours()).map(({ sessionId }) => sessionId))
  // Its own hook then offers the brief to nobody else, and to it no second time.
  const by = { id: brief.id, agent, root: cwd }
  const held = { ...by, at: place.now().toISOString(), sessionId: null, isActing: true }
  await recordPickUp(repo.commonDir, held).catch(() => undefined)
  let pane: string | null = null
  let session: LiveSession | undefined
  try {
    const [first = pointer, ...later] = [...start, pointer]
    const { args, stdin } = launch.interactive(first)
    let sentAt = place.now().toISOString()
    pane = await open(args)
    // One that takes its prompt on standard input gets it like the others.
    const rest = stdin === undefined ? later : [first, ...later]
    let isSilent = stdin !== undefined
    for (const [at, text] of rest.entries()) {
      await hear(isSilent ? SIGN : timeout, ({ event }) => isSilent || event === 'stop', sentAt, isSilent)
      isSilent = false
      await waitForComposer()
      sentAt = place.now().toISOString()
      if (at === rest.length - 1) await pasteText(env, pane, text.trim())
      else await typeLine(env, pane, text)
    }
    if (rest.length === 0) await hear(SIGN, () => true, sentAt, true)
  } catch (error) {
    await endStarted(repo.commonDir, by).catch(() => undefined)
    throw error
  }
  out.say('New session started with handoff context')
  return { agent, pane, sessionId: session?.sessionId ?? null }

  async function open(args: readonly string[]): Promise<string> {
    const panes = await listPanes(env)
    const near = [outgoing, env.TMUX_PANE].map((id) => panes.find((one) => one.id === id))
    const given = await serverEnv(env)
    const own = personEnv(given)
    return openWindow(env, {
      ...{ name: `handoff-${brief.id.slice(-8)}`, cwd, program: launch.program, args },
      after: near.find((one) => one !== undefined)?.windowId ?? null,
      path: env.PATH ?? '',
      unset: Object.keys(given).filter((name) => !Object.hasOwn(own, name)),
    })
  }

  /** Waits until the new session has told of an event since `sentAt` that is right. One that may be silent is warned of, and gone on with. */
  async function hear(
    ms: number,
    isRight: (session: LiveSession) => boolean,
    sentAt: string,
    maySilent: boolean,
  ): Promise<void> {
    for (const end = performance.now() + ms; performance.now() < end; ) {
      signal?.throwIfAborted()
      session = (await ours()).find(({ sessionId }) =>
        session === undefined ? !known.has(sessionId) : sessionId === session.sessionId,
      )
      if (session !== undefined && session.at > sentAt && isRight(session)) return
      // A pane that is gone, or shows a shell again, has no agent to send anything to.
      if (await isOver(env, pane)) throw agentNotStarted(label, 'it has ended', manual)
      await sleep(LOOK, undefined, { signal }).catch(() => undefined)
    }
    if (!maySilent) {
      const what = session === undefined ? 'its hooks told of no session' : 'its turn did not end in time'
      throw successorSilent(label, what, manual)
    }
    out.warn(`${label} runs, but its hooks reported nothing; \`git handoff init\` sets them up`)
  }

  async function waitForComposer(): Promise<void> {
    for (const end = performance.now() + COMPOSER; performance.now() < end; await sleep(LOOK))
      if (launch.ready.test(await readScreen(env, pane ?? ''))) return
  }
}
