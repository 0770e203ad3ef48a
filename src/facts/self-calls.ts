import type { Action } from '../types/session.ts'
import { parseShell, type ShellPart } from './shell.ts'

/** Text and traces of handoff itself are never evidence of the user's words, commands or files. */

const RUNNERS = /^(?:npx|pnpx|bunx|uvx)$/
const SELF = /^(?:git-)?handoff(?:@[\w.^~-]+)?$/
const SELF_FILE = /(?:^|\/)(?:bin\/(?:git-)?handoff(?:\.c?m?js)?|\.bin\/(?:git-)?handoff)$/

/** A simple command that runs handoff, or only looks into `.handoff/`. */
function isOwnPart(part: ShellPart): boolean {
  const [program = '', ...rest] = part.words
  const bare = rest.filter((word) => !word.startsWith('-'))
  if (SELF.test(program) || SELF_FILE.test(program)) return true
  if (program === 'git' && bare[0] === 'handoff') return true
  if (RUNNERS.test(program)) return SELF.test(bare[0] ?? '')
  if (/^(?:pnpm|yarn|npm|bun)$/.test(program) && /^(?:dlx|exec|x)$/.test(bare[0] ?? ''))
    return SELF.test(bare[1] ?? '')
  if (/^(?:node|bun|deno|tsx)$/.test(program)) return SELF_FILE.test(bare[0] ?? '')
  return LOOKERS.test(program) && rest.some((word) => isOwnPath(word) || OWN_SKILL.test(word))
}

const LOOKERS = /^(?:ls|cat|sed|head|tail|rg|grep|less|more|nl|bat|wc|find|tree|awk|stat|file)$/

/** The skill that `handoff init` puts where the agent looks for skills. */
const OWN_SKILL = /(?:^|[\\/])skills[\\/]handoff[\\/]SKILL\.md$/

/** A path inside `.handoff/`, or inside the private folder of handoff under the git directory. */
export const isOwnPath = (path: string): boolean =>
  path.includes('handoff') && /(?:^|[\\/])\.handoff(?:[\\/]|$)|(?:^|\/)\.git\/handoff(?:\/|$)/.test(path)

/** Settings and templates are files to be worked on when somebody names them; briefs never are. */
export const isOwnSetting = (path: string): boolean =>
  /^\.handoff\/(?:config\.\w+|templates\/[\w./-]+|README\.md|\.gitattributes)$/.test(path)

/** `all`: nothing but handoff; `some`: handoff among other things; `none`. */
export function ownShare(command: string): 'all' | 'some' | 'none' {
  if (!command.includes('handoff')) return 'none'
  const parts = parseShell(command).filter((part) => !/^(?:cd|echo|true|:)$/.test(part.words[0] ?? ''))
  const own = parts.filter(isOwnPart).length
  if (own === 0) return 'none'
  const others = parts.filter((part) => !isOwnPart(part) && !LOOKERS.test(part.words[0] ?? ''))
  return others.length === 0 ? 'all' : 'some'
}

/** A tool call made to handoff: its MCP tools, its commands, or reads of its folder. */
export function isOwnCall(tool: string, action: Action): boolean {
  if (/(?:^|_)handoff_(?:create|finalize|read|log|ask)$|^mcp__(?:git-)?handoff__/.test(tool)) return true
  switch (action.type) {
    case 'run':
      return ownShare(action.command) === 'all'
    case 'edit':
      return action.files.length > 0 && action.files.every((file) => isOwnPath(file.path))
    case 'read':
      return action.paths.length > 0 && action.paths.every((path) => isOwnPath(path) || OWN_SKILL.test(path))
    case 'search':
    case 'other':
      return action.paths.length > 0 && action.paths.every(isOwnPath)
    case 'task':
      return false
  }
}

/** A call of handoff that only records notes. */
export const isNote = (tool: string, action: Action): boolean =>
  tool.endsWith('handoff_finalize') ||
  (action.type === 'run' &&
    /\bhandoff\S* note\b/.test(action.command) &&
    !/\bhandoff\S* (?:create|switch|done)\b/.test(action.command))

/** A command that changes nothing and shows how things are. */
const SHOWS =
  /^\s*(?:cd \S+ && )?(?:ls|cat|head|tail|rg|grep|find|wc|pwd|sed -n|git (?:status|log|diff|show|branch|rev-parse))\b[^|;&>\n]*$/
/** A look around, which an agent takes before it hands over: it does not show that other work went on. */
export const onlyLooks = (action: Action): boolean =>
  action.type === 'read' || action.type === 'search' || (action.type === 'run' && SHOWS.test(action.command))

/** A prompt that only calls handoff: `/handoff …`, `$handoff …`, a shell line. */
const CALL =
  /^\s*(?:[/$!]\s*(?:skill:)?handoff\b|(?:!\s*)?(?:npx\s+(?:-y\s+)?)?(?:git[- ])?handoff\s+(?:create|note|show|log|check|done|resume|switch|request|ask|status|verify|init)\b)/i
const WRAPPED =
  /<handoff-context[\s\S]*?(?:<\/handoff-context>|$)(?:\s*The above is a handoff document from a previous session\.[^\n]*)?/g
const BRIEF_FRONT = /^---\r?\nschemaVersion:/m
const BRIEF_HEADING = /^#+ Handoff Context[ \t]*$/m
const BEHIND_FRONT = /\r?\n---\r?\n\s*#+ Handoff Context[ \t]*$/m
const BRIEF_GOAL = /^## Next Goal \(verbatim\)[ \t]*\r?\n+(`{3,}|~{3,})[^\n]*\r?\n/m
const MENTIONS =
  /\.handoff\/|\b(?:git-)?handoff (?:note|create|show|trust|log|check)\b|\bhandoff_finalize\b|\bhandoff (?:document|brief)\b/i
/** Headings that ask an agent for notes (templates/notes.txt, and those of before); three of them together are that instruction. */
const REQUEST = [
  /what (?:i was|was being) work(?:ing|ed) on/i,
  /current progress and state/i,
  /key decisions made/i,
  /blockers encountered/i,
  /files modified/i,
  /next steps and what remains/i,
  /^[ \t]*#+ tried and dropped$/im,
  /^[ \t]*#+ fails now$/im,
  /^[ \t]*#+ not proven$/im,
  /^[ \t]*#+ questions for the user$/im,
]
/** The pointer prompt (templates/pointer-prompt.txt), now and before: its first line, with the skill line before it, and its last lines. */
const POINTER_START =
  /^(?:[/$][^\n]*\n)?(?:A handoff brief is open on branch [^\n]*, by |Work was handed over to you by [^\n]* on branch )/m
const POINTER_ENDS = [
  /^(?:What the user asks comes first; read it to|The user asks you to go on with it: read it)[^\n]*/m,
  /^Before this session ends, or when your context is nearly full[^\n]*/m,
  /^It was written by another agent[^\n]*/m,
  /^Read [^\n]* first, whole[^\n]*/m,
]
/** The constant text of `.handoff/latest.md` down to the brief below it. */
const LATEST =
  /^# Work may have been handed over here[\s\S]*?(?=^#+ Handoff Context|^---\r?\nschemaVersion:|(?![\s\S]))/m

/** A prompt that calls handoff, or asks the agent for its notes; the pointer to a brief is none. */
export const callsHandoff = (text: string): boolean =>
  isHandingOver(text) || CALL.test(text) || REQUEST.filter((line) => line.test(text)).length >= 3

/** A prompt by which the person hands the session over, as the skill or command of each agent is called. */
const isHandingOver = (text: string): boolean => /^\s*[/$](?:skill:)?handoff(?=\s|$)/.test(text)

/** The user's own part of a prompt: handed-over text, calls of handoff and its instructions taken out. May be empty. */
export function withoutOwnText(text: string): string {
  if (CALL.test(text)) return ''
  let rest = withoutPointerPrompt(text.replace(WRAPPED, '\n').replace(LATEST, '\n'))
  const start = briefStart(rest)
  if (start !== -1) {
    const goal = BRIEF_GOAL.exec(rest.slice(start))
    let after = ''
    if (goal) {
      const body = rest.slice(start + goal.index + goal[0].length)
      const close = new RegExp(`^${goal[1] ?? ''}[ \\t]*$`, 'm').exec(body)
      after = close ? body.slice(close.index + close[0].length) : ''
    }
    rest = `${rest.slice(0, start)}\n${after}`
  }
  if (REQUEST.filter((line) => line.test(rest)).length >= 3) return ''
  return MENTIONS.test(rest) ? withoutPointer(rest) : rest
}

/** Where a brief begins, with its front matter when that is there, or -1. */
function briefStart(text: string): number {
  const heading = text.search(BRIEF_HEADING)
  const front = heading === -1 ? -1 : text.search(BRIEF_FRONT)
  return front !== -1 && front < heading && BEHIND_FRONT.test(text.slice(front)) ? front : heading
}

function withoutPointerPrompt(text: string): string {
  const start = POINTER_START.exec(text)
  if (start === null) return text
  const rest = text.slice(start.index)
  const end = POINTER_ENDS.map((line) => line.exec(rest)).find((match) => match !== null)
  const length = end ? end.index + end[0].length : (/\n\s*\n/.exec(rest)?.index ?? rest.length)
  return `${text.slice(0, start.index)}\n${rest.slice(length)}`
}

/** A pointer prompt speaks of `.handoff/` in its paragraph; what the user adds stands in others or in other sentences. */
function withoutPointer(text: string): string {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) =>
      MENTIONS.test(paragraph)
        ? paragraph
            .split(/(?<=[.!?。！？])\s+|\n/)
            .filter((sentence) => !MENTIONS.test(sentence) && !POINTER_LINE.test(sentence))
            .join('\n')
        : paragraph,
    )
    .filter((paragraph) => paragraph.trim() !== '')
    .join('\n\n')
}

/** Lines of the pointer prompt that do not name the folder. */
const POINTER_LINE =
  /^\s*(?:[-*]\s*)?(?:Goal|Branch|Drift|From|Handed over by|Id|Brief|Read this file)\s*:|handed (?:this work |the work )?over|^You are (?:continuing|picking up)\b|Before this session ends, or when your context is nearly full/i
