/** Folds `.` and `..` in a path with `/` separators; a relative path may come back beginning with `../`. */
export function normalizePath(path: string): string {
  const absolute = path.startsWith('/')
  const out: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..' && out.length > 0 && out.at(-1) !== '..') out.pop()
    else if (segment !== '..' || !absolute) out.push(segment)
  }
  return (absolute ? '/' : '') + out.join('/')
}

/** Whether a path is absolute on POSIX, or with a Windows drive. */
export const isAbsolute = (path: string): boolean => path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path)

/** A Windows path with `/` and a large drive letter, as `C:/x`; others stay as they are. */
export const withSlashes = (path: string): string =>
  /^[A-Za-z]:[\\/]/.test(path) ? path.charAt(0).toUpperCase() + path.slice(1).replaceAll('\\', '/') : path

/** UTF-16 units of a path, the limit of most systems; what is longer is none. */
export const LONGEST_PATH = 4096

/** Strips what people and tools put around a path: quotes, `./`, `file://`, `:12:3`, `#L10`, trailing punctuation. */
export function cleanPath(raw: string): string {
  let path = raw
    .trim()
    .replace(/^[<([{'"`]+|(?<![>)\]}'"`,;!?。，、])[>)\]}'"`,;!?。，、]+$/g, (hit) =>
      /^[[({]/.test(hit) ? hit : '',
    )
  if (path.startsWith('file://')) path = path.slice(7).replace(/^\/(?=[A-Za-z]:\/)/, '')
  if (path.includes('\\') && !path.includes('/') && !path.includes(' ')) path = path.replaceAll('\\', '/')
  return withSlashes(path)
    .replace(/#L\d+(?:-L?\d+)?$/, '')
    .replace(/(?::\d+(?:[:-]\d+)*|\(\d+(?:,\d+)?\)):?$/, '')
    .replace(/(?<![:.])[:.]+$/, '')
}

/**
 * The absolute place of a path given in a directory; relative when no directory is known. `~` is the home directory. Null for
 * what is no file, such as an address (`pr://140`).
 */
export function anchorPath(raw: string, cwd: string | null, home: string): string | null {
  if (raw.length > LONGEST_PATH) return null
  let path = cleanPath(raw)
  if (path === '' || /[\0\n]|^[a-z][\w+.-]+:\/\//i.test(path)) return null
  if (path === '~' || path.startsWith('~/')) path = withSlashes(home) + path.slice(1)
  if (isAbsolute(path)) return normalizePath(path)
  return normalizePath(cwd === null ? path : `${withSlashes(cwd)}/${path}`)
}

/** Splits prose or code into words: lower case, camelCase and snake_case taken apart. */
export function wordsOf(text: string): string[] {
  return (
    text
      .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Paths to look up by the whole or by a tail of theirs: `src/a.ts` ends `lib/src/a.ts`. */
export function knownPaths(paths: Iterable<string>) {
  const all = new Set(paths)
  const byName = new Map<string, string[]>()
  for (const path of all) {
    const held = byName.get(nameOf(path))
    if (held === undefined) byName.set(nameOf(path), [path])
    else held.push(path)
  }
  return {
    has: (path: string): boolean => all.has(path),
    endingIn(tail: string): string[] {
      const end = `/${tail}`
      return (byName.get(nameOf(tail)) ?? []).filter((path) => path.endsWith(end))
    },
  }
}

export type KnownPaths = ReturnType<typeof knownPaths>

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** A path of the home directory with `~`. */
export const atHome = (path: string, home: string) =>
  home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
