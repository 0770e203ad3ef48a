import { chainOf, handedDown, linkChain } from '../brief/chain.ts'
import type { ParsedBrief } from '../brief/parse.ts'
import { clipMiddle } from '../text/blocks.ts'
import { plural } from '../text/count.ts'
import { clipLine, codeSpan, escapeAlone, oneLine, unescapeAlone } from '../text/safe-text.ts'
import type { BriefState, FrontMatter } from '../types/brief.ts'
import type { QuestionFact } from '../types/evidence.ts'
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
import { type Rules, ruleLines, rulesLine } from './review-rules.ts'

export interface ReviewedBrief {
  parsed: ParsedBrief
  path: string
  /** What it goes on from, as far as that can be read. */
  before: readonly ParsedBrief[]
  /** `edited`: it was committed before with another text; `gone`: it does not stand at the end of the range. */
  state: 'new' | 'edited' | 'gone'
  /** The branch of briefs that holds it, as people say it. */
  apart?: string
  /** Who committed it, as git says. */
  author?: string
}

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
  /** What became of the newest brief's facts, safe lines, the first is the verdict; and the commits since. Null when it is closed. */
  truth: { lines: readonly string[]; commits: number } | null
  rules: Rules
  /** By id. */
  states: ReadonlyMap<string, BriefState>
}

/** What a reviewer wants to know of the handoffs of a change, over all of them. Lines are safe in the middle of a line of markdown. */
export interface Review {
  goal: string
  /** One line for each chain, one for the rules, then what is not as it should be. */
  summary: string[]
  open: ReviewList
  drift: ReviewList
  others: ReviewList[]
}

/** Lines under a heading, of which so many are told, in about so many characters; the rest is counted. `rest`: where it stands. */
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

const MAX_GOAL = 80
const MAX_CHAINS = 5
const MAX_FILES = 5

export function reviewOf(input: ReviewInput): Review {
  const { briefs, truth, states, rules } = input
  const metas = briefs.map(({ parsed }) => parsed.meta)
  const newest = metas.at(-1) as FrontMatter
  const { heads: ends } = linkChain(metas)
  const handoffs = briefs.toReversed()
  const parsed = handoffs.map((one) => one.parsed)
  const open = parsed.filter(({ meta }) => states.get(meta.id) === 'open')
  const ended = endedIn(briefs)
  const since = ({ meta }: ParsedBrief): number => (meta === newest ? (truth?.commits ?? 0) : 0)
  const noted = (of: readonly ParsedBrief[], kind: MemoryKind): string[] =>
    of.flatMap((one) =>
      memoryItems(one).flatMap((item) => (kindOf(item) === kind ? sayAlone(item.text) : [])),
    )
  const isOpen = open.some(({ meta }) => meta === newest)
  const openItems = open.flatMap((one) => openLines(one, since(one), ended))
  return {
    goal: newest.goal,
    summary: [...chainLines(input, metas, ends, states), rulesLine(rules), ...noticeLines(input)],
    open: list('Open now', openItems.length === 0 && isOpen ? ['The brief names no open items.'] : openItems),
    drift: list('Still true?', truth?.lines ?? [], { rest: 'by `git handoff verify`' }),
    others: [
      list('Rules', ruleLines(rules), { most: Number.POSITIVE_INFINITY, room: 8000 }),
      list(
        'Asked',
        parsed.flatMap(({ brief }) => requests(brief.trail)),
      ),
      list('Decided', [
        ...noted(parsed, 'decided'),
        ...parsed.flatMap(({ brief }) => brief.decisions.map(decisionText)),
      ]),
      list('Last check', [
        ...(open.length === 0 ? parsed.slice(0, 1) : open).flatMap((one) => checks(one, since(one))),
        ...noted(open, 'fails').map((line) => `fails: ${line}`),
        ...noted(open, 'unproven').map((line) => `not proven: ${line}`),
      ]),
      list('Tried and dropped', [
        ...noted(parsed, 'dropped'),
        ...parsed.flatMap(({ brief }) => refusals(brief.trail)),
      ]),
      list(
        'Handoffs',
        handoffs.map((one) => handoffLine(one, states)),
        { most: briefs.length },
      ),
    ],
  }
}

/** Which brief, for what, by whom, when, and what became of it. */
function handoffLine(
  { parsed: { meta }, state, apart, author }: ReviewedBrief,
  states: ReviewInput['states'],
): string {
  const about = [
    `${author === undefined ? '' : `${clipLine(author, 80)} with `}${agentName(meta)}`,
    timeOf(meta.createdAt),
    `${states.get(meta.id)}`,
    ...(state === 'gone' ? ['only in history'] : []),
    ...(apart === undefined ? [] : [`on ${apart}`]),
  ]
  return `${codeSpan(meta.id)}: ${say(clipLine(meta.goal, MAX_GOAL))} (${say(about.join(', '))})`
}

/** Each line once. */
const unique = (lines: readonly string[]): string[] =>
  [...new Map(lines.toReversed().map((line) => [sameText(line), line])).values()].reverse()

/** The questions that the person answered in any of the handoffs, in `sameText`. */
const endedIn = (briefs: readonly ReviewedBrief[]): ReadonlySet<string> =>
  new Set(
    briefs.flatMap(({ parsed }) => [
      ...endingsIn(parsed).keys(),
      ...parsed.brief.decisions.flatMap(({ what }) => {
        const [question, ...answer] = what.split(' → ')
        return answer.length === 0 || question === undefined ? [] : sameText(question)
      }),
    ]),
  )

/** Who handed over to whom, the newest chain first. */
const chainLines = (
  { briefs, base, total }: ReviewInput,
  metas: readonly FrontMatter[],
  ends: readonly string[],
  states: ReadonlyMap<string, BriefState>,
): string[] =>
  briefs
    .filter(({ parsed }) => ends.includes(parsed.meta.id))
    .toReversed()
    .slice(0, MAX_CHAINS)
    .map(({ parsed: { meta, closed } }, at) => {
      const line = chainOf(meta.id, metas)
      const earlier = line
        .flatMap(({ parents }) => parents)
        .filter((parent) => metas.every(({ id }) => id !== parent))
      const read = new Set(briefs.flatMap(({ before }) => before.map(({ meta: { id } }) => id)))
      const named = [...new Set(earlier)].map(
        (id) => `${codeSpan(id)}${read.has(id) ? '' : ', which cannot be read here'}`,
      )
      return [
        `${whoLine(line)}${meta.branch === null ? '' : ` on ${codeSpan(clipLine(meta.branch, 200))}`}, ${meta.kind === 'done' ? `closed: ${say(closed ?? '')}` : states.get(meta.id)}`,
        ...(named.length === 0 ? [] : [`goes on from ${named.join(' and ')}`]),
        at === 0
          ? `${plural(total - metas.filter(isRecord).length, 'handoff')} since ${codeSpan(clipLine(base, 200))}`
          : say(meta.goal),
      ].join('; ')
    })

/** A record that closes a chain hands nothing over. */
const isRecord = ({ kind }: FrontMatter): boolean => kind === 'done'

/** `Claude Code ×2 → Codex`. */
function whoLine(line: readonly FrontMatter[]): string {
  const runs: { label: string; count: number }[] = []
  const handoffs = line.filter((one) => !isRecord(one))
  for (const { agent } of handoffs.length === 0 ? line : handoffs) {
    const last = runs.at(-1)
    if (last?.label === agent.label) last.count += 1
    else runs.push({ label: agent.label, count: 1 })
  }
  return runs.map(({ label, count }) => `${say(label)}${count === 1 ? '' : ` ×${count}`}`).join(' → ')
}

function noticeLines({ briefs, removed, unreadable, untrusted }: ReviewInput): string[] {
  return [
    ...briefs
      .filter(({ state }) => state === 'edited')
      .map(({ parsed }) => `${codeSpan(parsed.meta.id)} was changed after it was committed.`),
    ...(removed === 0 ? [] : [`${plural(removed, 'brief')} taken out of the tree; history keeps them.`]),
    ...unreadableLines(unreadable),
    ...untrusted.map(untrustedLine),
  ]
}

/** What is said where a range brings no brief. */
export const noReviewLines = (
  base: string,
  { unreadable, untrusted }: Pick<ReviewInput, 'unreadable' | 'untrusted'>,
): string[] => [
  ...(untrusted.length > 0 ? [] : [`No handoff since ${codeSpan(clipLine(base, 300))}.`]),
  ...unreadableLines(unreadable),
  ...untrusted.map(untrustedLine),
]

const untrustedLine = (id: string): string => `${codeSpan(id)} is not trusted, so no agent is shown it.`

const unreadableLines = (paths: readonly string[]): string[] => [
  ...paths.slice(0, MAX_FILES).map((path) => `${codeSpan(clipLine(path, 300))} is no readable brief.`),
  ...(paths.length > MAX_FILES ? [`${paths.length - MAX_FILES} more files are no readable briefs.`] : []),
]

const agentName = ({ agent }: FrontMatter): string =>
  clipLine(agent.model === undefined ? agent.label : `${agent.label} (${agent.model})`, 120)

const timeOf = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`

/** Requests of the person that are told: the newest. */
const MAX_REQUESTS = 3
const MAX_REQUEST = 160

/** A failure that edits or a like check came after: it is open no more, as far as anybody can tell. */
const SETTLED = 'Failed earlier'

/**
 * Questions, what is to be done, and the next step, each text once. `commits`: how many came after the brief, which may have mended what
 * failed. `ended`: what was answered.
 */
function openLines(parsed: ParsedBrief, commits: number, ended: ReadonlySet<string>): string[] {
  const { questions, pending } = handedDown(parsed)
  const asked = (one: QuestionFact): string =>
    one.kind === 'failing' && commits > 0
      ? `${questionText(one)}; no later run is known, ${plural(commits, 'commit')} since`
      : questionText(one)
  const line = (label: string) => (one: { text: string }) =>
    [one.text, `${label}${sayAlone(one.text)}`] as const
  const noted = memoryItems(parsed).filter((item) => kindOf(item) === 'next')
  const seen = new Set(ended)
  return [
    ...questions
      .filter(({ text }) => !text.startsWith(SETTLED))
      .map((one) => [one.text, asked(one)] as const),
    ...pending.map(line('to do: ')),
    ...[...noted, ...parsed.brief.nextSteps].map(line('next: ')),
  ].flatMap(([text, said]) => {
    const key = sameText(text)
    return seen.has(key) || !seen.add(key) ? [] : [said]
  })
}

const CHECK = 'Last check: '

/** The last check, with the time and the commit by which it ran. */
const checks = ({ meta, brief }: ParsedBrief, commits: number): string[] =>
  brief.status
    .filter((line) => line.startsWith(CHECK))
    .map((line) => {
      const head =
        meta.head === null || line.includes(' at `') ? '' : ` at ${codeSpan(meta.head.slice(0, 8))}`
      const since = commits === 0 ? '' : `; ${plural(commits, 'commit')} since this handoff`
      return `${oneLine(line.slice(CHECK.length))}${head}, before ${timeOf(meta.createdAt)}${since}`
    })

/** The items of How it got here are the requests of the person. */
const requests = (trail: readonly string[]): string[] =>
  trail
    .filter((line) => line.startsWith('- "'))
    .slice(-MAX_REQUESTS)
    .map((line) => {
      const [, words = '', question = ''] =
        /^(.*?)"?( \(to: ".*"\))?$/s.exec(unescapeAlone(line.slice(3))) ?? []
      return escapeAlone(`"${clipMiddle(words, MAX_REQUEST)}"${question}`)
    })

const REFUSED = '  - Refused by the user: '

const refusals = (trail: readonly string[]): string[] =>
  trail
    .filter((line) => line.startsWith(REFUSED))
    .map((line) => sayAlone(unescapeAlone(line.slice(REFUSED.length))))

/** A text that is the only one of its line: its code stays as it is. */
const sayAlone = (text: string): string => escapeAlone(clipLine(text, MAX_TEXT))
