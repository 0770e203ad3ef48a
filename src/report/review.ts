import type { DecisionFact, QuestionFact } from '../types.ts'
import { handedDown } from '../brief/chain.ts'
import { agentName, compareBriefs } from './compare.ts'
import { changeLines } from './compare-lines.ts'
import { plural } from '../brief/count.ts'
import type { ParsedBrief } from '../brief/parse.ts'
import { quietLine } from './quiet-line.ts'
import { type ChainBox, drawFlowchart } from './review-chain.ts'
import { clipLine, codeSpan, escapeLine, escapeText } from '../brief/safe-text.ts'
import { fillTemplate } from '../brief/template.ts'

/** By this line a later run finds the comment that it is to bring up to date; it is the first of every comment. */
export const REVIEW_MARKER = '<!-- git-handoff review -->'

/** A brief that the range brought. */
export interface ReviewedBrief {
  parsed: ParsedBrief
  path: string
  /** What it goes on from, when that can be read. */
  before: ParsedBrief | null
  /** `edited`: it was committed before with another text; `gone`: it does not stand at the end of the range. */
  state: 'new' | 'edited' | 'gone'
  /** The branch of briefs that holds it, as people say it. */
  apart?: string
}

export interface ReviewInput {
  /** Those that are told, oldest first; at least one. */
  briefs: readonly ReviewedBrief[]
  /** How many there are in all. */
  total: number
  /** The branch or commit that the range is compared with. */
  base: string
  branch: string | null
  /** Briefs that the range takes out of the tree. */
  removed: number
  /** Files that are no readable briefs. */
  unreadable: readonly string[]
  /** What became of the newest brief's facts since, safe lines; the first is the verdict. Null when it is closed. */
  truth: readonly string[] | null
  template?: { text: string; place: string } | null | undefined
}

/** Characters of each part; together with a template of 16 KB less than the 65,536 that a comment of GitHub holds. */
const ROOM = { decisions: 9000, open: 8000, constraints: 6000, changes: 14000, drift: 4000 }
/** The longest comment that is given away. */
const MOST = 65_000
const ITEM = 300
const GOAL = 200

/** The comment on a pull request: markdown of at most 65,000 characters in which no text of a brief can do anything. */
export function renderReview(input: ReviewInput): string {
  const values = slotsOf(input)
  const filled = (template: ReviewInput['template']) =>
    `${REVIEW_MARKER}\n${fillTemplate('pr-comment', values, template ?? null).replace(/\n{3,}/g, '\n\n')}`
  const comment = filled(input.template)
  // Only a template that repeats its slots is ever too long.
  return comment.length <= MOST ? comment : filled(null)
}

/** What is said where a range brings no brief. */
export const renderNoReview = (base: string, unreadable: readonly string[]): string =>
  `${REVIEW_MARKER}\n${[`No handoff since ${codeSpan(clipLine(base, ITEM))}.`, ...unreadableLines(unreadable)].join('\\\n')}\n`

function slotsOf(input: ReviewInput) {
  const { briefs, truth } = input
  const newest = briefs.at(-1) as ReviewedBrief
  // A closing record tells nothing but its outcome.
  const told = briefs.findLast(({ parsed }) => parsed.meta.kind !== 'done')?.parsed ?? newest.before
  const brief = told?.brief
  return {
    goal: quietLine(escapeText(clipLine(newest.parsed.meta.goal, GOAL))),
    summary: summaryOf(input, newest),
    decisions: section('Decided', (brief?.decisions ?? []).map(decisionLine), ROOM.decisions),
    open: openOf(newest, told),
    constraints: section(
      'Constraints',
      (brief?.constraints ?? []).map(({ text }) => `"${say(text)}"`),
      ROOM.constraints,
    ),
    changes: changesOf(input),
    drift: truth === null ? '' : section('Still true?', truth, ROOM.drift),
    chain: chainSection(input, newest),
  }
}

function summaryOf(input: ReviewInput, { parsed, path, apart }: ReviewedBrief): string {
  const { meta, closed } = parsed
  const { briefs, total, base, removed, unreadable } = input
  const state = meta.kind === 'done' ? `**Closed**: ${say(closed ?? '')}` : '**Open**'
  const where = meta.branch === null ? 'on no branch' : `on ${codeSpan(clipLine(meta.branch, ITEM))}`
  const edited = briefs.filter((one) => one.state === 'edited')
  const lines = [
    `${state}. Written by ${say(agentName(meta))} ${where}, ${timeOf(meta.createdAt)}; reason: ${say(meta.reason)}.`,
    `${plural(total, 'handoff')} since ${codeSpan(clipLine(base, ITEM))}; the newest is ${codeSpan(path)}${apart === undefined ? '' : `, on ${codeSpan(apart)}`}.`,
    ...edited.map((one) => `${codeSpan(one.parsed.meta.id)} was changed after it was committed.`),
    ...(removed === 0 ? [] : [`${plural(removed, 'brief')} taken out of the tree; history keeps them.`]),
    ...unreadableLines(unreadable),
  ]
  return lines.map(quietLine).join('\\\n')
}

const unreadableLines = (paths: readonly string[]): string[] => [
  ...paths.slice(0, 5).map((path) => `${codeSpan(clipLine(path, ITEM))} is no readable brief.`),
  ...(paths.length > 5 ? [`${paths.length - 5} more files are no readable briefs.`] : []),
]

function openOf({ parsed }: ReviewedBrief, told: ParsedBrief | null): string {
  if (parsed.meta.kind === 'done') return ''
  const { progress, nextSteps = [] } = told?.brief ?? {}
  const lines = [
    ...(told === null ? [] : handedDown(told).questions).map(questionLine),
    ...(progress?.pending ?? []).map(({ text }) => `to do: ${say(text)}`),
    ...nextSteps.map(({ text }) => `next: ${say(text)}`),
  ]
  return section('Open', lines.length === 0 ? ['The brief names nothing that is open.'] : lines, ROOM.open)
}

function changesOf({ briefs, total }: ReviewInput): string {
  let room = ROOM.changes
  const parts: string[] = []
  // The newest are told first when there is no room for all, and stand last.
  for (const brief of briefs.toReversed()) {
    const part = changeOf(brief)
    if (part.length > room && parts.length > 0) break
    parts.unshift(part)
    room -= part.length
  }
  const left = total - parts.length
  const cut = left === 0 ? [] : [`The ${plural(left, 'older handoff')} not told here stand in the files.`]
  return ['#### From handoff to handoff', ...cut, ...parts].join('\n\n')
}

function changeOf({ parsed, before, state }: ReviewedBrief): string {
  const { meta } = parsed
  const head = `**${meta.id}** by ${say(meta.agent.label)}${state === 'gone' ? ', only in history' : ''}: ${say(meta.goal)}`
  const lines =
    before === null
      ? [
          meta.parent === null
            ? 'It begins its chain.'
            : `It goes on from ${codeSpan(meta.parent)}, which cannot be read here.`,
        ]
      : changeLines(compareBriefs(before, parsed))
  const told = lines.length === 0 ? ['Nothing else is told than before.'] : lines
  return [quietLine(head), '', ...list(told, 5000)].join('\n')
}

function chainSection({ briefs }: ReviewInput, newest: ReviewedBrief): string {
  const boxes = new Map<string, ChainBox>()
  for (const { parsed, before } of briefs)
    for (const one of before === null ? [parsed] : [before, parsed])
      if (!boxes.has(one.meta.id)) boxes.set(one.meta.id, boxOf(one))
  const drawn = drawFlowchart([...boxes.values()], newest.parsed.meta.id)
  return `#### Chain\n\n${drawn}`
}

const boxOf = ({ meta }: ParsedBrief): ChainBox => ({
  id: meta.id,
  parent: meta.parent,
  goal: meta.goal,
  agent: meta.agent.label,
  kind: meta.kind ?? 'handoff',
})

/** A heading with its lines, or nothing. */
const section = (heading: string, lines: readonly string[], room: number): string =>
  lines.length === 0 ? '' : [`#### ${heading}`, '', ...list(lines, room)].join('\n')

/** Safe lines as a list that is at most about `room` characters long; what is cut is said. */
function list(lines: readonly string[], room: number): string[] {
  const kept: string[] = []
  let used = 0
  for (const line of lines) {
    const item = `- ${quietLine(line)}`
    used += item.length + 1
    if (used > room) break
    kept.push(item)
  }
  const more = lines.length - kept.length
  return more === 0 ? kept : [...kept, `- ${more} more, see the brief`]
}

const say = (text: string): string => escapeText(clipLine(text, ITEM))
const begin = (text: string): string => escapeLine(clipLine(text, ITEM))

function decisionLine({ what, why, alternatives, by }: DecisionFact): string {
  const others = alternatives.length === 0 ? '' : `; instead of: ${alternatives.map(say).join(', ')}`
  return `${begin(what)}${why === null ? '' : ` — ${say(why)}`}${others} (by ${by})`
}

const questionLine = ({ kind, text }: QuestionFact): string =>
  kind === 'question' ? begin(text) : `${kind}: ${say(text)}`

/** ISO 8601 as `2026-11-22 10:00 UTC`. */
const timeOf = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`
