import { type PathTable, pathAt, tableOf } from './path-table.ts'

const SLASH = 0x2f
const DOT = 0x2e

/** Finds `namedLike` of a `PathSet`. The table is read once, at the first call. */
export function openNames(table: PathTable): (name: string) => string[] {
  let first: Uint32Array | undefined
  const next = new Uint32Array(table.starts.length)
  // The number of a path is one more here, so that 0 ends a chain.
  const chain = () => {
    const heads = new Uint32Array(2 ** Math.ceil(Math.log2(next.length + 1)))
    const hashes = hashesOf(table)
    for (let number = 0; number < hashes.length; number++) {
      const at = (hashes[number] ?? 0) & (heads.length - 1)
      next[number] = heads[at] ?? 0
      heads[at] = number + 1
    }
    return heads
  }
  return (name) => {
    first ??= chain()
    const stem = stemOf(name)
    const found: string[] = []
    const at = (hashesOf(tableOf([name]))[0] ?? 0) & (first.length - 1)
    for (let one = first[at] ?? 0; one !== 0; one = next[one - 1] ?? 0) {
      const path = pathAt(table, one - 1)
      if (stemOf(path) === stem) found.push(path)
    }
    return found.reverse()
  }
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
