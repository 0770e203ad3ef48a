import type { Problem, Rule } from '../rule.ts'

/** `/home/x`, `/Users/x`, `C:\Users\x` in the spellings of shells, JSON and WSL; the name is the capture. */
const HOMES = [
  /(?<![\w.~-])\/(?:(?:private|var|export|mnt\/[a-z])\/)?(?:home|Users)\/([^\s/"'`()[\]{}<>|:;,*?\\]+)/g,
  /(?<![A-Za-z])[A-Za-z]:[\\/]{1,4}Users[\\/]{1,4}([^\s/"'`()[\]{}<>|:;,*?\\]+)/gi,
]
/** Names that belong to no person: containers, CI, templates, where a line was cut. */
const NOBODY =
  /^(?:runner|node|vscode|codespace|ubuntu|shared|public|default|app|user|username|you|me|name|dev|\$.*|%.*|\.+|…|~)$/i

/** First folders that every system has. */
const SYSTEM = /^(?:dev|bin|sbin|usr|etc|opt|var|tmp|proc|sys|run|lib\d*|mnt|media|srv|boot|data|app)$/

/** No home directory and no user name in a path: a brief is read by others. */
export const homePath: Rule = {
  id: 'home-path',
  level: 'strict',
  over: 'brief',
  about: 'No home directory and no user name in a path; in the goal, which nobody may change, a warning.',
  check({ lines, parsed, facts: { home, userNames }, lineOf }) {
    const people = new Set(userNames.map((name) => name.toLowerCase()))
    const goalStart = lineOf('goal')
    const goalSection = parsed.sections.find(({ id }) => id === 'goal')?.line ?? Number.POSITIVE_INFINITY
    return lines.flatMap((text, index): Problem[] => {
      const line = index + 1
      const what = complaint(text, home, people)
      if (what === null) return []
      const isGoal =
        line >= goalSection ||
        (line >= goalStart && line < parsed.bodyLine && /goal/.test(keyOf(lines, index)))
      return [isGoal ? { line, message: what, isWarning: true } : { line, message: what }]
    })
  },
}

function complaint(text: string, home: string | null, people: ReadonlySet<string>): string | null {
  // Most lines name no place at all; the expressions need not be compiled for them.
  if (!/[/\\]/.test(text)) return null
  for (const pattern of /home|users/i.test(text) ? HOMES : []) {
    for (const [, name = ''] of text.matchAll(pattern)) {
      if (!NOBODY.test(name) || people.has(name.toLowerCase()))
        return 'names a home directory; write ~ instead'
    }
  }
  if (home !== null && home.split(/[/\\]/).length > 2 && text.includes(home))
    return 'names a home directory; write ~ instead'
  if (people.size === 0) return null
  // Inside the repository a folder may be called like its owner; only absolute paths tell who works where.
  for (const [path] of text.matchAll(/(?<![\w.~/\\-])(?:~|[A-Za-z]:)?[/\\][^\s"'`()[\]{}<>|;,*?]+/g)) {
    const parts = path.split(/[/\\]+/)
    // A user may be called like a folder of every system: `2>/dev/null` names nobody.
    const named = SYSTEM.test(parts[1] ?? '') ? parts.slice(2) : parts
    if (named.some((part) => people.has(part.toLowerCase()))) return 'has a user name in a path'
  }
  return null
}

/** The key of the front matter that a line belongs to; a block text goes on over indented lines. */
function keyOf(lines: readonly string[], index: number): string {
  for (let at = index; at > 0; at--) {
    const key = /^([A-Za-z]\w*):/.exec(lines[at] ?? '')?.[1]
    if (key !== undefined) return key
  }
  return ''
}
