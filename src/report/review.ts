import { chainOf, handedDown, linkChain } from '../brief/chain.ts'
import type { ParsedBrief } from '../brief/parse.ts'
import { clipMiddle, clipSentence, contentWords, isAcceptedPlan, isPasted, isReport } from '../text/blocks.ts'
import { openGoal, plural } from '../text/count.ts'
import { clipLine, codeSpan, escapeAlone, oneLine, unescapeAlone, unescapeStart } from '../text/safe-text.ts'
import type { Brief, BriefState, FrontMatter } from '../types/brief.ts'
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
  /** The newest brief against git, in safe lines: what is no longer so, and the commits since. Null when it is closed. */
  truth: { findings: readonly string[]; since: string | null } | null
  /** Commits after the last handoff. */
  since: number
  rules: Rules
  /** By id. */
  states: ReadonlyMap<string, BriefState>
}

/** What a reviewer wants to know of the handoffs of a change, over all of them. Lines are safe in the middle of a line of markdown. */
export interface Review {
  /** The goal that was handed over last; of what is closed the outcome. */
  heading: string
  /** One line for each chain, one for the rules, the last checks, then what is not as it should be. */
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

const MAX_CHAINS = 5
const MAX_FILES = 5

export function reviewOf(input: ReviewInput): Review {
  const { briefs, truth, states, rules } = input
  const metas = briefs.map(({ parsed }) => parsed.meta)
  const { meta: newest, closed } = (briefs.at(-1) as ReviewedBrief).parsed
  const { heads: ends } = linkChain(metas)
  const handoffs = briefs.filter(({ parsed }) => !isRecord(parsed.meta))
  const open = handoffs.filter(({ parsed: { meta } }) => states.get(meta.id) === 'open').toReversed()
  const settled = new Set([...endedIn(briefs), ...pursuedIn(briefs)])
  const latest = handoffs.toReversed()
  const since = (one: ParsedBrief): number => (one === latest[0]?.parsed ? input.since : 0)
  const noted = (of: readonly ReviewedBrief[], kind: MemoryKind): string[] =>
    of.flatMap(({ parsed }) =>
      memoryItems(parsed).flatMap((item) => (kindOf(item) === kind ? sayAlone(item.text) : [])),
    )
  const openItems = open.flatMap(({ parsed }) => openLines(parsed, since(parsed), settled))
  const unproven = [
    ...noted(open, 'fails').map((line) => `fails: ${line}`),
    ...noted(open, 'unproven').map((line) => `not proven: ${line}`),
  ]
  return {
    heading: isRecord(newest) ? `Done: ${closed ?? ''}` : `Handed over: ${newest.goal}`,
    summary: [
      ...chainLines(input, metas, ends, states),
      ...rulesLine(rules),
      ...(open.length === 0 ? latest.slice(0, 1) : open).flatMap(({ parsed }) =>
        checks(parsed, since(parsed)),
      ),
      ...(truth?.since == null ? [] : [`After the last handoff: ${truth.since.replace(' since:', ':')}`]),
      ...noticeLines(input),
    ],
    open: list('Open now', openItems),
    drift: list('Still true?', truth?.findings ?? [], { rest: 'by `git handoff verify`' }),
    others: [
      list('Not proven', unproven),
      list('Rules', ruleLines(rules), { most: Number.POSITIVE_INFINITY, room: 8000 }),
      list(
        'Handoffs',
        briefs.flatMap((one) => handoffLines(one, states, newest)),
        { most: Number.POSITIVE_INFINITY, room: 20_000 },
      ),
      list('Decided', [...noted(latest, 'decided'), ...decisionsOf(handoffs)]),
      list('Tried and dropped', [
        ...noted(latest, 'dropped'),
        ...latest.flatMap(({ parsed: { brief } }) => refusals(brief.trail)),
      ]),
    ],
  }
}

/** Whose session it was, until when, and what became of the brief; below it what was asked, said at the end, and handed over. */
function handoffLines(
  { parsed: { meta, brief, closed }, state, apart, author }: ReviewedBrief,
  states: ReviewInput['states'],
  newest: FrontMatter,
): string[] {
  const become = states.get(meta.id)
  const about = [
    ...(become === 'open' || become === 'landed' ? [become] : []),
    ...(state === 'gone' ? ['only in history'] : []),
    ...(apart === undefined ? [] : [`on ${apart}`]),
  ]
  const who = isRecord(meta) ? say(author ?? meta.agent.label) : whoOf(meta, author)
  const head = `${who}, ${timeOf(meta.createdAt)}: ${codeSpan(meta.id)}${about.length === 0 ? '' : `, ${say(about.join(', '))}`}`
  if (isRecord(meta)) return [head, `\tclosed: ${say(closed ?? '')}`]
  const report = reportOf(brief)
  return [
    head,
    ...requests(brief.trail).map((line) => `\tasked: ${line}`),
    ...(report === null ? [] : [`\tthe agent: ${report}`]),
    // The heading tells that of the newest.
    ...(meta === newest ? [] : [`\thanded over: ${say(meta.goal)}`]),
  ]
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

/** Each line once, but for those that belong to another. */
const unique = (lines: readonly string[]): string[] =>
  [
    ...new Map(
      lines.toReversed().map((line, at) => [line.startsWith('\t') ? `${at}` : sameText(line), line]),
    ).values(),
  ].reverse()

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

/** Goals that stand open by the word of a later brief, and after which something was committed before that. */
function pursuedIn(briefs: readonly ReviewedBrief[]): string[] {
  const metas = briefs.map(({ parsed }) => parsed.meta)
  const isPursued = ({ id, head }: FrontMatter): boolean =>
    metas.some((next) => next.parents.includes(id) && next.head !== head)
  return metas.filter(isPursued).map(({ goal }) => sameText(openGoal(goal)))
}

/** Who handed over to whom, the newest chain first. */
const chainLines = (
  { briefs, base, total }: ReviewInput,
  metas: readonly FrontMatter[],
  ends: readonly string[],
  states: ReadonlyMap<string, BriefState>,
): string[] => {
  const authors = new Map(briefs.map(({ parsed, author }) => [parsed.meta.id, author]))
  return briefs
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
        `${whoLine(line, authors)}${meta.branch === null ? '' : ` on ${codeSpan(clipLine(meta.branch, 200))}`}, ${isRecord(meta) ? `closed${at === 0 ? '' : `: ${say(closed ?? '')}`}` : states.get(meta.id)}`,
        ...(named.length === 0 ? [] : [`goes on from ${named.join(' and ')}`]),
        at === 0
          ? `${plural(total - metas.filter(isRecord).length, 'handoff')} since ${codeSpan(clipLine(base, 200))}`
          : say(meta.goal),
      ].join('; ')
    })
}

/** A record that closes a chain hands nothing over. */
const isRecord = ({ kind }: FrontMatter): boolean => kind === 'done'

/** `Ada with Claude Code ×2 → Bob with Codex`; `Ada → Bob with Codex` where the agent stays. */
function whoLine(line: readonly FrontMatter[], authors: ReadonlyMap<string, string | undefined>): string {
  const runs: { who: string; count: number }[] = []
  const handoffs = line.filter((one) => !isRecord(one))
  const told = handoffs.length === 0 ? line : handoffs
  const [first] = told
  const isOneAgent = told.every(({ id, agent }) => agent.label === first?.agent.label && authors.get(id))
  for (const meta of told) {
    const who = isOneAgent ? say(clipLine(authors.get(meta.id) ?? '', 80)) : whoOf(meta, authors.get(meta.id))
    const last = runs.at(-1)
    if (last?.who === who) last.count += 1
    else runs.push({ who, count: 1 })
  }
  const all = runs.map(({ who, count }) => `${who}${count === 1 ? '' : ` ×${count}`}`).join(' → ')
  return isOneAgent && first !== undefined ? `${all} with ${say(clipLine(first.agent.label, 120))}` : all
}

/** The person as git says, and the agent. */
const whoOf = ({ agent }: FrontMatter, author: string | undefined): string =>
  say(`${author === undefined ? '' : `${clipLine(author, 80)} with `}${clipLine(agent.label, 120)}`)

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

/** The last check, at which commit, and how many came after it up to now. */
const checks = ({ meta, brief }: ParsedBrief, commits: number): string[] =>
  brief.status
    .filter((line) => line.startsWith(CHECK))
    .map((line) => {
      const [, before] = SINCE.exec(line) ?? []
      const isPlaced = before !== undefined || line.includes(' at `')
      const head = isPlaced || meta.head === null ? '' : ` at ${codeSpan(meta.head.slice(0, 8))}`
      const since = Number(before ?? 0) + commits
      return [
        `Last check, before ${timeOf(meta.createdAt)}: ${oneLine(line.slice(CHECK.length).replace(SINCE, ''))}${head}`,
        ...(since === 0 ? [] : [`${plural(since, 'commit')} since`]),
      ].join('; ')
    })

const SINCE = /; (\d+) commits? since/

/** Content words of a request that asks for something; `ok, try it` has fewer. */
const LEAST_WORDS = 2
/** A short request that the diff answers. */
const COMMITS = /^(?:(?:now|please|ok(?:ay)?),? )*(?:commit|push)\b.{0,30}$/i

/** The requests of the person that ask for something, as How it got here quotes them: the first and the last ones. */
function requests(trail: readonly string[]): string[] {
  const asked = trail.flatMap((line) => {
    const [, words = '', question = ''] =
      /^- "(.*?)"?( \(to: ".*"\))?$/s.exec(
        line.startsWith('- "') ? `- "${unescapeAlone(line.slice(3))}` : '',
      ) ?? []
    const isOutput = isPasted(words) || /^[=[<>{$]/.test(words)
    return isOutput || COMMITS.test(words) || contentWords(words).length < LEAST_WORDS
      ? []
      : [escapeAlone(`"${clipMiddle(titleOf(words), MAX_REQUEST)}"${question}`)]
  })
  return [...asked.slice(0, 1), ...asked.slice(1).slice(1 - MAX_REQUESTS)]
}

/** A plan that is to be carried out, without what stands below its title, and without the client's words before it. */
const titleOf = (words: string): string =>
  words
    .replace(/ #{2,4} .*$/s, '')
    .replace(/^Implement the following plan: (?=# |Plan: )/, '')
    .replace(/(^|: )# /, '$1')

/** Characters of what an agent says at the end. */
const MAX_REPORT = 240

const LED =
  /^ {2}- (?:Answered|Refused by the user|From the plan|Committed|From a summary of earlier turns): /

/** The last message; where that says little, the newest in How it got here that tells more. Null: nothing was said at length. */
function reportOf({ closing, trail }: Brief): string | null {
  const messages: string[] = []
  for (const line of trail) {
    if (line.startsWith('  - ') && !LED.test(line)) messages.push(unescapeStart(line.slice(4)))
    else if (line.startsWith('    '))
      messages.push(`${messages.pop() ?? ''} ${unescapeStart(line.replace(/^ +(?:- )?/, ''))}`)
  }
  const plain = (text: string): string => unescapeAlone(text).replaceAll('**', '').replace(/\s+/g, ' ').trim()
  const quoted = closing.flatMap((line) =>
    line.startsWith('>') ? line.replace(/^[>\s]+/, '').replace(/^[-*] /, '· ') : [],
  )
  const last = plain(quoted.join(' '))
  const report = [last, ...messages.toReversed().map(plain)].find(isReport)
  return report === undefined ? null : escapeAlone(`"${clipSentence(report, MAX_REPORT)}"`)
}

/** An edit that the person refused, with their words. */
const REFUSED = '  - Refused by the user: '

/** Of commands that were refused, and plans, other lines tell more. */
const refusals = (trail: readonly string[]): string[] =>
  trail
    .filter((line) => line.startsWith(`${REFUSED}edit of `) && line.includes(': "'))
    .map((line) => sayAlone(unescapeAlone(line.slice(REFUSED.length))))

/** A text that is the only one of its line: its code stays as it is. */
const sayAlone = (text: string): string => escapeAlone(clipLine(text, MAX_TEXT))
