import { OTHER_NAME } from '../agents/setup.ts'
import { addNudge } from '../store/nudges.ts'
import type { Adapter, Fullness, HookCall } from '../types/agent.ts'

/** Of what the context may hold until the client compacts it. */
export const percentFull = ({ tokens, window, compactsAt }: Fullness): number =>
  Math.min(100, Math.floor((100 * tokens) / (compactsAt ?? window)))

/** The nudge as one line for the person, or null: below the threshold, not known, or told before. */
export async function nudgeFor(
  commonDir: string,
  input: {
    adapter: Adapter
    call: HookCall
    fullness: Fullness | null
    at: string
    threshold: number
    /** The name of ours is taken here. */
    isRenamed: boolean
  },
): Promise<string | null> {
  const { adapter, call, fullness, at, threshold, isRenamed } = input
  if (fullness === null || call.sessionId === null) return null
  const pct = percentFull(fullness)
  if (pct < threshold) return null
  const isNew = await addNudge(commonDir, {
    kind: 'handoff-prompt',
    schemaVersion: 1,
    sessionId: call.sessionId,
    agent: adapter.id,
    thresholdPct: threshold,
    pct,
    at,
  })
  if (!isNew) return null
  const { launch } = adapter
  const command =
    launch?.handoffLine ?? launch?.skillLine(isRenamed ? OTHER_NAME : 'handoff') ?? 'git handoff create'
  const until = fullness.compactsAt === undefined ? '' : ` (${adapter.label} compacts it at 100 %)`
  return `handoff: the context of this session is ${pct} % full${until}. To hand the work over, type: ${command} <what the next session must achieve>`
}
