import { describe, it } from 'vitest'

/** The project `nightly` takes all there is, a run before a commit a few of each kind. */
export const isNightly = process.env.HANDOFF_NIGHTLY === '1'

/** So many of the cases, evenly spread over the table, so that a cross product of two lists shows every item of both; by night all. */
export function sampled<T>(cases: readonly T[], count: number): T[] {
  if (isNightly || count >= cases.length) return [...cases]
  return cases.filter(
    (_, at) => Math.floor((at * count) / cases.length) !== Math.floor(((at - 1) * count) / cases.length),
  )
}

/** How often a property is tried: by night in full. */
export const runs = (byDay: number, byNight: number): number => (isNightly ? byNight : byDay)

const skip = () => undefined
const none = Object.assign(() => undefined, { each: () => skip, runIf: () => skip, concurrent: skip })
/** A test for the project `nightly` alone: it takes long, and by day others show most of what it shows. */
export const byNight = (isNightly ? it : none) as typeof it
/** The same for tests that belong together. */
export const describeByNight = (isNightly ? describe : none) as typeof describe
