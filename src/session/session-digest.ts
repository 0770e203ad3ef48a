import type { Action, SessionEvent } from '../types/session.ts'
import type { PickedSession } from './pick-session.ts'
import { watchEvents } from './read-session.ts'

/** Most lines of a session that a person is shown; of a longer one the end, where the work stands. */
const MOST_LINES = 200
/** Characters of one line: about four rows of a column. */
const MOST_CHARACTERS = 160
/** Characters that are kept of one: much more than is shown, since a secret that is cut in half is not known for one. */
const KEPT_CHARACTERS = 32_000

/** What was said or done, whole, and what stands before it. */
export interface DigestLine {
  head: string
  text: string
}

/** A session that notes down what is read of it, as a person would skim it: one line per thing said or done. */
export interface Watched {
  watch(picked: PickedSession): PickedSession
  /** Known when the session was read; not cut to what is shown, which is done when secrets are replaced. */
  lines(): DigestLine[]
}

export const digestLines = (lines: readonly DigestLine[]): string[] =>
  lines.map(({ head, text }) => `${head}${clip(text)}`)

export function watchSession(): Watched {
  const kept: DigestLine[] = []
  let total = 0
  const note = (event: SessionEvent): void => {
    const line = lineOf(event)
    if (line === null) return
    total++
    const head = `${event.at?.slice(11, 19) ?? '--:--:--'} ${event.sub === null ? '' : '· '}`
    kept.push({ head, text: line.slice(0, KEPT_CHARACTERS) })
    if (kept.length > MOST_LINES) kept.shift()
  }
  return {
    watch: (picked) => watchEvents(picked, note),
    lines: () =>
      total > kept.length
        ? [{ head: `(${total - kept.length} earlier lines)`, text: '' }, ...kept]
        : [...kept],
  }
}

function lineOf(event: SessionEvent): string | null {
  switch (event.kind) {
    case 'prompt':
      return `you: ${event.text}`
    case 'reply':
      return `agent: ${event.text}`
    case 'call':
      return `${event.by === 'user' ? 'you ' : ''}${deed(event.action, event.tool)}`
    case 'result':
      if (event.refused === true) return '  refused'
      return event.ok || event.unsure === true
        ? null
        : `  failed${event.exitCode === null ? '' : `, exit ${event.exitCode}`}`
    case 'question':
      return `agent asks: ${event.text}`
    case 'answer':
      return `you answer: ${event.text}`
    case 'plan':
      return `plan: ${event.items.map(({ status, text }) => `${status} ${text}`).join('; ')}`
    case 'proposal':
      return `plan proposed: ${event.text}`
    case 'compaction':
      return `compacted: ${event.summary}`
    case 'skill':
      return `skill ${event.name}`
    case 'interrupt':
      return 'you stopped the agent'
    case 'failure':
      return `agent failed: ${event.text}`
    case 'setting':
    case 'usage':
      return null
  }
}

function deed(action: Action, tool: string): string {
  switch (action.type) {
    case 'read':
      return `read ${action.paths.join(', ')}`
    case 'edit':
      return `edit ${action.files.map(({ path }) => path).join(', ')}`
    case 'run':
      return `run ${action.command}`
    case 'search':
      return `search ${action.pattern}`
    case 'task':
      return `task ${action.prompt}`
    case 'other':
      return `${tool} ${action.paths.join(', ')}`.trimEnd()
  }
}

function clip(text: string): string {
  const line = text
    .slice(0, 4 * MOST_CHARACTERS)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS - 1)}…` : line
}
