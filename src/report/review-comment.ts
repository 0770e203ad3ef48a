import { fillTemplate } from '../brief/template.ts'
import { plural } from '../text/count.ts'
import { codeSpan, escapeStart } from '../text/safe-text.ts'
import { say } from './compare-lines.ts'
import { quietHtml, quietLine } from './quiet-line.ts'
import { MAX_LINES, type Review, type ReviewedHandoff } from './review.ts'
import { drawFlowchart } from './review-chain.ts'

/** By this line a later run finds the comment that it is to bring up to date; it is the first of every comment. */
const REVIEW_MARKER = '<!-- git-handoff review -->'

/** Characters of each part; together with a template of 16 KB less than the 65,536 that a comment of GitHub holds. */
const ROOM = { open: 6000, drift: 4000, part: 3000, handoffs: 26_000 }
/** The longest comment that is given away. */
const MAX_COMMENT = 65_000
/** From so many handoffs on a drawing says more than the line above. */
const MIN_DRAWN = 3

/** The comment on a pull request: markdown of at most 65,000 characters in which no text of a brief can do anything. */
export function renderComment(review: Review, template: { text: string; place: string } | null): string {
  const { goal, summary, open, drift, handoffs } = review
  const values = {
    goal: quietLine(say(goal)),
    summary: summary.map(quietLine).join('\\\n'),
    open: section('Open now', open, MAX_LINES.open, ROOM.open, 'below'),
    drift: section('Still true?', drift, MAX_LINES.drift, ROOM.drift, 'by `handoff verify`'),
    handoffs: foldsOf(review),
    chain: handoffs.length < MIN_DRAWN ? '' : drawFlowchart(handoffs.map(({ meta }) => meta)),
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

/** A fold for each handoff. The newest are told first when there is no room for all, and stand last. */
function foldsOf({ handoffs, total }: Review): string {
  let room = ROOM.handoffs
  const folds: string[] = []
  for (const handoff of handoffs.toReversed()) {
    const fold = foldOf(handoff)
    if (fold.length > room && folds.length > 0) break
    folds.unshift(fold)
    room -= fold.length
  }
  const left = total - folds.length
  const cut = left === 0 ? [] : [`The ${plural(left, 'older handoff')} not told here stand in the files.`]
  return [...cut, ...folds].join('\n\n')
}

/** Markdown inside an element of HTML is read only between blank lines. */
function foldOf({ meta, goal, about, parts }: ReviewedHandoff): string {
  const items = [...parts, { label: 'Brief', lines: [codeSpan(meta.id)] }].flatMap(
    ({ label, lines: [only = '', ...more] }) =>
      more.length === 0
        ? [`- **${label}**: ${quietLine(only)}`]
        : [`- **${label}**`, ...list([only, ...more], MAX_LINES.part, ROOM.part, 'in the brief', '  ')],
  )
  const head = `<details><summary><b>${quietHtml(goal)}</b>: ${quietHtml(about)}</summary>`
  return [head, '', ...items, '', '</details>'].join('\n')
}

/** A heading with its lines, or nothing. */
const section = (heading: string, ...[lines, ...how]: Parameters<typeof list>): string =>
  lines.length === 0 ? '' : [`**${heading}**`, '', ...list(lines, ...how)].join('\n')

/** Safe lines as a list of at most `most` items and about `room` characters; what is cut is said. */
function list(lines: readonly string[], most: number, room: number, where: string, indent = ''): string[] {
  const kept: string[] = []
  let used = 0
  for (const line of lines.slice(0, most)) {
    const item = `${indent}- ${quietLine(escapeStart(line))}`
    used += item.length + 1
    if (used > room) break
    kept.push(item)
  }
  const more = lines.length - kept.length
  return more === 0 ? kept : [...kept, `${indent}- ${more} more ${where}`]
}
