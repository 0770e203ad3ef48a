import { setTimeout as sleep } from 'node:timers/promises'
import { adapterById } from '../agents/table.ts'
import { closePane, listPanes, typeLine } from '../start/tmux.ts'
import type { CycleStep } from './cycle-step.ts'
import { step } from './pending-step.ts'
import { isShell } from './request-target.ts'
import type { Invocation } from '../command.ts'

/** Ms in which an agent may end by itself: its last hooks take up to 3 s. */
const GRACE = 15_000
const LOOK = 200

/**
 * Ends the session that was asked as a person would, and closes its pane when it does not end. A shell that it was started from stays. Throws
 * `TmuxError`.
 */
export const endOutgoing: CycleStep = async (invocation, { repo, loaded }, pending) => {
  const { place, out } = invocation
  const { pane } = pending
  const launch = adapterById(pending.agent)?.launch
  if (pane !== null && launch !== undefined && !(await isOver(invocation, pane))) {
    await typeLine(place.env, pane, launch.exitLine)
    const end = performance.now() + GRACE
    while (!(await isOver(invocation, pane))) {
      if (performance.now() > end) {
        out.warn(`${launch.exitLine} did not end it, so its pane ${pane} was closed`)
        await closePane(place.env, pane)
        break
      }
      await sleep(LOOK)
    }
  }
  await step(place, repo, pending, { state: 'starting' }, loaded.own)
}

async function isOver({ place }: Invocation, pane: string): Promise<boolean> {
  const found = (await listPanes(place.env)).find(({ id }) => id === pane)
  return found === undefined || found.dead || isShell(found.command)
}
