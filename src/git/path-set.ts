import type { PathSet } from '../types/git.ts'

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

const SLASH = 0x2f
const DOT = 0x2e

/** Finds `namedLike` of a `PathSet`. The table is read once, at the first call. */
export function openNames(table: PathTable): (name: string) => string[] {
  let chains: Chains | undefined
  return (name) => {
    chains ??= chain(hashesOf(table))
    const { first, next } = chains
    const stem = stemOf(name)
    const found = new Set<string>()
    const hash = hashesOf(tableOf([name]))[0] ?? 0
    for (let one = first[hash & (first.length - 1)] ?? 0; one !== 0; one = next[one - 1] ?? 0) {
      const path = pathAt(table, one - 1)
      if (stemOf(path) === stem) found.add(path)
    }
    return [...found].reverse()
  }
}

/** By hash the number of the last path with it, and by path the one before; each is one more, so that 0 is none. */
interface Chains {
  first: Uint32Array
  next: Uint32Array
}

function chain(hashes: Uint32Array): Chains {
  const first = new Uint32Array(2 ** Math.ceil(Math.log2(hashes.length + 1)))
  const next = new Uint32Array(hashes.length)
  const mask = first.length - 1
  for (let number = 0; number < hashes.length; number++) {
    const at = (hashes[number] ?? 0) & mask
    next[number] = first[at] ?? 0
    first[at] = number + 1
  }
  return { first, next }
}

/** The last part of a path without its ending, in small letters; of a name that begins with its only dot, nothing. */
function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return (dot === -1 ? name : name.slice(0, dot)).toLowerCase()
}

/**
 * Of each path a hash of its last part without the ending, from the end to the slash, letters small as `| 0x20` makes them. What is not ASCII
 * may be smaller in more ways than one and is left out. One loop without calls: it runs once, over megabytes, and is compiled on the way.
 */
function hashesOf({ content, starts, ends }: PathTable): Uint32Array {
  const hashes = new Uint32Array(starts.length)
  for (let number = 0; number < starts.length; number++) {
    const start = starts[number] ?? 0
    let hash = 0
    let hasEnding = false
    for (let at = (ends[number] ?? 0) - 1; at >= start; at--) {
      const byte = content[at] ?? 0
      if (byte === SLASH) break
      if (byte === DOT && !hasEnding) {
        hasEnding = true
        hash = 0
      } else if (byte < 0x80) hash = (Math.imul(hash, 31) + (byte | 0x20)) | 0
    }
    hashes[number] = hash ^ (hash >>> 15)
  }
  return hashes
}

/** Paths as a listing of git holds them: UTF-8, sorted by its bytes, each from its start up to its end in `content`. */
export interface PathTable {
  content: Buffer
  starts: Uint32Array
  ends: Uint32Array
}

/** Paths with a zero behind each, as git prints them with `-z`; one in conflict may stand there more than once. */
export function tableOfListing(content: Buffer): PathTable {
  const ends: number[] = []
  for (let end = content.indexOf(0); end !== -1; end = content.indexOf(0, end + 1)) ends.push(end)
  const starts = Uint32Array.from(ends, (_, at) => (at === 0 ? 0 : (ends[at - 1] ?? 0) + 1))
  return { content, starts, ends: Uint32Array.from(ends) }
}

/** Paths in any order. */
export function tableOf(paths: Iterable<string>): PathTable {
  const sorted = [...new Set(paths)].map((path) => Buffer.from(`${path}\0`)).sort(Buffer.compare)
  return tableOfListing(Buffer.concat(sorted))
}

/** The number of the first path that is not before `path`; how many there are, when none is. */
export function firstFrom({ content, starts, ends }: PathTable, path: Buffer): number {
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (content.compare(path, 0, path.length, starts[middle], ends[middle]) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** The path of this number begins with these bytes. */
export function isPrefix(start: Buffer, { content, starts, ends }: PathTable, number: number): boolean {
  const from = starts[number]
  if (from === undefined) return false
  const to = Math.min(from + start.length, ends[number] ?? 0)
  return content.compare(start, 0, start.length, from, to) === 0
}

/** Exactly one of the paths. */
export const holds = (table: PathTable, path: Buffer): boolean => {
  const number = firstFrom(table, path)
  const length = (table.ends[number] ?? 0) - (table.starts[number] ?? 0)
  return length === path.length && isPrefix(path, table, number)
}

/** The path of this number, as text. */
export const pathAt = ({ content, starts, ends }: PathTable, number: number): string =>
  content.toString('utf8', starts[number], ends[number])
