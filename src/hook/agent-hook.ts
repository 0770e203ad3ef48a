import { statSync } from 'node:fs'
import { hasOtherName } from '../agents/setup.ts'
import { adapters } from '../agents/table.ts'
import { readsBrief } from '../agents/tools.ts'
import type { CommandModule, Invocation } from '../command.ts'
import { defaultConfig } from '../config/keys.ts'
import { type LoadedConfig, loadConfig } from '../config/load.ts'
import { isHandoffError, orNull } from '../errors/handoff-error.ts'
import { forOneAnswer, openRepo, type Repo } from '../git/open-repo.ts'
import { endPickUps, noteFailure, readPickUp, recordPickUp } from '../store/journal.ts'
import { closeNudges, forgetLive, type LiveSession, readLive, writeLive } from '../store/live.ts'
import { changePending, listPending } from '../store/pending.ts'
import { isOff } from '../store/private.ts'
import { instructionFor } from '../switch/requests.ts'
import type { Adapter, HookCall, HookDialect, HookEvent } from '../types/agent.ts'
import type { Place } from '../types/config.ts'
import { type Context, contextFor, isOld, nudgeFor } from './hook-context.ts'

/** Every event of agents, once: help and set-up walk this list. */
export const HOOK_EVENTS: readonly HookEvent[] = [
  'session-start',
  'prompt',
  'stop',
  'pre-compact',
  'session-end',
  'interrupt',
]

/** Sessions that said nothing for so long are forgotten, in ms: a fortnight. */
const KEPT_MS = 14 * 86_400_000

export const run: CommandModule['run'] = async (invocation, args, options) => {
  if (invocation.place.env.HANDOFF === '0') return 0
  const event = HOOK_EVENTS.find((name) => name === args[0])
  const adapter = adapters.find(({ id, hooks }) => id === options.agent && hooks !== undefined)
  if (event === undefined || adapter?.hooks === undefined) {
    const what = event === undefined ? `event ${wordOf(args[0])}` : `agent ${wordOf(options.agent)}`
    const { out } = invocation
    out.warn(`git handoff hook knows no ${what}; see \`git handoff hook --help\``)
    // The answer of a hook is for its agent; this one is for whoever tries.
    if (out.json) out.object({ ok: true, warnings: out.warnings })
    return 0
  }
  const call = adapter.hooks.read(parsePayload(await invocation.readStdin()))
  const { place } = invocation
  const opened = await openRepo(call.cwd ?? place.root, {
    env: place.env,
    ...(place.signal && { signal: place.signal }),
  }).catch((error: unknown) => {
    // Outside a repository there is nothing to do.
    if (isHandoffError(error)) return null
    throw error
  })
  if (opened === null || isOff(opened.commonDir)) return 0
  const repo = forOneAnswer(opened)
  try {
    invocation.out.raw(await answer(invocation, repo, adapter, adapter.hooks, event, call))
  } catch (error) {
    await noteFailure(invocation, repo, [adapter.id, event], error)
  }
  return 0
}

/** What may be a name is told again; anything else may be a key. */
const wordOf = (value: unknown): string =>
  typeof value === 'string' && /^[a-z-]{1,24}$/.test(value) ? value : 'of that name'

/** What is to be printed. The parts do not depend on each other: where nothing can be written, there is still something to tell. */
async function answer(
  invocation: Invocation,
  repo: Repo,
  adapter: Adapter,
  hooks: HookDialect,
  event: HookEvent,
  call: HookCall,
): Promise<string> {
  const { place } = invocation
  const tried = <T>(work: () => Promise<T>): Promise<T | null> =>
    work().catch((error: unknown) => noteFailure(invocation, repo, [adapter.id, event], error))
  // Settings that cannot be read are told by every command; here they are no reason to lose a brief or the end of a turn.
  const loaded = await tried(() => loadConfig(place, { root: repo.root, flags: {} }))
  const { config } = loaded ?? { config: defaultConfig() }
  repo.trunks = config.trunk
  const at = place.now().toISOString()
  const before = call.sessionId === null ? null : await readLive(repo.commonDir, adapter.id, call.sessionId)
  const isHeard = hooks.isHeard?.(event, call) ?? true
  // Where the start could not be answered, the first prompt is; some agents never tell their start.
  const isFirst =
    before === null
      ? hooks.isHeard?.('session-start', call) === false && hooks.startsAttended !== true
      : before.injected === null
  const isDue = event === 'session-start' ? isHeard : event === 'prompt' && isFirst
  const context = isDue ? await tried(() => contextFor(invocation, repo, config, adapter, call)) : null
  // Some agents name their file only at some events: what was known last counts as well.
  const fullness =
    call.fullness ??
    (await tried(() => fullnessOf(invocation, adapter, event, call))) ??
    before?.fullness ??
    null
  const isLater = event === 'session-start' && !isHeard && !isOld(call)
  const injected = isLater ? null : (context?.id ?? before?.injected ?? '')
  await tried(() => save(place, repo, adapter, call, { event, at, before, fullness, injected, context }))
  const instruction = await tried(() => pendingSignal(place, repo, adapter, event, call, loaded))
  if (instruction !== null && hooks.goOn !== undefined) return hooks.goOn(instruction)
  // Last: a nudge that is on record is never told again, so it is not spent on an answer that is thrown away.
  const { threshold } = config.nudge
  const isRenamed = hasOtherName(adapter, { ...place, root: repo.root })
  const notice =
    (event === 'prompt' || event === 'stop') && isHeard
      ? await tried(() => nudgeFor(repo.commonDir, { adapter, call, fullness, at, threshold, isRenamed }))
      : null
  return hooks.answer(event, { context: context?.text || null, notice })
}

/** Keeps the state of the session, and who picked up what. Throws `writeFailed`. */
async function save(
  place: Place,
  { commonDir, root }: Repo,
  adapter: Adapter,
  call: HookCall,
  seen: Pick<LiveSession, 'event' | 'at' | 'fullness' | 'injected'> & {
    before: LiveSession | null
    context: Context | null
  },
): Promise<void> {
  const { sessionId, path } = call
  if (sessionId === null) return
  const { event, at, before, fullness, injected, context } = seen
  const agent = adapter.id
  await writeLive(commonDir, {
    schemaVersion: 1,
    agent,
    sessionId,
    path: path ?? before?.path ?? null,
    root,
    event,
    at,
    endedAt: event === 'session-end' ? at : null,
    fullness,
    injected,
  })
  if (event === 'session-end') {
    await closeNudges(commonDir, (nudge) => nudge.sessionId === sessionId)
    await endPickUps(commonDir, sessionId)
    await forgetLive(commonDir, new Date(Date.parse(at) - KEPT_MS).toISOString())
  }
  if (injected === null || injected === '') return
  const known = await readPickUp(commonDir, injected, Date.parse(at))
  if (known?.isActing === true && known.sessionId === sessionId) return
  const isActing =
    context?.isGiven === true || (event === 'stop' && (await hasReadBrief(adapter, call, place)))
  if (isActing || (context !== null && !context.isUntold))
    await recordPickUp(commonDir, { id: injected, at, agent, sessionId, root, isActing })
}

/** Bytes of a transcript that a hook looks through: a session that acts on a brief reads it early. */
const MOST_READ = 1024 * 1024

/** The agent says, or the transcript shows, that the session looked into a brief. */
async function hasReadBrief(
  adapter: Adapter,
  { sessionId, path, cwd, hasRead }: HookCall,
  place: Place,
): Promise<boolean> {
  if (hasRead) return true
  const bytes = path === null ? 0 : (orNull(() => statSync(path))?.size ?? 0)
  if (path === null || sessionId === null || bytes === 0 || bytes > MOST_READ) return false
  const ref = { agent: adapter.id, id: sessionId, path, cwd, startedAt: null, updatedAt: '', bytes }
  for await (const batch of adapter.read(ref, { place, onSkip: () => undefined, signal: place.signal }))
    if (batch.some((event) => event.kind === 'call' && readsBrief(event))) return true
  return false
}

/** Only the events that can bring a nudge, or end the session, are worth a look at the transcript. */
async function fullnessOf({ place }: Invocation, adapter: Adapter, event: HookEvent, call: HookCall) {
  if (adapter.fullness === undefined || call.path === null || call.sessionId === null) return null
  if (event === 'session-start' || event === 'pre-compact') return null
  return adapter.fullness({ id: call.sessionId, path: call.path }, place)
}

/** Null: called by hand, or by an agent that says nothing. */
const parsePayload = (text: string): unknown => orNull(() => JSON.parse(text) as unknown)

/**
 * What an event means for the open requests to this session: the end of a turn is the signal that is waited for, a new prompt takes it back, since the
 * instruction may have stood behind a turn that was under way. Gives the instruction when it is to be put to the agent now, by this very hook.
 */
export async function pendingSignal(
  place: Pick<Place, 'now'>,
  { commonDir, root }: Repo,
  adapter: Adapter,
  event: HookEvent,
  call: HookCall,
  loaded: LoadedConfig | null,
): Promise<string | null> {
  if (event !== 'stop' && event !== 'prompt') return null
  const mine = (await listPending(commonDir)).filter(
    (pending) =>
      pending.agent === adapter.id &&
      pending.root === root &&
      (pending.sessionId === null || pending.sessionId === call.sessionId),
  )
  for (const pending of mine) {
    if (event === 'prompt') {
      // The words of the prompt are the proof that it came, whoever was killed before writing that down.
      const came = call.text?.includes(pending.requestId) ? ({ state: 'delivered' } as const) : {}
      await changePending(commonDir, pending, () => ({ ...came, stoppedAt: null }))
    } else if (pending.state === 'delivered') {
      const stoppedAt = place.now().toISOString()
      await changePending(commonDir, pending, () => ({ stoppedAt }))
    } else if (pending.via === 'hook' && adapter.hooks?.goOn !== undefined) {
      await changePending(commonDir, pending, () => ({ state: 'delivered', sessionId: call.sessionId }))
      return instructionFor(loaded ?? { templateOf: () => null }, pending)
    }
  }
  return null
}
