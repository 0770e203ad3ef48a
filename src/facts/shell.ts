import { withoutBlocks } from '../text/blocks.ts'
import type { Action, SessionEvent } from '../types/session.ts'

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
export function withoutHeredocs(command: string): string {
  if (!command.includes('<<')) return command
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

const WRAPPERS = new Set('sudo rtk proxy time timeout nohup exec env then do else ! { if while'.split(' '))

/** From the program on: flags, assignments and times before it are those of a wrapper. */
export const withoutWrappers = (words: readonly string[]): string[] => {
  const at = words.findIndex((word) => !WRAPPERS.has(word) && !/^(?:-|\w+=|[\d.]+[smh]?$)/.test(word))
  return at === -1 ? [] : words.slice(at)
}

/** What a program is used for that does no work of its own; `edit` and `move` change its files. */
type Use = 'read' | 'look' | 'edit' | 'move'
const USES = new Map<string, Use>(
  Object.entries({
    read: 'cat sed head tail less more nl bat awk jq diff wc view stat file',
    look: 'ls rg grep find tree pwd which echo printf true : date ps sort sleep test [ cd command export source for kill',
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
export const isLook = (words: readonly string[]): boolean => ['read', 'look'].includes(useOf(words) ?? '')

/** Text and traces of handoff itself are never evidence of the user's words, commands or files. */

const SELF = /^(?:git-)?handoff(?:@[\w.^~-]+)?$/
const SELF_FILE = /(?:^|\/)(?:bin|\.bin)\/(?:git-)?handoff(?:\.c?m?js)?$/
/** Programs that run another one, and their own words before its name. */
const RUNNERS = new Set('npx pnpx bunx uvx pnpm yarn npm bun node deno tsx git dlx exec x'.split(' '))

/** A simple command that runs handoff, or only looks into `.handoff/`. */
function isOwnPart({ words }: ShellPart): boolean {
  const program = words.find((word) => !word.startsWith('-') && !RUNNERS.has(word)) ?? ''
  if (SELF.test(program) || SELF_FILE.test(program)) return true
  return isLook(words) && words.some((word) => isOwnPath(word) || OWN_SKILL.test(word))
}

/** The skill that `handoff init` puts where the agent looks for skills. */
const OWN_SKILL = /(?:^|[\\/])skills[\\/]handoff[\\/]SKILL\.md$/

/** A path inside `.handoff/`, or inside the private folder of handoff under the git directory. */
export const isOwnPath = (path: string): boolean =>
  path.includes('handoff') && /(?:^|[\\/])(?:\.handoff|\.git\/handoff)(?:[\\/]|$)/.test(path)

/** Settings and templates are files to be worked on when somebody names them; briefs never are. */
export const isOwnSetting = (path: string): boolean =>
  /^\.handoff\/(?:config\.\w+|templates\/[\w./-]+|README\.md|\.gitattributes)$/.test(path)

/** `all`: nothing but handoff; `some`: handoff among other things; `none`. */
export function ownShare(command: string): 'all' | 'some' | 'none' {
  if (!command.includes('handoff')) return 'none'
  const parts = parseShell(command)
  if (!parts.some(isOwnPart)) return 'none'
  return parts.every((part) => isOwnPart(part) || isLook(part.words)) ? 'all' : 'some'
}

/** A tool call made to handoff: its MCP tools, its commands, or reads of its folder. */
export function isOwnCall(tool: string, action: Action): boolean {
  if (/(?:^|[^a-z])handoff_(?:create|finalize|read|log|ask)$|^mcp__(?:git-)?handoff__/.test(tool)) return true
  if (action.type === 'run') return ownShare(action.command) === 'all'
  if (action.type === 'task') return false
  const paths = action.type === 'edit' ? action.files.map(({ path }) => path) : action.paths
  const isOwn = (path: string): boolean => isOwnPath(path) || (action.type === 'read' && OWN_SKILL.test(path))
  return paths.length > 0 && paths.every(isOwn)
}

/** A call of handoff that only records notes. */
export const isNote = (tool: string, action: Action): boolean =>
  tool.endsWith('handoff_finalize') ||
  (action.type === 'run' &&
    /\bhandoff\S* note\b/.test(action.command) &&
    !/\bhandoff\S* (?:create|switch|done)\b/.test(action.command))

/** A look around, which an agent takes before it hands over: it does not show that other work went on. */
export function onlyLooks(action: Action): boolean {
  if (action.type !== 'run') return action.type === 'read' || action.type === 'search'
  return parseShell(action.command).every(
    ({ words, writes }) =>
      writes.length === 0 &&
      (isLook(words) || /^git (?:status|log|diff|show|branch|rev-parse)$/.test(words.slice(0, 2).join(' '))),
  )
}

/** A prompt that only calls handoff: `/handoff …`, `$handoff …`, a shell line. */
const CALL =
  /^\s*(?:[/$!]\s*(?:skill:)?handoff\b|(?:!\s*)?(?:cd \/ && )?(?:npx\s+(?:(?:-y|--yes)\s+)?)?(?:git[- ])?handoff(?:@\S+)?\s+(?:--cwd \S+ )?(?:create|note|show|log|check|done|resume|switch|request|ask|status|verify|init)\b)/i
const WRAPPED =
  /<handoff-context[\s\S]*?(?:<\/handoff-context>|$)(?:\s*The above is a handoff document from a previous session\.[^\n]*)?/g
/** Begins a brief, with its front matter where that is there, or `.handoff/latest.md`. */
const BRIEF = /^# Work may have been handed over here|^---\r?\nschemaVersion:|^#+ Handoff Context[ \t]*$/m
const BRIEF_HEADING = /^#+ Handoff Context[ \t]*$/m
/** The last section of a brief. */
const BRIEF_GOAL = /^## Next Goal \(verbatim\)[ \t]*\r?\n+(`{3,}|~{3,})[\s\S]*?^\1[ \t]*$/m
/** The pointer prompt (templates/pointer-prompt.txt), to its last line or, where that was changed, to the end of its paragraph. */
const POINTER =
  /^(?:[/$][^\n]*\n)?(?:A handoff brief is open on branch [^\n]*, by |Work was handed over to you by [^\n]* on branch )(?:[\s\S]*?^(?:Before this session ends, or when your context is nearly full|What the user asks comes first; read it to|The user asks you to go on with it: read it)[^\n]*|(?:[^\n]|\n(?!\s*\n))*)/m
const MENTIONS =
  /\.handoff\/|\b(?:git-)?handoff (?:note|create|show|trust|log|check)\b|\bhandoff_finalize\b|\bhandoff (?:document|brief)\b/i
/** Headings of the instruction that asks an agent for notes (templates/notes.txt). */
const NOTE_HEADING = /^[ \t]*#+ (tried and dropped|fails now|not proven|questions for the user)$/gim

/** Whether a text is the instruction that asks an agent for notes. */
const asksForNotes = (text: string): boolean =>
  new Set([...text.matchAll(NOTE_HEADING)].map(([, heading = '']) => heading.toLowerCase())).size >= 3

/** A prompt that calls handoff, or asks the agent for its notes; the pointer to a brief is none. */
export const callsHandoff = (text: string): boolean =>
  /^\s*[/$](?:skill:)?handoff(?=\s|$)/.test(text) || CALL.test(text) || asksForNotes(text)

/** The user's own part of a prompt: handed-over text, calls of handoff and its instructions taken out. May be empty. */
export function withoutOwnText(text: string): string {
  if (CALL.test(text) || asksForNotes(text)) return ''
  const rest = withoutBrief(text.replace(WRAPPED, '\n').replace(POINTER, '\n'))
  if (!MENTIONS.test(rest)) return rest
  // What the user adds to a pointer to a brief stands in other paragraphs or in other sentences.
  return rest
    .split(/\n\s*\n/)
    .map((paragraph) =>
      MENTIONS.test(paragraph)
        ? paragraph
            .split(/(?<=[.!?。！？])\s+|\n/)
            .filter((sentence) => !MENTIONS.test(sentence))
            .join('\n')
        : paragraph,
    )
    .filter((paragraph) => paragraph.trim() !== '')
    .join('\n\n')
}

/** From its first line to the end of its goal. */
function withoutBrief(text: string): string {
  const start = text.search(BRIEF)
  const brief = start === -1 ? '' : text.slice(start)
  if (start === -1 || (brief.startsWith('---') && !BRIEF_HEADING.test(brief))) return text
  const goal = BRIEF_GOAL.exec(brief)
  return `${text.slice(0, start)}\n${goal === null ? '' : brief.slice(goal.index + goal[0].length)}`
}

// ---------------------------------------------------------------- turns

/** What a client or a monitor put into the person's prompt: a block in a tag of its own making. */
const MACHINE_TAG = /^<([a-z]+[-_][\w-]*)(?:\s[^<>\n]*)?>/gm

/** The person's own words in a prompt, empty for what only hands a brief over; null for a notice of the machine, which begins no turn. */
export function requestIn(prompt: string): string | null {
  const said = withoutOwnText(prompt)
  const text = withoutBlocks(said, MACHINE_TAG).trim()
  return text === '' && said.trim() !== '' ? null : text
}

/** A shorter prompt may be meant twice. */
const SHORT_PROMPT = 15

/** A client records what was typed while the agent worked once more when the agent hears it. */
export const isRepeat = (request: string, last: readonly string[]): boolean =>
  request.length > SHORT_PROMPT && last.includes(request)

/** Turns among which a request is looked for once more. */
export const REPEATED_WITHIN = 3

/** Numbers the person's requests from 1 on, as `ask` names them and `create --until` takes them. */
export function createTurnCount() {
  let last: string[] = []
  let count = 0
  return {
    get turn(): number {
      return count
    },
    /** The words of a request that begins a turn; null for every other event. */
    begins(event: SessionEvent): string | null {
      const request = event.kind === 'prompt' && event.sub === null ? requestIn(event.text) : null
      if (request === null || isRepeat(request, last)) return null
      last = [...last, request].slice(-REPEATED_WITHIN)
      count++
      return request
    },
  }
}
