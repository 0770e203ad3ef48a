import { hasAsciiWords } from './cues.ts'

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
const isAbsolute = (path: string): boolean => path.startsWith('/') || /^[A-Za-z]:\//.test(path)

/** UTF-16 units of a path, the limit of most systems; what is longer is none. */
export const LONGEST_PATH = 4096

/** Strips what people and tools put around a path: quotes, `./`, `file://`, `:12:3`, `#L10`, trailing punctuation. */
export function cleanPath(raw: string): string {
  let path = raw
    .trim()
    .replace(/^[<([{'"`]+|(?<![>)\]}'"`,;!?。，、])[>)\]}'"`,;!?。，、]+$/g, (hit) =>
      /^[[({]/.test(hit) ? hit : '',
    )
  if (path.startsWith('file://')) path = path.slice(7)
  if (/^[A-Za-z]:\\/.test(path) || (path.includes('\\') && !path.includes('/') && !path.includes(' ')))
    path = path.replaceAll('\\', '/')
  path = path
    .replace(/#L\d+(?:-L?\d+)?$/, '')
    .replace(/(?::\d+(?:[:-]\d+)*|\(\d+(?:,\d+)?\)):?$/, '')
    .replace(/(?<![:.])[:.]+$/, '')
  return path
}

/** An absolute path with nothing in it that `cleanPath` or `normalizePath` would change. */
const PLAIN = /^(?:\/\.?[\w@+-]+(?:\.[\w@+-]+)*)+$/

/** The absolute place of a path given in a directory; relative when no directory is known. `~` is the home directory. */
export function anchorPath(raw: string, cwd: string | null, home: string): string | null {
  if (raw.length > LONGEST_PATH) return null
  const whole = raw.startsWith('/') || cwd === null ? raw : `${cwd}/${raw}`
  if (PLAIN.test(whole)) return whole
  let path = cleanPath(raw)
  if (path === '' || path.includes('\0') || path.includes('\n')) return null
  if (path === '~' || path.startsWith('~/')) path = home + path.slice(1)
  if (isAbsolute(path)) return normalizePath(path)
  return normalizePath(cwd === null ? path : `${cwd.replaceAll('\\', '/')}/${path}`)
}

/** Splits prose or code into words: lower case, camelCase and snake_case taken apart. */
export function wordsOf(text: string): string[] {
  if (hasAsciiWords(text))
    return (
      text
        .replace(/([a-z\d])([A-Z])/g, '$1 $2')
        .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
        .toLowerCase()
        .match(/[a-z\d]+/g) ?? []
    )
  return (
    text
      .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** Whether a path has the shape of a test. */
export const isTest = (path: string): boolean => TEST.test(path)

const TEST = /(?:^|\/)(?:tests?|__tests__|spec|e2e)\/|[._-](?:test|spec)\.|(?:^|\/)test_|_test\./

/** The name of a file without its ending and without what marks a test, lower case: `foo` of `foo_test.go` and `foo.tsx`. */
export function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const dot = name.lastIndexOf('.')
  return (dot > 0 ? name.slice(0, dot) : name).replace(/[._-](?:tests?|spec)$|^test_|tests?$/, '')
}

/** Compares by code unit. */
export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** A path of the home directory with `~`. */
export const atHome = (path: string, home: string) =>
  home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
