import { fillTemplate } from '../brief/template.ts'
import { plural } from '../text/count.ts'
import { codeParts, codeSpan, escapeStart, oneLine, unescapeAlone } from '../text/safe-text.ts'
import { say } from './compare.ts'
import { partOf, type Review, type ReviewedHandoff, type ReviewList } from './review.ts'

/** By this line a later run finds the comment that it is to bring up to date; it is the first of every comment. */
const REVIEW_MARKER = '<!-- git-handoff review -->'

/** Characters of all handoffs; with the other lists and a template of 16 KB less than the 65,536 that a comment of GitHub holds. */
const MAX_HANDOFFS = 15_000
/** The longest comment that is given away. */
const MAX_COMMENT = 65_000
/** The comment on a pull request: markdown of at most 65,000 characters in which no text of a brief can do anything. */
export function renderComment(review: Review, template: { text: string; place: string } | null): string {
  const { goal, summary, open, drift } = review
  const values = {
    goal: escapeMentions(say(goal)),
    summary: summary.map(escapeMentions).join('\\\n'),
    open: section(open),
    drift: section(drift),
    handoffs: handoffsOf(review),
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

/** Every rule and the last handoff, open, and a fold for each other. The newest are told first when there is no room for all, and stand last. */
function handoffsOf({ handoffs, total, rules }: Review): string {
  const last = handoffs.findLast(({ meta }) => meta.kind !== 'done')
  const about = escapeMentions(say(last?.about ?? ''))
  const open = last === undefined ? '' : [`**Last handoff**: ${about}`, '', ...itemsOf(last)].join('\n')
  let room = MAX_HANDOFFS - open.length
  const folds: string[] = []
  for (const [at, handoff] of [...handoffs.entries()].reverse()) {
    if (handoff === last) continue
    const isTold = [last, handoffs[at - 1]].some((one) => one?.goal === handoff.goal)
    const fold = foldOf(handoff, isTold)
    if (fold.length > room) break
    folds.unshift(fold)
    room -= fold.length
  }
  const left = total - folds.length - (last === undefined ? 0 : 1)
  const cut = left === 0 ? '' : `The files hold ${plural(left, 'older handoff')} more.`
  return [section(rules), open, cut, ...folds].join('\n\n')
}

const itemsOf = ({ meta, parts }: ReviewedHandoff): string[] =>
  [...parts, partOf('Brief', [codeSpan(meta.id)])].flatMap((part) =>
    part.lines.length === 1
      ? [`- **${part.heading}**: ${escapeMentions(part.lines[0] ?? '')}`]
      : [`- **${part.heading}**`, ...list(part, '  ')],
  )

/** Markdown inside an element of HTML is read only between blank lines. */
function foldOf(handoff: ReviewedHandoff, isSameGoal: boolean): string {
  const about = escapeMentionsHtml(handoff.about)
  const title = isSameGoal ? `<b>${about}</b>` : `<b>${escapeMentionsHtml(handoff.goal)}</b>: ${about}`
  return [`<details><summary>${title}</summary>`, '', ...itemsOf(handoff), '', '</details>'].join('\n')
}

const section = (part: ReviewList): string =>
  part.lines.length === 0 ? '' : [`**${part.heading}**`, '', ...list(part)].join('\n')

/** Safe lines as a list; what is cut is said. */
function list({ lines, most, room, rest }: ReviewList, indent = ''): string[] {
  const kept: string[] = []
  let used = 0
  for (const line of lines.slice(0, most)) {
    const item = `${indent}- ${escapeMentions(escapeStart(line))}`
    used += item.length + 1
    if (used > room) break
    kept.push(item)
  }
  const more = lines.length - kept.length
  return more === 0 ? kept : [...kept, `${indent}- ${more} more ${rest}`]
}

/** The review as a person reads it in a terminal. */
export function renderReviewText({ goal, summary, open, drift, rules, handoffs, total }: Review): string {
  const left = total - handoffs.length
  return [
    [`Handed over: ${goal}`, ...summary.map(unescapeAlone)],
    ...[open, drift, rules].map((part) =>
      part.lines.length === 0 ? [] : [part.heading, ...textList(part, '  ')],
    ),
    ...handoffs.map(({ meta, goal, about, parts }) => [
      `${meta.id}: ${goal}`,
      `  ${about}`,
      ...parts.flatMap((part) =>
        part.lines.length === 1
          ? [`  - ${part.heading}: ${unescapeAlone(part.lines[0] ?? '')}`]
          : [`  - ${part.heading}`, ...textList(part, '    ')],
      ),
    ]),
    left === 0 ? [] : [`${left} older ones are not told here.`],
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

const textList = ({ lines, most, rest }: ReviewList, indent: string): string[] => [
  ...lines.slice(0, most).map((line) => `${indent}- ${unescapeAlone(line)}`),
  ...(lines.length > most ? [`${indent}- ${lines.length - most} more ${rest}`] : []),
]

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
    return found.endsWith('@') || /^(?::|www|gh)$/i.test(found) || /["#\p{L}\p{N}_]/u.test(next)
      ? mark + GAP
      : mark
  })

/** The same for words inside an element of HTML, which an empty line would end and where nobody reads markdown. */
export const escapeMentionsHtml = (text: string): string =>
  oneLine(text).replace(/[<>"'`&@#!~%^$[]|:(?=\/\/)|www(?=\.)|GH(?=-\d)/gi, (found) => {
    if (found === '$') return '<span>$</span>'
    if (/[<>"'`]/.test(found)) return `&#${found.charCodeAt(0)};`
    return `${found === '&' ? '&amp;' : found}${GAP}`
  })
