import type { PathSet } from '../types.ts'
import { openNames } from './path-names.ts'
import { firstFrom, holds, isPrefix, type PathTable, pathAt } from './path-table.ts'

/**
 * Tables as one set. Of a large repository most paths are never asked for, and a string and a place in a `Set` for each of
 * 100,000 take 80 ms.
 */
export function openPaths(...tables: readonly PathTable[]): PathSet {
  const known = new Map<string, boolean>()
  const finders = tables.map(openNames)
  let names: ReadonlySet<string> | undefined
  /** Names that are no UTF-8, by what they are read as: their bytes cannot be looked up. */
  const damaged = () => {
    names ??= new Set([...all(tables)].filter(isDamaged))
    return names
  }
  return {
    has(path) {
      const before = known.get(path)
      if (before !== undefined) return before
      const found = isDamaged(path) ? damaged().has(path) : isIn(tables, path)
      known.set(path, found)
      return found
    },
    hasFolder(path) {
      const start = `${path}/`
      if (isDamaged(path)) return [...damaged()].some((one) => one.startsWith(start))
      const bytes = Buffer.from(start)
      return tables.some((table) => isPrefix(bytes, table, firstFrom(table, bytes)))
    },
    namedLike: (name) => [...new Set(finders.flatMap((find) => find(name)))],
    [Symbol.iterator]: () => all(tables),
  }
}

const isDamaged = (path: string): boolean => path.includes('\ufffd')

const isIn = (tables: readonly PathTable[], path: string): boolean => {
  const bytes = Buffer.from(path)
  return tables.some((table) => holds(table, bytes))
}

function* all(tables: readonly PathTable[]): Generator<string> {
  for (const [number, table] of tables.entries()) {
    const earlier = tables.slice(0, number)
    let last: string | undefined
    for (let at = 0; at < table.starts.length; at++) {
      const path = pathAt(table, at)
      if (path !== last && !isIn(earlier, path)) yield path
      last = path
    }
  }
}
