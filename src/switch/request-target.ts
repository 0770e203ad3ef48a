import { adapterById, labelOf } from '../agents/table.ts'
import type { Invocation } from '../command.ts'
import { noPane, paneGone, sessionEnded } from '../errors/cycle.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { nobodyToAsk } from '../errors/session.ts'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { isShell, listPanes, type Pane, readScreen } from '../start/tmux.ts'
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
  const target = await findTarget(repo, wanted)
  const { adapter } = target
  if (via === 'hook' && adapter.hooks?.goOn === undefined)
    throw usage(`${adapter.label} cannot be asked by a hook.`, 'Use --via tmux or --via print.')
  if (via === 'hook' || via === 'print') return { target, via, pane: null }
  const pane = await findPane(invocation, repo, adapter, wanted.pane)
  if (pane === null && via === 'tmux') throw noPane(`no pane here shows ${adapter.label}`, [])
  return { target, via: pane === null ? 'print' : 'tmux', pane: pane?.id ?? null }
}

/**
 * The running session of this worktree that was named by id or prefix, else the one that told of itself last. Without its hooks the end of its turn
 * would never be heard. Throws `nobodyToAsk`, `sessionEnded`.
 */
async function findTarget({ commonDir, root }: Repo, { session, from }: Wanted): Promise<Target> {
  const told = (await listLive(commonDir)).filter(
    (one) =>
      one.root === root &&
      (from === undefined || one.agent === from) &&
      (session === undefined || one.sessionId.startsWith(session)),
  )
  const live = told.find(({ endedAt }) => endedAt === null) ?? (session === undefined ? undefined : told[0])
  const adapter = live === undefined ? null : adapterById(live.agent)
  if (live === undefined || adapter === null) throw nobodyToAsk(session ?? null, from ? labelOf(from) : null)
  if (live.endedAt !== null) throw sessionEnded(adapter.label, live.sessionId, live.endedAt)
  return { adapter, sessionId: live.sessionId }
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
