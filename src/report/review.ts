import { chainOf, linkChain } from '../brief/chain.ts'
import type { ParsedBrief } from '../brief/parse.ts'
import { plural } from '../text/count.ts'
import { clipLine, codeSpan, escapeAlone, oneLine, unescapeAlone } from '../text/safe-text.ts'
import type { BriefState, FrontMatter } from '../types/brief.ts'
import { kindOf, type MemoryKind, memoryItems, sameText } from './compare.ts'
import { decisionText, MAX_TEXT, questionText, say } from './compare-lines.ts'

export interface ReviewedBrief {
  parsed: ParsedBrief
  path: string
  /** What it goes on from, as far as that can be read. */
  before: readonly ParsedBrief[]
  /** `edited`: it was committed before with another text; `gone`: it does not stand at the end of the range. */
  state: 'new' | 'edited' | 'gone'
  /** The branch of briefs that holds it, as people say it. */
  apart?: string
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
  /** What became of the newest brief's facts, safe lines, the first is the verdict; and the commits since. Null when it is closed. */
  truth: { lines: readonly string[]; commits: number } | null
  /** What the newest brief was handed over, and what became of it: kept or broken, with evidence. */
  became?: readonly string[]
  /** Ids of briefs that have arrived in their base branch. */
  states: ReadonlyMap<string, BriefState>
}

/** What a reviewer wants to know of the handoffs of a change. Lines are safe in the middle of a line of markdown. */
export interface Review {
  goal: string
  /** One line for each chain, then what is not as it should be. */
  summary: string[]
  open: string[]
  drift: readonly string[]
  /** Oldest first. Each line is told once: above, or in the handoff that brought it. */
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
  const open = untold(
    briefs
      .toReversed()
      .flatMap(({ parsed }) =>
        isOpen(parsed.meta) ? openLines(parsed, parsed.meta === newest ? (truth?.commits ?? 0) : 0) : [],
      ),
    new Set(),
  )
  const told = new Set(open.slice(0, MAX_LINES.open).map(sameText))
  const handoffs = briefs.map(({ parsed, state, apart }): ReviewedHandoff => {
    const { meta } = parsed
    const about = [
      agentName(meta),
      timeOf(meta.createdAt),
      `${states.get(meta.id)}`,
      ...(state === 'gone' ? ['only in history'] : []),
      ...(apart === undefined ? [] : [`on ${apart}`]),
    ]
    const commits = meta === newest && truth !== null ? truth.commits : 0
    const became = meta === newest ? (input.became ?? []).map(say) : []
    const parts = [
      ...reviewParts(parsed, { maxGoal: MAX_GOAL, commits, isOpen: isOpen(meta) }),
      ...(became.length === 0 ? [] : [{ label: 'What became of the previous brief', lines: became }]),
    ]
    return {
      meta,
      goal: clipLine(meta.goal, MAX_GOAL),
      about: about.join(', '),
      parts: parts
        .map(({ label, lines }) => ({ label, lines: untold(lines, told) }))
        .filter(({ lines }) => lines.length > 0),
    }
  })
  return {
    goal: newest.goal,
    summary: [...chainLines(input, metas, ends, states), ...noticeLines(input)],
    open: open.length === 0 && isOpen(newest) ? ['The brief names no open items.'] : open,
    drift: truth?.lines ?? [],
    handoffs,
    total,
  }
}

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

function noticeLines({ briefs, removed, unreadable }: ReviewInput): string[] {
  return [
    ...briefs
      .filter(({ state }) => state === 'edited')
      .map(({ parsed }) => `${codeSpan(parsed.meta.id)} was changed after it was committed.`),
    ...(removed === 0 ? [] : [`${plural(removed, 'brief')} taken out of the tree; history keeps them.`]),
    ...unreadableLines(unreadable),
  ]
}

/** What is said where a range brings no brief. */
export const noReviewLines = (base: string, unreadable: readonly string[]): string[] => [
  `No handoff since ${codeSpan(clipLine(base, 300))}.`,
  ...unreadableLines(unreadable),
]

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
      label: 'Last check',
      lines: [
        ...checks(brief.status, commits),
        ...noted('fails').map((line) => `fails: ${line}`),
        ...noted('unproven').map((line) => `not proven: ${line}`),
      ],
    },
    { label: isOpen ? 'Open' : 'Open then', lines: openLines(parsed, commits) },
    { label: 'Tried and dropped', lines: [...noted('dropped'), ...refusals(brief.trail)] },
    {
      label: 'Constraints',
      lines: [...brief.constraints.map(({ text }) => `"${sayAlone(text)}"`), ...noted('constraint')],
    },
  ]
}

/** A failure that edits or a like check came after: it is open no more, as far as anybody can tell. */
const SETTLED = /^Failed earlier\b/

/** Questions, what is to be done, and the next step. `commits`: how many came after the brief, which may have mended what failed. */
function openLines(parsed: ParsedBrief, commits: number): string[] {
  const { questions, progress, nextSteps } = parsed.brief
  const noted = notedIn(parsed)
  return [
    ...noted('open'),
    ...questions
      .filter(({ text }) => !SETTLED.test(text))
      .map((one) =>
        one.kind === 'failing' && commits > 0
          ? `${questionText(one)}; no later run is known, ${plural(commits, 'commit')} since`
          : questionText(one),
      ),
    ...progress.pending.map(({ text }) => `to do: ${sayAlone(text)}`),
    ...[...noted('next'), ...nextSteps.map(({ text }) => sayAlone(text))].map((line) => `next: ${line}`),
  ]
}

function notedIn(parsed: ParsedBrief): (kind: MemoryKind) => string[] {
  const items = memoryItems(parsed)
  return (kind) => items.filter((item) => kindOf(item) === kind).map(({ text }) => sayAlone(text))
}

const CHECK = 'Last check: '

const checks = (status: readonly string[], commits: number): string[] =>
  status
    .filter((line) => line.startsWith(CHECK))
    .map(
      (line) =>
        oneLine(line.slice(CHECK.length)) +
        (commits === 0 ? '' : `; ${plural(commits, 'commit')} since this handoff`),
    )

/** The items of How it got here are the requests of the person. */
const requests = (trail: readonly string[]): string[] =>
  trail
    .filter((line) => line.startsWith('- "'))
    .slice(-MAX_REQUESTS)
    .map((line) => sayAlone(clipLine(unescapeAlone(line.slice(2)), MAX_REQUEST)))

const REFUSED = '  - Refused by the user: '

const refusals = (trail: readonly string[]): string[] =>
  trail
    .filter((line) => line.startsWith(REFUSED))
    .map((line) => sayAlone(unescapeAlone(line.slice(REFUSED.length))))

/** A text that is the only one of its line: its code stays as it is. */
const sayAlone = (text: string): string => escapeAlone(clipLine(text, MAX_TEXT))
