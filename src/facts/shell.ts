/** One simple command of a line. */
export interface ShellPart {
  /** Unquoted words, wrappers such as `sudo`, `env A=b`, `timeout 60` taken off. */
  words: string[]
  /** Files its output is written to by `>` or `>>`. */
  writes: string[]
}

/** Parts of a line that are read; a program wrote what is longer, and some looks at a part take in all others. */
const MAX_PARTS = 500
/** `<<EOF`, `<<-'EOF'`, `<<\\EOF`; `<<<` is a here-string. */
const HEREDOC = /(?<!<)<<(?!<)-?[ \t]*['"\\]?([A-Za-z_][\w-]*)['"]?/g
/**
 * In order: an escaped character, quotes, a redirection, blanks, a bracket, another sign between commands, a comment or `#`, a word.
 * Brackets inside a word, as in `app/(site)/page.tsx` or `main()`, open no subshell.
 */
const TOKEN =
  /\\([\s\S]|$)|'([^']*)(?:'|$)|"((?:[^"\\]+|\\[\s\S])*)(?:"|\\?$)|\d?(?:>&\d|&?>>?|(<)+)|([^\S\n]+)|(\$?\(|\))|([;&|\n`])|(#[^\n]*)|((?:[^\s'"\\;&|()<>`#]|(?<=\S)#)+(?:\([^()\s;&|'"]*\)[^\s'"\\;&|()<>`]*)*)/g

/**
 * Splits a command line as a POSIX shell would, far enough to know which programs run on which words: quotes, escapes,
 * here-documents, subshells, `bash -c`. Never throws; text that a shell would refuse gives its readable parts.
 */
export function parseShell(command: string, depth = 0): ShellPart[] {
  const parts: ShellPart[] = []
  /** What waits for a subshell inside it, such as `echo $(git log)`, to end. */
  const outer: ShellPart[] = []
  let part: ShellPart = { words: [], writes: [] }
  let word: string | null = null
  let isTarget = false
  const endWord = (): void => {
    if (word !== null && isTarget) part.writes.push(...(word === '/dev/null' ? [] : [word]))
    else if (word !== null) part.words.push(word)
    if (word !== null) isTarget = false
    word = null
  }
  const endPart = (next: ShellPart = { words: [], writes: [] }): void => {
    endWord()
    const words = withoutWrappers(part.words)
    const [program = '', flag = '', script] = words
    if (depth < 3 && script !== undefined && /(?:^|\/)(?:ba|z|da)?sh$/.test(program) && /^-\w*c$/.test(flag))
      parts.push(...parseShell(script, depth + 1))
    else if (words.length > 0 || part.writes.length > 0) parts.push({ words, writes: part.writes })
    part = next
    isTarget = false
  }
  for (const [token, escaped, single, double, input, blank, bracket, sign, comment] of withoutHeredocs(
    command,
  ).matchAll(TOKEN)) {
    if (parts.length >= MAX_PARTS) break
    if (escaped !== undefined) word = (word ?? '') + escaped.replace('\n', '')
    else if (single !== undefined) word = (word ?? '') + single
    else if (double !== undefined) word = (word ?? '') + double.replace(/\\(["\\$`])/g, '$1')
    else if (blank !== undefined || input !== undefined) endWord()
    else if (bracket === ')') endPart(outer.pop())
    else if (bracket !== undefined) {
      endWord()
      outer.push(part)
      part = { words: [], writes: [] }
    } else if (sign !== undefined) endPart()
    else if (comment !== undefined && word === null) continue
    else if (token.includes('>')) {
      endWord()
      isTarget = !token.includes('>&')
    } else word = (word ?? '') + token
  }
  while (outer.length > 0) endPart(outer.pop())
  endPart()
  return parts.slice(0, MAX_PARTS)
}

/** The bodies of here-documents are data, not commands. */
function withoutHeredocs(command: string): string {
  const kept: string[] = []
  const waiting: string[] = []
  for (const line of command.split('\n')) {
    if (waiting.length > 0) {
      if (line.trim() === waiting[0]) waiting.shift()
      continue
    }
    kept.push(line.replace(HEREDOC, ' '))
    for (const [, end = ''] of line.matchAll(HEREDOC)) waiting.push(end)
  }
  return kept.join('\n')
}

const WRAPPERS = new Set('sudo rtk time timeout nohup exec env then do else ! { if while'.split(' '))

/** From the program on: flags, assignments and times before it are those of a wrapper. */
const withoutWrappers = (words: readonly string[]): string[] => {
  const at = words.findIndex((word) => !WRAPPERS.has(word) && !/^(?:-|\w+=|[\d.]+[smh]?$)/.test(word))
  return at === -1 ? [] : words.slice(at)
}

/** What a program is used for that does no work of its own; `edit` and `move` change its files. */
type Use = 'read' | 'look' | 'edit' | 'move'
const USES = new Map<string, Use>(
  Object.entries({
    read: 'cat sed head tail less more nl bat awk jq diff wc view stat file',
    look: 'ls rg grep find tree pwd which echo printf true : date ps sort sleep test [ cd command curl export source for kill',
    edit: 'tee touch',
    move: 'rm unlink cp mv mkdir chmod apply_patch',
  }).flatMap(([use, programs]) => programs.split(' ').map((program) => [program, use as Use])),
)
const IN_PLACE = /^-(?:i|[pne]*i|-in-place)/

/** Null for a program that does work, such as a test, and for git. */
export function useOf([program = '', ...rest]: readonly string[]): Use | null {
  const isInPlace = /^(?:g?sed|perl)$/.test(program) && rest.some((word) => IN_PLACE.test(word))
  return isInPlace ? 'edit' : (USES.get(program) ?? null)
}
export const isLook = (words: readonly string[]): boolean => /^(?:read|look)$/.test(useOf(words) ?? '')
