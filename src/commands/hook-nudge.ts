import { addNudge } from '../store/nudges.ts'
import type { Adapter, Fullness, HookCall } from '../types.ts'

/** The nudge as one line for the person, or null: below the threshold, not known, or told before. */
export async function nudgeFor(
  commonDir: string,
  input: { adapter: Adapter; call: HookCall; fullness: Fullness | null; at: string; threshold: number },
): Promise<string | null> {
  const { adapter, call, fullness, at, threshold } = input
  if (fullness === null || call.sessionId === null) return null
  const pct = Math.floor((100 * fullness.tokens) / fullness.window)
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
  const command = launch?.handoffLine ?? launch?.skillLine('handoff') ?? 'npx git-handoff create'
  return `handoff: the context of this session is ${pct} % full. To hand the work over, type: ${command} <what the next session must achieve>`
}
