import type { Action } from '../types/session.ts'
import { isLook, parseShell, type ShellPart } from './shell.ts'

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
  if (/(?:^|_)handoff_(?:create|finalize|read|log|ask)$|^mcp__(?:git-)?handoff__/.test(tool)) return true
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
