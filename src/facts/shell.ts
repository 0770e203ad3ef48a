export interface ShellPart {
  /** Unquoted words, wrappers such as `sudo`, `env A=b`, `timeout 60` taken off. */
  words: string[]
  /** Files its output is written to by `>` or `>>`. */
  writes: string[]
  /** Its output goes into a pipe, so that its own exit status is lost. */
  piped: boolean
  next: '' | '&&' | '||' | ';' | '|'
}

const WRAPPERS = new Set('sudo rtk time nohup exec env command then do else ! { if while'.split(' '))
/** Parts of a line that are read; a program wrote what is longer, and some looks at a part take in all others. */
const MAX_PARTS = 500
/** `<<EOF`, `<<-'END OF'`, `<<\\EOF`; `<<<` is a here-string. */
const HEREDOC = /(?<!<)<<(?!<)-?[ \t]*(?:(['"])([^'"\n]+)\1|\\?([A-Za-z_][\w-]*))/g

/**
 * Splits a command line as a POSIX shell would, far enough to know which programs run on which words: quotes, escapes,
 * here-documents, `$(…)`, `bash -c`. Never throws; text that a shell would refuse gives its readable parts.
 */
export function parseShell(command: string, depth = 0): ShellPart[] {
  const parts: ShellPart[] = []
  for (const raw of scan(withoutHeredocs(command))) {
    if (parts.length >= MAX_PARTS) break
    const words = unwrap(raw.words)
    const [program = ''] = words
    const inner =
      program.endsWith('sh') && /(?:^|\/)(?:ba|z|da)?sh$/.test(program) && /^-\w*c$/.test(words[1] ?? '')
        ? words[2]
        : undefined
    if (inner !== undefined && depth < 3) {
      const nested = parseShell(inner, depth + 1)
      const last = nested.at(-1)
      if (last) Object.assign(last, { next: raw.next, piped: raw.piped })
      parts.push(...nested)
    } else if (words.length > 0 || raw.writes.length > 0) parts.push({ ...raw, words })
  }
  return parts
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
    for (const match of line.matchAll(HEREDOC)) waiting.push(match[2] ?? match[3] ?? '')
  }
  return kept.join('\n')
}

function unwrap(words: string[]): string[] {
  let at = 0
  for (;;) {
    const word = words[at]
    if (word === undefined) return []
    // `command -v name` asks whether there is one.
    if (word === 'command' && /^-[vV]/.test(words[at + 1] ?? '')) return words.slice(at)
    if (word === 'rtk' && /^(?:test|err|proxy)$/.test(words[at + 1] ?? '') && words.length > at + 2) at += 2
    else if (WRAPPERS.has(word) || /^\w+=/.test(word)) at++
    else if (word === 'timeout') {
      at++
      while (/^(?:-.*|[\d.]+[smh]?)$/.test(words[at] ?? 'x')) at++
    } else return words.slice(at)
  }
}

function scan(line: string, depth = 0): ShellPart[] {
  const parts: ShellPart[] = []
  let words: string[] = []
  let writes: string[] = []
  let word: string | null = null
  let redirect = false
  let quoted = false
  const lastBracket = line.lastIndexOf(')')
  const endWord = () => {
    if (word !== null && (word !== '' || quoted)) {
      if (redirect) {
        if (!word.startsWith('&') && word !== '/dev/null') writes.push(word)
        redirect = false
      } else words.push(word)
    }
    word = null
    quoted = false
  }
  const endPart = (next: ShellPart['next']) => {
    endWord()
    redirect = false
    if (words.length > 0 || writes.length > 0) parts.push({ words, writes, piped: next === '|', next })
    words = []
    writes = []
  }
  for (let i = 0; i < line.length && parts.length < MAX_PARTS; i++) {
    const c = line.charAt(i)
    if (c === '\\') {
      i++
      if (line.charAt(i) !== '\n') word = (word ?? '') + line.charAt(i)
    } else if (c === "'" || c === '"') {
      const end = closing(line, i)
      word = (word ?? '') + line.slice(i + 1, end).replace(c === '"' ? /\\(["\\$`])/g : /(?!)/g, '$1')
      quoted = true
      i = end
    } else if (c === ' ' || c === '\t' || c === '\r') endWord()
    else if (c === '\n' || c === ';') endPart(';')
    else if (c === '#' && word === null) {
      const end = line.indexOf('\n', i)
      i = (end === -1 ? line.length : end) - 1
    } else if (c === '&' || c === '|') {
      const twice = line.charAt(i + 1) === c
      if (c === '&' && !twice && (line.charAt(i + 1) === '>' || word === '' || redirect)) {
        if (redirect) word = (word ?? '') + c
        continue
      }
      if (twice || (c === '|' && line.charAt(i + 1) === '&')) i++
      endPart(c === '&' ? (twice ? '&&' : ';') : twice ? '||' : '|')
    } else if (c === '(' && word !== null && !word.endsWith('=')) {
      // Inside a word, as in `app/(site)/page.tsx` or `main()`, it opens no subshell.
      const end = i < lastBracket ? line.indexOf(')', i) : -1
      word += end === -1 ? c : line.slice(i, end + 1)
      i = end === -1 ? i : end
    } else if (c === '(' || c === ')' || c === '`') endPart(';')
    else if (c === '$' && line.charAt(i + 1) === '(') {
      // It runs first, and what stands behind it goes on with the words before it.
      const end = closingBracket(line, i + 1, depth)
      if (depth < MAX_DEPTH)
        for (const part of scan(line.slice(i + 2, end), depth + 1))
          parts.push({ ...part, next: part.next || ';' })
      word = (word ?? '') + line.slice(i, end + 1)
      i = end
    } else if (c === '>' || c === '<') {
      if (/^\d$/.test(word ?? '')) word = null
      endWord()
      if (line.charAt(i + 1) === c) i++
      if (c === '>') redirect = true
    } else word = (word ?? '') + c
  }
  endPart('')
  return parts
}

function closing(line: string, open: number, depth = 0): number {
  const quote = line.charAt(open)
  for (let i = open + 1; i < line.length; i++) {
    const c = line.charAt(i)
    if (quote === '"' && c === '\\') i++
    // What `$(…)` holds inside double quotes has quotes of its own.
    else if (quote === '"' && c === '$' && line.charAt(i + 1) === '(')
      i = closingBracket(line, i + 1, depth + 1)
    else if (c === quote) return i
  }
  return line.length
}

/** Quotes inside brackets inside quotes; deeper than anybody writes. */
const MAX_DEPTH = 20

function closingBracket(line: string, open: number, depth: number): number {
  let level = 0
  for (let i = open; i < line.length && depth < MAX_DEPTH; i++) {
    const c = line.charAt(i)
    if (c === '\\') i++
    else if (c === "'" || c === '"') i = closing(line, i, depth)
    else if (c === '(') level++
    else if (c === ')' && --level === 0) return i
  }
  return line.length
}
