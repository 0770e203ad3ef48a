import type { PathSet } from '../types/git.ts'

/** Paths as git lists them; one in conflict may be there more than once. */
export function openPaths(paths: Iterable<string>): PathSet {
  const all = new Set(paths)
  let folders: Set<string> | undefined
  let byStem: Map<string, string[]> | undefined
  return {
    has: (path) => all.has(path),
    hasFolder(path) {
      folders ??= foldersOf(all)
      return folders.has(path)
    },
    namedLike(name) {
      byStem ??= groupByStem(all)
      return byStem.get(stemOf(name)) ?? []
    },
    [Symbol.iterator]: () => all.values(),
  }
}

function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>()
  for (const path of paths)
    for (let end = path.lastIndexOf('/'); end !== -1; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end)
      // Those around it are known then.
      if (folders.has(folder)) break
      folders.add(folder)
      if (end === 0) break
    }
  return folders
}

function groupByStem(paths: Iterable<string>): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const path of paths) {
    const stem = stemOf(path)
    const group = groups.get(stem)
    if (group === undefined) groups.set(stem, [path])
    else group.push(path)
  }
  return groups
}

/** The last part of a path without its ending, in small letters; of a name that begins with its only dot, nothing. */
function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return (dot === -1 ? name : name.slice(0, dot)).toLowerCase()
}
