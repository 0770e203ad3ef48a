import { setTimeout as sleep } from 'node:timers/promises'
import type { CurrentBrief } from '../briefs/current.ts'
import type { Invocation } from '../command.ts'
import { agentNotStarted, successorSilent } from '../errors/cycle.ts'
import { openRepo } from '../git/open-repo.ts'
import { personEnv } from '../start/agent-env.ts'
import type { Destination } from '../start/destination.ts'
import { manualCommand, promptFor } from '../start/start-successor.ts'
import { listPanes, openWindow, pasteText, readScreen, serverEnv, typeLine } from '../start/tmux.ts'
import { endStarted, recordPickUp } from '../store/journal.ts'
import { type LiveSession, listLive } from '../store/live.ts'
import type { Cycle } from '../store/pending.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'
import { isOver } from './request-target.ts'

/** Ms between two looks. */
const LOOK = 200
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
    out.warn(`${label} runs, and its hooks have told nothing of it; \`git handoff init\` sets them up`)
  }

  async function waitForComposer(): Promise<void> {
    for (const end = performance.now() + COMPOSER; performance.now() < end; await sleep(LOOK))
      if (launch.ready.test(await readScreen(env, pane ?? ''))) return
  }
}
