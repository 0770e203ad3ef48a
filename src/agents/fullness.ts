import type { Fullness } from '../types/agent.ts'
import { type Fields, numberOf, recordOf } from './fields.ts'
import { atEnd, withFileIfThere } from './session-files.ts'

/** Null where one of the two is no number. `compacts`: the tokens at which the agent compacts. */
export function fullnessOf(
  tokens: unknown,
  window: unknown,
  compacts: (window: number) => number,
): Fullness | null {
  const [used, all] = [numberOf(tokens), numberOf(window)]
  if (used === null || all === null || all <= 0) return null
  const at = compacts(all)
  return { tokens: used, window: all, ...(at > 0 && at < all ? { compactsAt: at } : {}) }
}

/** Bytes read at first, and at most, from the end of a file: what is asked for is among the last few records. */
const LAST = [256 * 1024, 4 * 1024 * 1024] as const

/** What `pick` makes of the last record it wants, read from the end of a file; null when there is none. `mark`: a text in each such line. */
export const lastRecord = <T>(path: string, mark: string, pick: (record: Fields) => T | null): T | null =>
  withFileIfThere(path, (file) =>
    atEnd(file, LAST, (bytes, isAll) => {
      // The first line may have begun before.
      const lines = bytes
        .toString('utf8')
        .split('\n')
        .slice(isAll ? 0 : 1)
      for (const line of lines.reverse()) {
        const found = line.includes(mark) ? pick(recordOf(line)) : null
        if (found !== null) return found
      }
      return null
    }),
  )
