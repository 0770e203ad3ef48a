import { clipLine, codeSpan, escapeText, oneLine } from '../text/safe-text.ts'
import { visible } from '../text/visible.ts'
import type { FrontMatter } from '../types/brief.ts'
import { fillTemplate } from './template.ts'

/** Characters of the goal in a pointer; the whole of it stands in the brief. */
const GOAL = 200

export interface PointerInput {
  meta: FrontMatter
  /** Repository-relative file to read. */
  file: string
  /** What changed since, in one line; null when it is not known. */
  drift: string | null
  /** Skill and persona lines in the successor's own syntax; they come first. */
  start: readonly string[]
  /** The repository's own template. */
  template?: { text: string; place: string }
}

/** The short prompt that sends a successor to the brief. One screen, plain text. Throws `badTemplate`. */
export function pointerPrompt({ meta, file, drift, start, template }: PointerInput): string {
  const values = {
    start: start.map(oneLine).join('\n'),
    agent: meta.agent.id === 'git' ? 'an earlier session (git facts alone)' : escapeText(meta.agent.label),
    branch: meta.branch === null ? '(detached HEAD)' : codeSpan(meta.branch),
    goal: goalLine(meta.goal),
    drift: drift === null ? '' : oneLine(drift),
    file: codeSpan(file),
  }
  return fillTemplate('pointer-prompt', values, template ?? null)
}

/** The goal in one line that cannot start markup or move a terminal. */
export const goalLine = (goal: string): string => escapeText(clipLine(goal, GOAL))

/**
 * The whole brief for a prompt. No spelling of the closing tag in the content survives as one, so nothing in it
 * can step out of the block.
 */
export function inlinePrompt(brief: string): string {
  const content = visible(brief.replace(/\r\n/g, '\n')).replace(/<(?=[\s/]*handoff-context)/gi, '&lt;')
  return `<handoff-context>
${content.trimEnd()}
</handoff-context>

The above is a handoff document from a previous session. Use this context to continue the work seamlessly.
`
}
