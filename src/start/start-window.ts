import { setTimeout as sleep } from 'node:timers/promises'
import type { Invocation } from '../command.ts'
import { agentNotStarted } from '../errors/cycle.ts'
import { openRepo } from '../git/open-repo.ts'
import { listLive } from '../store/live.ts'
import { personEnv } from './agent-env.ts'
import type { Destination } from './destination.ts'
import { isOver, listPanes, openWindow, pasteText, readScreen, serverEnv } from './tmux.ts'

/** Ms between two looks. */
const LOOK = 200
/** Ms in which an agent should show its composer, and its hooks tell of its session. */
const SIGN = 30_000

interface Opening {
  prompt: string
  /** The same by hand. */
  manual: string
  /** Panes beside which the window opens, the best first. */
  near: readonly (string | null)[]
  name: string
}

/**
 * Starts an agent in a window of tmux and waits until its hooks tell of its session; one that runs and tells nothing is warned of. Throws
 * `agentNotStarted`, `tmuxUnusable`.
 */
export async function openInWindow(
  { place, out }: Invocation,
  { adapter, cwd }: Destination,
  { prompt, manual, near, name }: Opening,
): Promise<{ pane: string; sessionId: string | null }> {
  const { env, signal } = place
  const { launch, label, id: agent } = adapter
  const { commonDir, root } = await openRepo(cwd, { env })
  const ours = async () =>
    (await listLive(commonDir)).filter((one) => one.agent === agent && one.root === root)
  const known = new Set((await ours()).map(({ sessionId }) => sessionId))
  const panes = await listPanes(env)
  const after = near.map((id) => panes.find((one) => one.id === id)).find((one) => one !== undefined)
  const given = await serverEnv(env)
  const own = personEnv(given)
  const { args, stdin } = launch.interactive(prompt)
  const pane = await openWindow(env, {
    ...{ name, cwd, program: launch.program, args, path: env.PATH ?? '', after: after?.windowId ?? null },
    unset: Object.keys(given).filter((one) => !Object.hasOwn(own, one)),
  })
  const until = async <T>(look: () => Promise<T | undefined>): Promise<T | undefined> => {
    for (const end = performance.now() + SIGN; performance.now() < end; ) {
      signal?.throwIfAborted()
      const found = await look()
      if (found !== undefined) return found
      // A pane that is gone, or shows a shell again, has no agent in it.
      if (await isOver(env, pane)) throw agentNotStarted(label, 'it has ended', manual)
      await sleep(LOOK, undefined, { signal }).catch(() => undefined)
    }
    return undefined
  }
  if (stdin !== undefined) {
    // One that takes its prompt on standard input gets it as a paste.
    await until(async () => launch.ready.test(await readScreen(env, pane)) || undefined)
    await pasteText(env, pane, stdin)
  }
  const session = await until(async () => (await ours()).find(({ sessionId }) => !known.has(sessionId)))
  if (session === undefined)
    out.warn(`${label} runs, but its hooks reported nothing; \`git handoff init\` sets them up`)
  return { pane, sessionId: session?.sessionId ?? null }
}
