import { type PathTable, pathAt, tableOf } from './path-table.ts'

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
