import { handedDown, lastQuestion } from '../brief/chain.ts'
import type { ParsedBrief } from '../brief/parse.ts'
import { openGoalIn, plural, someOf } from '../text/count.ts'
import { clipLine, codeSpan, escapeAlone, oneLine, unescapeAlone } from '../text/safe-text.ts'
import type { BriefState } from '../types/brief.ts'
import { endingsIn, kindOf, MAX_TEXT, memoryItems, questionText, sameText } from './compare.ts'
import { type FileChanges, filesOf, type RangeCommit } from './review-files.ts'
import { type Rules, ruleLines, unique } from './review-rules.ts'
import { isRecord, type ReviewedBrief, taskLines, tasksOf, type Work, workOf } from './review-work.ts'

export interface ReviewInput {
  /** Those that are told, oldest first; at least one. */
  briefs: readonly ReviewedBrief[]
  total: number
  /** Briefs that the range takes out of the tree. */
  removed: number
  unreadable: readonly string[]
  /** Ids of those that are not trusted, where an agent asks. */
  untrusted: readonly string[]
  /** What the newest brief says and git contradicts, in safe lines. */
  findings: readonly string[]
  /** Those of the range, newest first. */
  commits: readonly RangeCommit[]
  /** What they do to files in the end; null where that is not known. */
  files: FileChanges | null
  rules: Rules
  /** By id. */
  states: ReadonlyMap<string, BriefState>
}

/** What a reviewer wants to know of the handoffs of a change, over all of them. Lines are safe in the middle of a line of markdown. */
export interface Review {
  /** Whether somebody marked it done, how many tasks, and who worked on them. */
  heading: string
  /** The last check, the files, then what is not as it should be. */
  summary: string[]
  open: ReviewList
  drift: ReviewList
  others: ReviewList[]
}

/** Lines under a heading, those that begin with a tab below the one above; `most`, in about `room` characters, are told, the `rest` counted. */
export interface ReviewList {
  heading: string
  lines: readonly string[]
  most: number
  room: number
  rest: string
}

const list = (heading: string, lines: readonly string[], more: Partial<ReviewList> = {}): ReviewList => ({
  ...{ heading, lines, most: 8, room: 5000, rest: 'in the briefs' },
  ...more,
})

const MAX_FILES = 5

export function reviewOf(input: ReviewInput): Review {
  const { briefs, states, rules, commits, files } = input
  const { parsed: newest } = briefs.at(-1) as ReviewedBrief
  const handoffs = briefs.filter(({ parsed }) => !isRecord(parsed.meta))
  const latest = handoffs.toReversed()
  const work = workOf(handoffs, commits)
  const tasks = tasksOf(handoffs, work, states)
  const older = input.total - briefs.length
  const open = latest.filter(({ parsed: { meta } }) => states.get(meta.id) === 'open')
  const settled = endedIn(briefs, work.since)
  const left = unique(open.flatMap(({ parsed }) => openLines(parsed, settled)))
  const all = tasks.flatMap(({ goal, said }) => [goal, ...said]).join(' ')
  const told = files && filesOf(files, commits, rules, unescapeAlone(all))
  const people = tasks.flatMap((task) => task.people).filter((name, n, all) => name !== all[n - 1])
  const state = isRecord(newest.meta) ? 'closed' : (states.get(newest.meta.id) ?? 'open')
  const noted = latest.flatMap((one) =>
    memoryItems(one.parsed).flatMap((item) => {
      const kind = kindOf(item)
      const isTold = kind === 'dropped' || ((kind === 'fails' || kind === 'not proven') && open.includes(one))
      return isTold ? `${kind}: ${sayAlone(item.text)}` : []
    }),
  )
  const whole = { most: Number.POSITIVE_INFINITY, room: 20_000 }
  return {
    heading: `${STATES[state]}: ${plural(older + tasks.length, 'task')} by ${people.join(' → ')}`,
    summary: [lastCheck(latest, work.since, commits), ...(told?.counts ?? []), ...noticeLines(input)],
    open: list('Open at the last handoff', left),
    drift: list('Still true?', input.findings, { rest: 'by `git handoff verify`' }),
    others: [
      list(TASKS, taskLines(tasks, briefs, older), whole),
      list('Look at first', told?.first ?? [], whole),
      list('Noted by the agents', unique(noted)),
      list(rules.isOver ? 'Rules at the end' : 'Rules', ruleLines(rules), { ...whole, room: 8000 }),
    ],
  }
}

const TASKS = 'Asked, decided and committed, oldest first; quoted, not compared with the diff'

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

const STATES: Readonly<Record<BriefState, string>> = {
  open: 'Not marked done',
  landed: 'Landed',
  followed: 'Followed by another handoff',
  closed: 'Marked done',
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
  ...(unreadable.length === 0
    ? []
    : [
        `${plural(unreadable.length, 'file')} among the briefs cannot be read: ${someOf(unreadable, MAX_FILES)}.`,
      ]),
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

/**
 * The last check of the newest handoff that knows one, with its tests where that was none, and what was committed after it. Others may have
 * run since.
 */
function lastCheck(latest: readonly ReviewedBrief[], after: Work['since'], commits: readonly RangeCommit[]) {
  for (const { parsed } of latest) {
    const { meta, brief } = parsed
    const line = brief.status.find((status) => status.startsWith(CHECK))
    if (line === undefined) continue
    const since = Number(SINCE.exec(line)?.[1] ?? 0) + after(meta.id, true).length
    const check = line.slice(CHECK.length).replace(SINCE, '')
    const place = check.lastIndexOf(' at `')
    const head = place >= 0 || meta.head === null ? '' : ` at ${codeSpan(meta.head.slice(0, 8))}`
    if (since === 0) return `Last check on record: ${oneLine(check)}${head}`
    // The commits hold what was edited since.
    const [said = ''] = (place < 0 ? check : check.slice(0, place)).split('; files were edited since')
    const tests = brief.commands.flatMap(({ kind, outcome, from, command }) =>
      kind === 'test' && outcome === 'ok' && from === undefined ? command : [],
    )
    const isTest = tests.length === 0 || tests.some((command) => said.includes(command))
    const before = isTest ? '' : `; before it passed ${tests.slice(0, 2).map(codeSpan).join(', ')}`
    const ids = commits.flatMap(({ sha, files }) => (files.length > 0 ? sha.slice(0, 8) : []))
    const later =
      ids.length < since ? plural(since, 'commit') : someOf(ids.slice(0, since).reverse(), MAX_FILES)
    return `Last check on record: ${oneLine(said)}${before}; committed after it: ${later}`
  }
  return 'Last check on record: none'
}

const SINCE = /; (\d+) commits? since/

/** A text that is the only one of its line: its code stays as it is. */
const sayAlone = (text: string): string => escapeAlone(clipLine(text, MAX_TEXT))
