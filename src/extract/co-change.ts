import type { GitState } from '../types.ts'
import { byCodeUnit } from './path-text.ts'

/** In so many of the commits that changed `path` a file changed too. */
export interface Tie {
  path: string
  together: number
  changes: number
}

export interface Ties {
  /** In how many commits a file changed, and how often others changed with it. */
  of(path: string): { changes: number; partners: ReadonlyMap<string, number> }
}

/** Counts on demand what the files of earlier commits say, once for each file asked for. */
export function createTies(history: readonly (readonly string[])[]): Ties {
  const known = new Map<string, { changes: number; partners: Map<string, number> }>()
  return {
    of(path) {
      const held = known.get(path)
      if (held) return held
      const fresh = { changes: 0, partners: new Map<string, number>() }
      for (const files of history) {
        if (!files.includes(path)) continue
        fresh.changes++
        for (const other of files)
          if (other !== path) fresh.partners.set(other, (fresh.partners.get(other) ?? 0) + 1)
      }
      known.set(path, fresh)
      return fresh
    },
  }
}

/** Of untouched files tied this closely to one the goal names 5 of 11 were used next, of all tied to it 5 of 18. */
const OFTEN = 3
const CLOSELY = 0.6
/** More would be a guess about a commit, not a hint. */
const MAX_TIED = 2

/** Whether it happened often enough to be said. */
export const isClose = ({ together, changes }: Tie): boolean =>
  together >= OFTEN && together >= CLOSELY * changes

/** The files of the repository that changed together with one of `named` most of the time, the closest two. */
export function tiedFiles(
  ties: Ties,
  named: readonly string[],
  files: GitState['files'],
): { path: string; tie: Tie }[] {
  const found = new Map<string, Tie>()
  for (const name of named) {
    const { changes, partners } = ties.of(name)
    for (const [path, together] of partners) {
      const tie = { path: name, together, changes }
      if (!isClose(tie) || !files.has(path) || named.includes(path)) continue
      const held = found.get(path)
      if (held === undefined || closer(tie, held) < 0) found.set(path, tie)
    }
  }
  return [...found]
    .map(([path, tie]) => ({ path, tie }))
    .sort((a, b) => closer(a.tie, b.tie) || byCodeUnit(a.path, b.path))
    .slice(0, MAX_TIED)
}

/** By the share of commits, then by their number; negative when `a` is closer. */
export const closer = (a: Tie, b: Tie): number =>
  b.together / b.changes - a.together / a.changes || b.together - a.together
