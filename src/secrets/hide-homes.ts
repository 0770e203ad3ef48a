/** Every text in a plain value: strings, object keys, entries of arrays, sets and maps, however deep. */
export function textsOf(value: unknown): string[] {
  const texts: string[] = []
  mapTexts(value, (text) => {
    texts.push(text)
    return text
  })
  return texts
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** A copy of a plain value with every text replaced; other values (numbers, dates …) are taken over as they are. */
export function mapTexts<T>(value: T, change: (text: string) => string): T
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change))
  if (value instanceof Set) return new Set([...value].map((item: unknown) => mapTexts(item, change)))
  if (value instanceof Map) {
    return new Map(
      [...value].map(([name, item]) => [mapTexts<unknown>(name, change), mapTexts<unknown>(item, change)]),
    )
  }
  if (!isPlain(value)) return value
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const key = change(name)
    const item = mapTexts((value as Record<string, unknown>)[name], change)
    // Assigned, this one would not become a key.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: item, enumerable: true, writable: true, configurable: true })
    else copy[key] = item
  }
  return copy
}

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
