import { chainOf, linkChain } from '../brief/chain.ts'
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
import type { Commit } from './receipt.ts'
import { quoted, rulesLine, rulesOf } from './review-rules.ts'

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
  /** The commits of the whole change, newest first. */
  commits: readonly Commit[]
  /** By id. */
  states: ReadonlyMap<string, BriefState>
}

/** What a reviewer wants to know of the handoffs of a change. Lines are safe in the middle of a line of markdown. */
export interface Review {
  goal: string
  /** One line for each chain, one for the rules, then what is not as it should be. */
  summary: string[]
  /** Every rule that stands, whole. */
  rules: string[]
  open: string[]
  drift: readonly string[]
  /** Oldest first. Each line is told once: above, or in the newest handoff that has it. */
  handoffs: ReviewedHandoff[]
  total: number
}

export interface ReviewedHandoff {
  meta: FrontMatter
  goal: string
  /** Who, when, and what became of it; words, not markdown. */
  about: string
  parts: ReviewPart[]
}

/** Lines of one list that are told before the others are counted. */
export const MAX_LINES = { open: 6, drift: 6, part: 4 } as const
const MAX_GOAL = 80
const MAX_CHAINS = 5
const MAX_FILES = 5

export function reviewOf(input: ReviewInput): Review {
  const { briefs, total, truth } = input
  const metas = briefs.map(({ parsed }) => parsed.meta)
  const newest = metas.at(-1) as FrontMatter
  const { heads } = linkChain(metas)
  // The parents of a circle lead nowhere.
  const ends = heads.length === 0 ? [newest.id] : heads
  const { states } = input
  const isOpen = ({ id }: FrontMatter): boolean => states.get(id) === 'open'
  const ended = endedIn(briefs)
  const open = untold(
    briefs
      .toReversed()
      .flatMap(({ parsed }) =>
        isOpen(parsed.meta)
          ? openLines(parsed, parsed.meta === newest ? (truth?.commits ?? 0) : 0, ended)
          : [],
      ),
    new Set(),
  )
  const standing = rulesOf(briefs, states, input.commits)
  const rules = standing.standing.map(quoted)
  const told = new Set([...open.slice(0, MAX_LINES.open), ...rules].map(sameText))
  const handoffs = briefs.toReversed().map(({ parsed, state, apart, author }): ReviewedHandoff => {
    const { meta } = parsed
    const about = [
      `${author === undefined ? '' : `${clipLine(author, 80)} with `}${agentName(meta)}`,
      timeOf(meta.createdAt),
      `${states.get(meta.id)}`,
      ...(state === 'gone' ? ['only in history'] : []),
      ...(apart === undefined ? [] : [`on ${apart}`]),
    ]
    const commits = meta === newest && truth !== null ? truth.commits : 0
    return {
      meta,
      goal: clipLine(meta.goal, MAX_GOAL),
      about: about.join(', '),
      parts: reviewParts(parsed, { maxGoal: MAX_GOAL, commits, isOpen: isOpen(meta) })
        .map(({ label, lines }) => ({ label, lines: untold(lines, told) }))
        .filter(({ lines }) => lines.length > 0),
    }
  })
  return {
    goal: newest.goal,
    summary: [...chainLines(input, metas, ends, states), rulesLine(standing), ...noticeLines(input)],
    rules,
    open: open.length === 0 && isOpen(newest) ? ['The brief names no open items.'] : open,
    drift: truth?.lines ?? [],
    handoffs: handoffs.reverse(),
    total,
  }
}

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

/** The lines that are not among `told`, to which they are added. */
const untold = (lines: readonly string[], told: Set<string>): string[] =>
  lines.filter((line) => {
    const isNew = !told.has(sameText(line))
    told.add(sameText(line))
    return isNew
  })

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

/** What a handoff tells under one label. Lines are safe in the middle of a line of markdown. */
interface ReviewPart {
  label: string
  lines: string[]
}

/** Requests of the person that are told: the newest. */
const MAX_REQUESTS = 3
const MAX_REQUEST = 160

/** `maxGoal`: characters of the goal that are told elsewhere. `commits`: how many came after it. */
function reviewParts(
  parsed: ParsedBrief,
  { maxGoal, commits, isOpen }: { maxGoal: number; commits: number; isOpen: boolean },
): ReviewPart[] {
  const { meta, brief, closed } = parsed
  if (meta.kind === 'done') return [{ label: 'Closed', lines: [sayAlone(closed ?? '')] }]
  const noted = notedIn(parsed)
  return [
    {
      label: 'Asked',
      lines: [
        ...(clipLine(meta.goal, maxGoal) === meta.goal ? [] : [sayAlone(meta.goal)]),
        ...requests(brief.trail),
      ],
    },
    { label: 'Decided', lines: [...noted('decided'), ...brief.decisions.map(decisionText)] },
    {
      label: isOpen ? 'Last check' : 'Last check at that time',
      lines: [
        ...checks(parsed, commits),
        ...noted('fails').map((line) => `fails: ${line}`),
        ...noted('unproven').map((line) => `not proven: ${line}`),
      ],
    },
    { label: isOpen ? 'Open' : 'Open then', lines: openLines(parsed, commits, new Set()) },
    { label: 'Tried and dropped', lines: [...noted('dropped'), ...refusals(brief.trail)] },
    {
      label: 'Constraints',
      lines: [...brief.constraints.map(({ text }) => quoted(text)), ...noted('constraint')],
    },
  ]
}

/** A failure that edits or a like check came after: it is open no more, as far as anybody can tell. */
const SETTLED = /^Failed earlier\b/

/**
 * Questions, what is to be done, and the next step, each text once. `commits`: how many came after the brief, which may have mended what
 * failed. `ended`: what was answered.
 */
function openLines(parsed: ParsedBrief, commits: number, ended: ReadonlySet<string>): string[] {
  const { questions, progress, nextSteps } = parsed.brief
  const items = memoryItems(parsed)
  const noted = (kind: MemoryKind) => items.filter((item) => kindOf(item) === kind)
  const asked = (one: QuestionFact): string =>
    one.kind === 'failing' && commits > 0
      ? `${questionText(one)}; no later run is known, ${plural(commits, 'commit')} since`
      : questionText(one)
  const line = (label: string) => (one: { text: string }) =>
    [one.text, `${label}${sayAlone(one.text)}`] as const
  const seen = new Set(ended)
  return [
    ...noted('open').map(line('')),
    ...questions.filter(({ text }) => !SETTLED.test(text)).map((one) => [one.text, asked(one)] as const),
    ...progress.pending.map(line('to do: ')),
    ...[...noted('next'), ...nextSteps].map(line('next: ')),
  ].flatMap(([text, said]) => {
    const key = sameText(text)
    return seen.has(key) || !seen.add(key) ? [] : [said]
  })
}

function notedIn(parsed: ParsedBrief): (kind: MemoryKind) => string[] {
  const items = memoryItems(parsed)
  return (kind) => items.filter((item) => kindOf(item) === kind).map(({ text }) => sayAlone(text))
}

const CHECK = 'Last check: '

/** The last check, with the time and the commit by which it ran. */
const checks = ({ meta, brief }: ParsedBrief, commits: number): string[] =>
  brief.status
    .filter((line) => line.startsWith(CHECK))
    .map((line) => {
      const head = meta.head === null || / at `/.test(line) ? '' : ` at ${codeSpan(meta.head.slice(0, 8))}`
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
