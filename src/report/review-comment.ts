import { fillTemplate } from '../brief/template.ts'
import { codeParts, escapeStart, unescapeAlone } from '../text/safe-text.ts'
import type { Review, ReviewList } from './review.ts'

/** By this line a later run finds the comment that it is to bring up to date; it is the first of every comment. */
const REVIEW_MARKER = '<!-- git-handoff review -->'

/** The longest comment that is given away. */
const MAX_COMMENT = 65_000
/** The comment on a pull request: markdown of at most 65,000 characters in which no text of a brief can do anything. `links`: to briefs, by id, and to commits. */
export function renderComment(
  review: Review,
  template: { text: string; place: string } | null,
  links: ReadonlyMap<string, string> = new Map(),
): string {
  const linked = (text: string): string =>
    text.replace(/`(\d{8}T\d{6}-[0-9a-f]{8}|[0-9a-f]{8})`/g, (name, id) =>
      links.has(id) ? `[${name}](${links.get(id)})` : name,
    )
  const values = {
    goal: escapeMentions(review.heading),
    // As one, since a stray backtick of one line opens code that ends in the next.
    summary: linked(escapeMentions(review.summary.join('\\\n'))),
    open: section(review.open),
    drift: section(review.drift),
    handoffs: linked(review.others.map(section).filter(Boolean).join('\n\n')),
  }
  const filled = (override: typeof template) =>
    `${REVIEW_MARKER}\n${fillTemplate('pr-comment', values, override)
      .replace(/\n{3,}/g, '\n\n')
      .trimEnd()}\n`
  const comment = filled(template)
  // Only a template that repeats its slots is ever too long.
  return comment.length <= MAX_COMMENT ? comment : filled(null)
}

/** The comment where a range brings no brief: `lines` say so. */
export const renderNoReview = (lines: readonly string[]): string =>
  `${REVIEW_MARKER}\n${lines.join('\\\n')}\n`

const section = (part: ReviewList): string =>
  part.lines.length === 0
    ? ''
    : [`**${part.heading}**`, '', ...list(part, (line) => escapeMentions(escapeStart(line)))].join('\n')

/** Safe lines as a list; what is cut is said. */
function list({ lines, most, room, rest }: ReviewList, write: (line: string) => string): string[] {
  const kept: string[] = []
  let used = 0
  for (const line of lines.slice(0, most)) {
    const item = `${line.startsWith('\t') ? '  ' : ''}- ${write(line.replace('\t', ''))}`
    used += item.length + 1
    if (used > room) break
    kept.push(item)
  }
  const more = lines.length - kept.length
  return more === 0 ? kept : [...kept, `- ${more} more ${rest}`]
}

/** The review as a person reads it in a terminal. */
export const renderReviewText = ({ heading, summary, open, drift, others }: Review): string =>
  [
    [heading, ...summary].map(unescapeAlone),
    ...[open, drift, ...others]
      .filter(({ lines }) => lines.length > 0)
      .map((part) => [part.heading, ...list(part, unescapeAlone).map((line) => `  ${line}`)]),
  ]
    .map((lines) => lines.join('\n'))
    .join('\n\n')

/** A zero-width space, as what markdown decodes: nothing of ours holds a character that nobody can see. */
const GAP = '&#8203;'

/**
 * A safe line of markdown for a comment on GitHub or GitLab, in which it also calls nobody, links nowhere and closes
 * nothing: hosts look for `@name`, `#12`, `GH-12`, `!12`, `~label`, `[issue:12]` and addresses in what a reader sees, so
 * that no escape of markdown keeps them from it, and a gap does. Code spans stay as they are, nothing is looked for there.
 * `$` begins a formula on both and stands in an element of its own (docs.github.com, "Writing mathematical expressions").
 */
export const escapeMentions = (line: string): string =>
  codeParts(line)
    .map(({ text, code }) => (code === null ? withGaps(text) : text))
    .join('')

const CALLS = /\\\\|\\<|\\?[@#!~%^&$[]|:(?=\/\/)|www(?=\.)|GH(?=-\d)/gi

const withGaps = (text: string): string =>
  text.replace(CALLS, (found: string, at: number) => {
    if (found === '\\\\') return found
    // Nothing that strips comments or tags without knowing markdown finds one.
    if (found === '\\<') return '&lt;'
    if (found.endsWith('$')) return '<span>$</span>'
    const next = text[at + found.length] ?? ''
    const mark = found === '&' ? '&amp;' : found
    return found.endsWith('@') ||
      [':', 'www', 'gh'].includes(found.toLowerCase()) ||
      /["#\p{L}\p{N}_]/u.test(next)
      ? mark + GAP
      : mark
  })
