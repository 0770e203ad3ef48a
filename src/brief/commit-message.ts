import { clipLine, oneLine } from '../text/safe-text.ts'
import { typedWord } from '../text/shell-word.ts'
import type { FrontMatter } from '../types/brief.ts'

/** commitlint's conventional limits, which many repositories enforce. */
const SUBJECT = 72
const LINE = 100

/** `chore(handoff): …`, at most 72 UTF-16 units, one line, first word in lower case, no full stop. */
export function commitSubject(goal: string, kind: FrontMatter['kind'] = 'handoff'): string {
  const start = kind === 'done' ? 'chore(handoff): close ' : 'chore(handoff): '
  const words = oneLine(goal).replace(/[.\s]+$/, '')
  const first = words.split(' ', 1)[0] ?? ''
  return start + clipLine(first.toLowerCase() + words.slice(first.length), SUBJECT - start.length)
}

/** The whole message: subject and trailers, an index that a squash may drop. Every value is one line of at most 100. */
export function commitMessage(meta: FrontMatter): string {
  const trailers: [string, string][] = [
    ['Handoff-Id', meta.id],
    ...meta.parents.map((id): [string, string] => ['Handoff-Parent', id]),
    ['Handoff-Reason', meta.reason],
    ['Handoff-Agent', meta.agent.label],
  ]
  const lines = trailers.map(([key, value]) => `${key}: ${clipLine(value, LINE - key.length - 2)}`)
  return `${commitSubject(meta.goal, meta.kind)}\n\n${lines.join('\n')}\n`
}

const MAX_PATHS = 3

/** The command that commits briefs which are on disk, and nothing else. */
export function commitCommand(paths: readonly string[]): string {
  // Of many the folder is named: a line of shell has an end.
  const words = paths.length > MAX_PATHS ? '.handoff/briefs' : paths.map(typedWord).join(' ')
  return `git add -- ${words} && git commit -m 'chore(handoff): keep what was handed over' -- ${words}`
}
