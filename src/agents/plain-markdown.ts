/** `other`: system and tool turns, which are nobody's words. */
export type Role = 'user' | 'assistant' | 'other'

interface Turn {
  role: Role
  text: string
}

const ROLES: Readonly<Record<string, Role>> = {
  user: 'user',
  human: 'user',
  you: 'user',
  assistant: 'assistant',
  agent: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  system: 'other',
  developer: 'other',
  tool: 'other',
  function: 'other',
}

/** Whose turn a role name stands for; null for a name nobody uses. */
export const roleOf = (name: string): Role | null => ROLES[name.toLowerCase()] ?? null

const NAMES = Object.keys(ROLES).join('|')
/** `## User`, `### 🤖 Assistant (model · 27 s)`. */
const HEADING = new RegExp(`^(#{1,4})\\s+(?:[^\\w\\s#]+\\s+)?(${NAMES})\\s*(?:\\([^)]*\\))?\\s*:?\\s*$`, 'iu')
/** `**User:** text`, `**User**: text`. */
const BOLD = new RegExp(`^\\*\\*(${NAMES})(?::\\*\\*|\\*\\*:)\\s*(.*)$`, 'i')
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** True when a turn of the user stands in the text: a conversation begins with one. */
export function hasUserTurn(text: string): boolean {
  const reader = createMarkdownReader()
  const turns = text.split('\n').map((line) => reader.line(line.replace(/\r$/, '')))
  return [...turns, reader.end()].some((turn) => turn?.role === 'user')
}

/**
 * Takes a markdown transcript line by line; a turn comes out when the next one begins. The first heading decides the
 * style, so that other headings inside a reply do not cut it; inside code fences nothing is a heading.
 */
export function createMarkdownReader(): { line(text: string): Turn | null; end(): Turn | null } {
  let style: string | null = null
  let role: Role | null = null
  let lines: string[] = []
  let fence: string | null = null

  const take = (): Turn | null => {
    const turn = role && {
      role,
      // Blank lines go first: a pattern that passes over them takes 10 s for 50,000.
      text: lines
        .join('\n')
        .trim()
        .replace(/\n[^\S\n]*(?:-{3,}|\*{3,})$/, '')
        .trim(),
    }
    lines = []
    return turn
  }
  return {
    line(text) {
      const mark = FENCE.exec(text)?.[1]
      if (mark && fence === null) fence = mark
      // A fence ends with at least as many of the same marks and nothing behind them.
      else if (mark && fence !== null && mark.startsWith(fence) && text.trim() === mark) fence = null
      const start = fence === null ? startOf(text) : null
      if (!start || (style !== null && start.style !== style)) {
        lines.push(text)
        return null
      }
      const turn = take()
      style = start.style
      role = start.role
      if (start.rest !== '') lines.push(start.rest)
      return turn
    },
    end: take,
  }
}

function startOf(line: string): { style: string; role: Role | null; rest: string } | null {
  const heading = HEADING.exec(line)
  if (heading) return { style: heading[1] ?? '', role: roleOf(heading[2] ?? ''), rest: '' }
  const bold = BOLD.exec(line)
  return bold ? { style: '**', role: roleOf(bold[1] ?? ''), rest: bold[2] ?? '' } : null
}
