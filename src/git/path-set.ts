import type { PathSet } from '../types/git.ts'
import { openNames } from './path-names.ts'
import { firstFrom, holds, isPrefix, type PathTable, pathAt } from './path-table.ts'

/**
 * A table as a set. Of a large repository most paths are never asked for, and a string and a place in a `Set` for each of
 * 100,000 take 80 ms.
 */
export function openPaths(table: PathTable): PathSet {
  const known = new Map<string, boolean>()
  let names: ReadonlySet<string> | undefined
  /** Names that are no UTF-8, by what they are read as: their bytes cannot be looked up. */
  const damaged = () => {
    names ??= new Set([...all(table)].filter(isDamaged))
    return names
  }
  return {
    has(path) {
      const before = known.get(path)
      if (before !== undefined) return before
      const found = isDamaged(path) ? damaged().has(path) : holds(table, Buffer.from(path))
      known.set(path, found)
      return found
    },
    hasFolder(path) {
      const start = `${path}/`
      if (isDamaged(path)) return [...damaged()].some((one) => one.startsWith(start))
      const bytes = Buffer.from(start)
      return isPrefix(bytes, table, firstFrom(table, bytes))
    },
    namedLike: openNames(table),
    [Symbol.iterator]: () => all(table),
  }
}

/** Both; what is in the first is not told twice. */
export const joinPaths = (one: PathSet, more: PathSet): PathSet => ({
  has: (path) => one.has(path) || more.has(path),
  hasFolder: (path) => one.hasFolder(path) || more.hasFolder(path),
  namedLike: (name) => [...one.namedLike(name), ...more.namedLike(name).filter((path) => !one.has(path))],
  *[Symbol.iterator]() {
    yield* one
    for (const path of more) if (!one.has(path)) yield path
  },
})

const isDamaged = (path: string): boolean => path.includes('\ufffd')

/** In a conflict a path stands there up to three times. */
function* all(table: PathTable): Generator<string> {
  let last: string | undefined
  for (let number = 0; number < table.starts.length; number++) {
    const path = pathAt(table, number)
    if (path !== last) yield path
    last = path
  }
}
