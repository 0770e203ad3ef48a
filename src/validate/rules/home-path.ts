import type { Rule } from '../rule.ts'

/** `/home/x`, `/Users/x`, `C:\Users\x`. */
const HOMES = /(?:^|[\s"'`(=:,[])((?:\/home|\/Users)\/[^\s/"'`)\]]+|[A-Za-z]:\\Users\\[^\s\\"'`)\]]+)/

/** No home directory and no user name as part of a path: a brief is read by others. */
export const homePath: Rule = {
  id: 'home-path',
  level: 'strict',
  check({ lines, facts }) {
    const { home, userNames } = facts
    const asComponent = userNames.map(
      (name) => new RegExp(`[/\\\\]${literal(name)}(?=[/\\\\]|$|[\\s"'\`)\\]])`),
    )
    return lines.flatMap((text, index) => {
      const isHome = HOMES.test(text) || (home !== null && home.length > 1 && text.includes(`${home}/`))
      if (isHome) return [{ line: index + 1, message: 'names a home directory; write ~ instead' }]
      return asComponent.some((name) => name.test(text)) && !isRelative(text, userNames)
        ? [{ line: index + 1, message: 'has a user name in a path' }]
        : []
    })
  },
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** A folder of the repository may be called like its owner; only absolute paths tell who works where. */
const isRelative = (text: string, names: readonly string[]): boolean =>
  !names.some((name) =>
    new RegExp(`(?:^|[\\s"'\`(=:,])[/~][^\\s"'\`]*[/\\\\]${literal(name)}(?=[/\\\\]|$|[\\s"'\`)\\]])`).test(
      text,
    ),
  )
