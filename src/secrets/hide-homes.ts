import { mapTexts } from './walk.ts'

const NAME = String.raw`[^\s/\\"'\`:;,()[\]{}<>|*?&$=]+`
const END = String.raw`(?=$|[\s/\\"'\`:;,()[\]{}<>|*?&=.])`

/**
 * Home directories of Linux, macOS and Windows with the user's name in them, in the spellings of shells, JSON and WSL. `/users/x`
 * is an address of an interface.
 */
const HOMES = new RegExp(
  [
    String.raw`(?<![\w.~-])(?:\/(?:private|var|export|mnt\/[a-z]))?\/(?:home|Users)\/(?!\.\.?(?:\/|$))${NAME}${END}`,
    String.raw`(?<![A-Za-z])[A-Za-z]:[\\/]{1,4}[Uu]sers[\\/]{1,4}${NAME}${END}`,
    String.raw`(?<![\w.~-])\/root(?=\/|$|[\s"'\`:;,)])`,
  ].join('|'),
  'g',
)

/** First folders that every system has: a user may be called like one. */
const SYSTEM = /^(?:dev|bin|sbin|usr|etc|opt|var|tmp|proc|sys|run|lib\d*|mnt|media|srv|boot|data|app)$/
const ABSOLUTE = /(?<![\w.~/\\-])(?:~|[A-Za-z]:)?[/\\][^\s"'`()[\]{}<>|;,*?]+/g

/**
 * A copy of a plain value in which every home directory, this machine's and any other's, reads `~`, so that no brief
 * tells user names or where somebody's files lie. `home`: absolute, or empty. `people`: names that read `user` where they
 * are a folder of an absolute path; inside the repository a folder may be called like its owner.
 */
export function hideHomes<T>(value: T, home: string, people: readonly string[] = []): T {
  const own = home.length > 1 ? home.replace(/[/\\]+$/, '') : ''
  const names = new Set(people.map((name) => name.toLowerCase()))
  return mapTexts(value, (text) => {
    const plain = own === '' ? text : replaceOwn(text, own)
    const hidden = plain.replace(HOMES, '~')
    return names.size === 0 ? hidden : replaceNames(hidden, names)
  })
}

function replaceOwn(text: string, own: string): string {
  if (!text.includes(own)) return text
  // `/root` may be a part of any path: `cli/root.go`.
  const isPart = (before: string, after: string): boolean =>
    /^(?:[\w-]|\.\w)/.test(after) || (SHORT.test(own) && /[\w.~-]$/.test(before))
  return text
    .split(own)
    .reduce((before, after) => (isPart(before, after) ? before + own + after : `${before}~${after}`))
}
const SHORT = /^\/[^/]*$/

function replaceNames(text: string, names: ReadonlySet<string>): string {
  return text.replace(ABSOLUTE, (path) => {
    const parts = path.split(/([/\\]+)/)
    // The first part stands before the first separator.
    const from = SYSTEM.test(parts[2] ?? '') ? 3 : 0
    return parts.map((part, at) => (at >= from && names.has(part.toLowerCase()) ? 'user' : part)).join('')
  })
}
