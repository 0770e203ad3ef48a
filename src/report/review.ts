import { chainOf, handedDown, lastQuestion } from '../brief/chain.ts'
import type { ParsedBrief } from '../brief/parse.ts'
import { isAcceptedPlan } from '../text/blocks.ts'
import { openGoalIn, plural, someOf } from '../text/count.ts'
import { clipLine, codeSpan, escapeAlone, oneLine, unescapeAlone } from '../text/safe-text.ts'
import type { BriefState, FrontMatter } from '../types/brief.ts'
import {
  decisionText,
  endingsIn,
  kindOf,
  MAX_TEXT,
  type MemoryKind,
  memoryItems,
  questionText,
  sameText,
  say,
} from './compare.ts'
import { type Rules, ruleLines, rulesLine, unique } from './review-rules.ts'
import {
  authorsOf,
  isRecord,
  type RangeCommit,
  type ReviewedBrief,
  sizeOf,
  type Work,
  whoOf,
  workLines,
  workOf,
} from './review-work.ts'

export interface ReviewInput {
  /** Those that are told, oldest first; at least one. */
  briefs: readonly ReviewedBrief[]
  total: number
  /** The branch or commit that the range is compared with. */
  base: string
  /** Briefs that the range takes out of the tree. */
  removed: number
  unreadable: readonly string[]
  /** Ids of those that are not trusted, where an agent asks. */
  untrusted: readonly string[]
  /** What the newest brief says and git contradicts, in safe lines. */
  findings: readonly string[]
  /** Those of the range, newest first. */
  commits: readonly RangeCommit[]
  rules: Rules
  /** By id. */
  states: ReadonlyMap<string, BriefState>
}

/** What a reviewer wants to know of the handoffs of a change, over all of them. Lines are safe in the middle of a line of markdown. */
export interface Review {
  /** The goal that was handed over last; or who marked it as done; the outcome, which somebody says, stands last. */
  heading: string
  /** Who and how much, the rules, the last check, then what is not as it should be. */
  summary: string[]
  open: ReviewList
  drift: ReviewList
  others: ReviewList[]
}

/**
 * Lines under a heading, of which so many are told, in about so many characters; the rest is counted. `rest`: where it stands. A line that
 * begins with a tab belongs to the one above.
 */
export interface ReviewList {
  heading: string
  lines: readonly string[]
  most: number
  room: number
  rest: string
}

const list = (heading: string, lines: readonly string[], more: Partial<ReviewList> = {}): ReviewList => ({
  ...{ heading, lines: unique(lines), most: 8, room: 5000, rest: 'in the briefs' },
  ...more,
})

const MAX_FILES = 5

export function reviewOf(input: ReviewInput): Review {
  const { briefs, states, rules } = input
  const { parsed: newest, author } = briefs.at(-1) as ReviewedBrief
  const handoffs = briefs.filter(({ parsed }) => !isRecord(parsed.meta))
  const latest = handoffs.toReversed()
  const work = workOf(handoffs, input.commits)
  const open = latest.filter(({ parsed: { meta } }) => states.get(meta.id) === 'open')
  const settled = endedIn(briefs, work.since)
  const changed = new Set(input.commits.flatMap(({ files }) => files))
  const noted = (of: readonly ReviewedBrief[], kind: MemoryKind, by = false): string[] =>
    of.flatMap(({ parsed }) =>
      memoryItems(parsed).flatMap((item) =>
        kindOf(item) === kind
          ? sayAlone(item.text) + (by ? ` (by ${say(parsed.meta.agent.label)})` : '')
          : [],
      ),
    )
  return {
    heading: isRecord(newest.meta)
      ? `Marked done${author === undefined ? '' : ` by ${author}`}`
      : `Last handed over: ${newest.meta.goal}${work.after.length === 0 ? '' : `; ${plural(work.after.length, 'commit')} since`}`,
    summary: [
      chainLine(input, work.after),
      ...rulesLine(rules),
      lastCheck(latest, work.since),
      ...noticeLines(input),
    ],
    open: list(
      'Open at the last handoff',
      open.flatMap(({ parsed }) => openLines(parsed, settled)),
    ),
    drift: list('Still true?', input.findings, { rest: 'by `git handoff verify`' }),
    others: [
      list('Not proven, as the agent says', [
        ...noted(open, 'fails').map((line) => `fails: ${line}`),
        ...noted(open, 'unproven').map((line) => `not proven: ${line}`),
      ]),
      list('Rules', ruleLines(rules), { most: Number.POSITIVE_INFINITY, room: 8000 }),
      list('Decided', [...noted(latest, 'decided', true), ...decisionsOf(handoffs)]),
      list('Refused or dropped', [
        ...noted(latest, 'dropped'),
        ...latest.flatMap((one) => refusals(one, changed)),
      ]),
      {
        ...list('Handoffs', []),
        lines: workLines(briefs, input.total, work),
        most: Number.POSITIVE_INFINITY,
        room: 20_000,
      },
    ],
  }
}

/** Decisions, each by whoever made it first, the newest first; of a plan its title, unless that was asked for. */
function decisionsOf(handoffs: readonly ReviewedBrief[]): string[] {
  const known = new Map<string, string>()
  for (const { parsed, author } of handoffs)
    for (const one of parsed.brief.decisions) {
      const isPlan = isAcceptedPlan(one.what)
      const what = isPlan ? (one.what.split('; ')[0] ?? '') : one.what
      if (isPlan && parsed.brief.trail.some((line) => line.includes(what.replace(/^.*?: /, '')))) continue
      const line = decisionText({ ...one, what }, one.by === 'user' ? author : undefined)
      const key = sameText(one.what)
      if (!known.has(key)) known.set(key, line)
    }
  return [...known.values()].reverse()
}

/**
 * The questions that the person answered in any of the handoffs, in `sameText`, and those that a message ended with before another session
 * or a commit: `since` counts the commits after a handoff.
 */
const endedIn = (briefs: readonly ReviewedBrief[], since: Work['since']): ReadonlySet<string> =>
  new Set(
    briefs.flatMap(({ parsed, before }) => [
      ...[...(since(parsed.meta.id).length > 0 ? [parsed] : []), ...before]
        .flatMap(({ brief }) => lastQuestion(brief.closing))
        .map(({ text }) => sameText(text)),
      ...endingsIn(parsed).keys(),
      ...parsed.brief.decisions.flatMap(({ what }) => {
        const [question, ...answer] = what.split(' → ')
        return answer.length === 0 || question === undefined ? [] : sameText(question)
      }),
    ]),
  )

/** Who handed over to whom up to the newest brief and went on, and how much. `after`: commits since the last handoff. */
function chainLine(
  { briefs, base, total, states, commits }: ReviewInput,
  after: readonly RangeCommit[],
): string {
  const metas = briefs.map(({ parsed }) => parsed.meta)
  const newest = metas.at(-1) as FrontMatter
  const ids = chainOf(newest.id, metas).map(({ id }) => id)
  const line = briefs.filter(({ parsed }) => ids.includes(parsed.meta.id))
  const handed = line.filter(({ parsed }) => !isRecord(parsed.meta))
  const people = [...(handed.length === 0 ? line : handed).map(whoOf), ...authorsOf(after)]
  const who = people.filter((name, n) => name !== people[n - 1]).join(' → ')
  const handoffs = plural(total - metas.filter(isRecord).length, 'handoff')
  const changes = plural(commits.filter(({ files }) => files.length > 0).length, 'commit')
  const earlier = unique(line.flatMap(({ parsed }) => parsed.meta.parents.filter((id) => !ids.includes(id))))
  return [
    `${who}${newest.branch === null ? '' : ` on ${codeSpan(clipLine(newest.branch, 200))}`}: ${handoffs} and ${changes} since ${codeSpan(clipLine(base, 200))}`,
    ...(isRecord(newest) ? [] : [STATES[states.get(newest.id) ?? 'open']]),
    ...(earlier.length === 0 ? [] : [`goes on from ${someOf(earlier, MAX_FILES)}`]),
  ].join('; ')
}

const STATES: Readonly<Record<BriefState, string>> = {
  open: 'not marked done',
  landed: 'landed',
  followed: 'followed by another handoff',
  closed: 'marked done',
}

type Unread = Pick<ReviewInput, 'unreadable' | 'untrusted'>

const noticeLines = ({ briefs, removed, ...unread }: ReviewInput): string[] => [
  ...briefs
    .filter(({ state }) => state === 'edited')
    .map(({ parsed }) => `${codeSpan(parsed.meta.id)} was changed after it was committed.`),
  ...(removed === 0 ? [] : [`${plural(removed, 'brief')} taken out of the tree; history keeps them.`]),
  ...unreadLines(unread),
]

/** What is said where a range brings no brief. */
export const noReviewLines = (base: string, unread: Unread): string[] => [
  ...(unread.untrusted.length > 0 ? [] : [`No handoff since ${codeSpan(clipLine(base, 300))}.`]),
  ...unreadLines(unread),
]

const unreadLines = ({ unreadable, untrusted }: Unread): string[] => [
  ...unreadable.slice(0, MAX_FILES).map((path) => `${codeSpan(clipLine(path, 300))} is no readable brief.`),
  ...(unreadable.length > MAX_FILES
    ? [`${unreadable.length - MAX_FILES} more files are no readable briefs.`]
    : []),
  ...untrusted.map((id) => `${codeSpan(id)} is not trusted, so no agent is shown it.`),
]

/** A failure that edits or a like check came after: it is open no more, as far as anybody can tell. */
const SETTLED = 'Failed earlier'
/** Questions, what is to be done, and the next step, each text once, without what was `ended`. Goals stand among the handoffs. */
function openLines(parsed: ParsedBrief, ended: ReadonlySet<string>): string[] {
  const { questions, pending } = handedDown(parsed)
  const line = (label: string) => (one: { text: string }) =>
    [one.text, `${label}${sayAlone(one.text)}`] as const
  const seen = new Set(ended)
  return [
    ...questions
      .filter(({ text }) => !text.startsWith(SETTLED))
      .map((one) => [one.text, questionText(one)] as const),
    ...pending.filter(({ text }) => openGoalIn(text) === null).map(line('to do: ')),
    ...memoryItems(parsed)
      .filter((item) => kindOf(item) === 'next')
      .map(line('next: ')),
    ...parsed.brief.nextSteps.map(line('next: ')),
  ].flatMap(([text, said]) => {
    const key = sameText(text)
    return seen.has(key) || !seen.add(key) ? [] : [said]
  })
}

const CHECK = 'Last check: '

/** The last check of the newest handoff that knows one, at which commit, and how many came after it. Others may have run since. */
function lastCheck(latest: readonly ReviewedBrief[], commitsAfter: Work['since']): string {
  for (const { parsed } of latest) {
    const { meta, brief } = parsed
    const line = brief.status.find((status) => status.startsWith(CHECK))
    if (line === undefined) continue
    const [, before] = SINCE.exec(line) ?? []
    const isPlaced = before !== undefined || line.includes(' at `')
    const head = isPlaced || meta.head === null ? '' : ` at ${codeSpan(meta.head.slice(0, 8))}`
    const after = commitsAfter(meta.id, true)
    const since = Number(before ?? 0) + after.length
    const size = before === undefined ? sizeOf(after) : ''
    const check = oneLine(line.slice(CHECK.length).replace(SINCE, ''))
      // The commits hold those edits.
      .replace(since === 0 ? '' : /; files were edited since/, '')
    return `Last check on record: ${check}${head}${since === 0 ? '' : `; ${plural(since, 'commit')} since${size}`}`
  }
  return 'Last check on record: none'
}

const SINCE = /; (\d+) commits? since/

const REFUSED = '  - Refused by the user: '

/**
 * Edits that the person refused, with their words, of files that are not among the `changed`: there another edit was taken. Of commands
 * that were refused, and plans, other lines tell more.
 */
const refusals = ({ parsed }: ReviewedBrief, changed: ReadonlySet<string>): string[] =>
  parsed.brief.trail
    .filter((line) => line.startsWith(`${REFUSED}edit of `) && line.includes(': "'))
    .filter((line) => !changed.has(/edit of `([^`]+)`/.exec(unescapeAlone(line))?.[1] ?? ''))
    .map((line) => sayAlone(`refused: ${unescapeAlone(line.slice(REFUSED.length))}`))

/** A text that is the only one of its line: its code stays as it is. */
const sayAlone = (text: string): string => escapeAlone(clipLine(text, MAX_TEXT))
