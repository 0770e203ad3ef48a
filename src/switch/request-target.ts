import { findSessions } from '../agents/find.ts'
import { adapterById, labelOf } from '../agents/table.ts'
import type { Invocation } from '../command.ts'
import { noPane, paneGone } from '../errors/cycle.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { nobodyToAsk, sessionUnknown } from '../errors/session.ts'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { listWorktrees } from '../git/refs.ts'
import { candidatesOf } from '../session/session-list.ts'
import { openHere } from '../session/session-place.ts'
import { listPanes, livePane, type Pane, readScreen } from '../start/tmux.ts'
import { listLive, readLive } from '../store/live.ts'
import type { Pending } from '../store/pending.ts'
import type { Adapter } from '../types/agent.ts'
import type { AgentId } from '../types/session.ts'

/** The running session that is asked. */
export interface Target {
  adapter: Adapter
  sessionId: string
}

/** How an agent can be asked. */
export const WAYS = ['tmux', 'hook', 'print'] as const

/** Whom to ask and how, as it was asked for. */
export interface Wanted {
  session?: string | undefined
  from?: AgentId | undefined
  via?: (typeof WAYS)[number]
  pane?: string | undefined
}

/** Whom to ask and how. */
export interface Way {
  target: Target
  via: Pending['via']
  pane: string | null
}

/** Throws what finding the session and the pane throws, `usage`. */
export async function chooseWay(
  invocation: Pick<Invocation, 'place'>,
  repo: Repo,
  wanted: Wanted,
): Promise<Way> {
  const { via } = wanted
  const target = await findTarget(invocation, repo, wanted)
  const { adapter } = target
  if (via === 'hook' && adapter.hooks?.goOn === undefined)
    throw usage(`${adapter.label} cannot be asked by a hook.`, 'Use --via tmux or --via print.')
  if (via === 'hook' || via === 'print') return { target, via, pane: null }
  const pane = await findPane(invocation, repo, adapter, wanted.pane)
  if (pane === null && via === 'tmux') throw noPane(`no pane here shows ${adapter.label}`, [])
  return { target, via: pane === null ? 'print' : 'tmux', pane: pane?.id ?? null }
}

/**
 * The session named by id or prefix, else the one of this worktree that its hooks told of last and that has not ended, else the newest on disk. Throws
 * `nobodyToAsk`, `sessionUnknown`.
 */
async function findTarget({ place }: Pick<Invocation, 'place'>, repo: Repo, wanted: Wanted): Promise<Target> {
  const isWanted = (agent: string, id: string): boolean =>
    (wanted.from === undefined || agent === wanted.from) &&
    (wanted.session === undefined || id.startsWith(wanted.session))
  const live = (await listLive(repo.commonDir)).filter(
    ({ agent, sessionId, root }) => root === repo.root && isWanted(agent, sessionId),
  )
  const running =
    live.find(({ endedAt }) => endedAt === null) ?? (wanted.session === undefined ? undefined : live[0])
  if (running !== undefined) {
    const adapter = adapterById(running.agent)
    if (adapter !== null) return { adapter, sessionId: running.sessionId }
  }
  const here = openHere({ repo, roots: await listWorktrees(repo) })
  const found = (await findSessions(place, [repo.root], wanted.from)).filter(here.isHome)
  const ref = found.find(({ agent, id }) => isWanted(agent, id))
  const adapter = ref === undefined ? null : adapterById(ref.agent)
  if (ref !== undefined && adapter !== null) return { adapter, sessionId: ref.id }
  if (wanted.session !== undefined)
    throw sessionUnknown(wanted.session, await candidatesOf(place, found, here))
  throw nobodyToAsk(wanted.from === undefined ? 'this repository' : labelOf(wanted.from))
}

/** Programs that run what is pasted into them. */
const SHELLS = /^-?(?:ba|z|fi|da|k|tc|c|a)?sh$|^-?(?:nu|xonsh|pwsh|elvish)$/
export const isShell = (command: string): boolean => SHELLS.test(command)

/** A pane that is gone, or shows a shell again: no agent is in it. Throws `tmuxUnusable`. */
export async function isOver(env: Invocation['place']['env'], pane: string | null): Promise<boolean> {
  const live = await livePane(env, pane)
  return live === null || isShell(live.command)
}

/**
 * The pane in which an agent waits: the one named, else the only one in this worktree with the agent's program, or Node for those that
 * are scripts, in front. Null when nobody named one and none fits. Throws `noPane`, `paneGone`, `tmuxUnusable`.
 */
export async function findPane(
  { place }: Pick<Invocation, 'place'>,
  repo: Repo,
  adapter: Adapter,
  wanted: string | undefined,
): Promise<Pane | null> {
  // Whoever named no pane need not have tmux.
  const panes = await listPanes(place.env).catch((error: unknown) => {
    if (wanted === undefined && isHandoffError(error)) return []
    throw error
  })
  if (wanted !== undefined) {
    const pane = panes.find(({ id }) => id === wanted)
    if (pane === undefined || pane.dead) throw paneGone(wanted)
    if (isShell(pane.command))
      throw noPane(`${wanted} shows a shell (${pane.command}), which would run what is pasted`, [])
    return pane
  }
  const program = adapter.launch?.program
  const here = panes.filter(({ dead, cwd, id }) => !dead && cwd === repo.root && id !== place.env.TMUX_PANE)
  const sure = here.filter(({ command }) => command === program)
  const likely =
    sure.length > 0 ? sure : here.filter(({ command }) => command === 'node' || command === 'bun')
  if (likely.length > 1)
    throw noPane(
      `several panes may be ${adapter.label}`,
      likely.map(({ id, command }) => `${id} ${command}`),
    )
  return likely[0] ?? null
}

/**
 * Nothing is under way in it, as far as its hooks tell. In the middle of a turn it may ask for a permission, and the key after the paste would answer
 * that; so then only what stands on its screen when it takes input counts, as after an interrupt, which no hook tells. Throws `tmuxUnusable`.
 */
export async function isFree(
  { place }: Pick<Invocation, 'place'>,
  { commonDir }: Pick<Repo, 'commonDir'>,
  { adapter, sessionId }: Target,
  pane: string | null,
): Promise<boolean> {
  if (pane === null) return true
  const live = await readLive(commonDir, adapter.id, sessionId)
  if (live?.event !== 'prompt') return true
  const { ready, busy } = adapter.launch ?? {}
  if (ready === undefined || busy === undefined) return false
  const screen = await readScreen(place.env, pane)
  return ready.test(screen) && !busy.test(screen)
}
