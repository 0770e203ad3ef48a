/** Looks up files by their folder and by their name; what it needs for that is made when it is asked first. */
export function openPathIndex(paths: Iterable<string>) {
  let folders: Set<string> | undefined
  let byName: Map<string, string[]> | undefined
  return {
    /** Some file lies in this folder, or in one below it. */
    hasFolder(path: string): boolean {
      folders ??= foldersOf(paths)
      return folders.has(path)
    },
    /** Those whose last part is `name`, but for large and small letters. */
    namedLike(name: string): string[] {
      byName ??= groupByName(paths)
      return byName.get(name.toLowerCase()) ?? []
    },
  }
}

function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>()
  for (const path of paths) {
    let end = path.lastIndexOf('/')
    // Those around a known one are known.
    for (; end > 0 && !folders.has(path.slice(0, end)); end = path.lastIndexOf('/', end - 1))
      folders.add(path.slice(0, end))
  }
  return folders
}

function groupByName(paths: Iterable<string>): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
    const group = groups.get(name) ?? []
    group.push(path)
    groups.set(name, group)
  }
  return groups
}
