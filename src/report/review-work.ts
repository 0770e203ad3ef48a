import type { ParsedBrief } from '../brief/parse.ts'
import { clipSentence, contentWords, isAcceptedPlan, isPasted, markBrokenOff } from '../text/blocks.ts'
import { plural, someOf } from '../text/count.ts'
import { clipLine, codeSpan, escapeAlone, unescapeAlone } from '../text/safe-text.ts'
import type { BriefState, FrontMatter } from '../types/brief.ts'
import { decisionText, kindOf, MAX_TEXT, memoryItems, sameText, say } from './compare.ts'
import { isTest, type RangeCommit, shortNames } from './review-files.ts'

export interface ReviewedBrief {
  parsed: ParsedBrief
  path: string
  /** What it goes on from, as far as that can be read. */
  before: readonly ParsedBrief[]
  /** `edited`: it was committed before with another text; `gone`: it does not stand at the end of the range. */
  state: 'new' | 'edited' | 'gone'
  /** The commit that brought it; empty for one on a branch of briefs. */
  commit: string
  /** The branch of briefs that holds it, as people say it. */
  apart?: string
  /** Who committed it, as git says. */
  author?: string | undefined
}

/** What was committed up to each handoff since the one before it, oldest first. */
export interface Work {
  of: ReadonlyMap<string, readonly RangeCommit[]>
  /** After the last handoff; none where its place among the commits is not known. */
  after: readonly RangeCommit[]
  /** What came after a handoff; `own`: with the commit that brought it, in which an amend or a squash put other files. */
  since: (id: string, own?: boolean) => readonly RangeCommit[]
}

/**
 * A handoff stands where the commit that brought it does, which a rebase keeps, else at the commit that it was made at. What came with
 * several, as a squash does, is told at the last of them. `commits`: newest first.
 */
export function workOf(handoffs: readonly ReviewedBrief[], commits: readonly RangeCommit[]): Work {
  const all = commits.toReversed()
  const changes = (from: number, to?: number): RangeCommit[] =>
    all.slice(from, to).filter(({ files }) => files.length > 0)
  const placeOf = (commit: string | null): number => all.findIndex(({ sha }) => sha === commit)
  const places = handoffs
    .map(({ parsed: { meta }, commit }) => {
      const own = placeOf(commit)
      return { id: meta.id, at: own < 0 ? placeOf(meta.head) : own, isOwn: own >= 0 }
    })
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
  const of = new Map<string, RangeCommit[]>()
  let from = 0
  for (const [n, { id, at }] of places.entries()) {
    if (places[n + 1]?.at === at) continue
    of.set(id, changes(from, at + 1))
    from = at + 1
  }
  const since = (id = '', own = false): RangeCommit[] => {
    const place = places.find((one) => one.id === id)
    return place === undefined ? [] : changes(place.at + (own && place.isOwn ? 0 : 1))
  }
  return { of, after: since(handoffs.at(-1)?.parsed.meta.id), since }
}

/** A record that marks a chain as done hands nothing over. */
export const isRecord = ({ kind }: FrontMatter): boolean => kind === 'done'

/** The person as git says, else the agent. */
const whoOf = ({ author, parsed }: ReviewedBrief): string =>
  say(clipLine(author ?? parsed.meta.agent.label, 120))

/** The goal that was handed over, empty at first, what was asked and decided meanwhile, in safe lines, and what was committed. */
export interface Task {
  goal: string
  said: string[]
  people: string[]
  /** The handoff that was made of it. */
  brief?: ReviewedBrief
  /** None where it is not known which they are. */
  commits: readonly RangeCommit[] | undefined
}

/** Oldest first; last come the goals that no other handoff took up. */
export function tasksOf(
  handoffs: readonly ReviewedBrief[],
  { of, after }: Work,
  states: ReadonlyMap<string, BriefState>,
): Task[] {
  const followed = new Set(handoffs.flatMap(({ parsed }) => parsed.meta.parents))
  const told: string[] = []
  const requests = handoffs.map(({ parsed }) => requestsOf(parsed.brief.trail, told))
  const done = handoffs.map((brief, at) => ({
    goal: brief.before.map(({ meta }) => say(meta.goal)).join('; '),
    said: [...(requests[at] ?? []), ...decisionsOf(brief, told)],
    people: [whoOf(brief)],
    brief,
    commits: of.get(brief.parsed.meta.id),
  }))
  const open = handoffs.flatMap((brief): Task[] => {
    const { id, goal } = brief.parsed.meta
    const commits = brief === handoffs.at(-1) ? after : undefined
    if ((followed.has(id) || states.get(id) === 'followed') && !commits?.length) return []
    const people = new Set(commits?.map(({ author }) => say(clipLine(author, 80))))
    return [{ goal: say(goal), said: [], people: [...people], commits }]
  })
  return [...done, ...open]
}

/** Each task with its commits; then who marked them done. */
export function taskLines(tasks: readonly Task[], briefs: readonly ReviewedBrief[], older: number): string[] {
  const names = shortNames(tasks.flatMap(({ commits = [] }) => commits.flatMap(({ files }) => files)))
  return [
    ...(older === 0 ? [] : [`${plural(older, 'older handoff')}, not listed`]),
    ...tasks.flatMap(({ goal, said, people, brief, commits }, at) => {
      const agent =
        brief?.author === undefined || brief.parsed.meta.agent.id === 'git'
          ? ''
          : ` with ${say(clipLine(brief.parsed.meta.agent.label, 120))}`
      const by = people.length === 0 ? '' : ` by ${people.join(', ')}${agent}`
      const place = brief === undefined ? 'after the last brief' : placeOf(brief)
      return [
        `Task ${older + at + 1}${by} (${place})${goal === '' ? '' : `: ${goal}`}`,
        ...[...said, ...(commits?.length === 0 ? ['no commit'] : commitLines(commits ?? [], names))].map(
          (line) => `\t${line}`,
        ),
      ]
    }),
    ...briefs
      .filter(({ parsed }) => isRecord(parsed.meta))
      .map((one) => `Marked done by ${whoOf(one)} (${placeOf(one)}): "${say(one.parsed.closed ?? '')}"`),
  ]
}

/** When it was handed over, and where it is to be found. */
const placeOf = ({ parsed: { meta }, state, apart }: ReviewedBrief): string =>
  `${meta.createdAt.slice(0, 10)}, ${codeSpan(meta.id)}${state === 'gone' ? ', only in history' : ''}${apart === undefined ? '' : `, on ${say(apart)}`}`

/** Commits of one task, and files of one commit, that are listed: those of the program first. */
const MAX_COMMITS = 10
const MAX_NAMES = 3

function commitLines(commits: readonly RangeCommit[], names: ReadonlyMap<string, string>): string[] {
  const more = commits.length - MAX_COMMITS
  const lines = commits.slice(0, MAX_COMMITS).map(({ sha, subject, files, lines }) => {
    const testsLast = files.toSorted((a, b) => Number(isTest(a)) - Number(isTest(b)))
    const listed = someOf(testsLast, MAX_NAMES, (path) => codeSpan(names.get(path) ?? path))
    const size = lines === null ? '' : `, +${lines[0]} −${lines[1]}`
    return `${codeSpan(sha.slice(0, 8))} ${say(subject)} (${listed}${size})`
  })
  return more > 0 ? [...lines, plural(more, 'more commit')] : lines
}

/** Requests of one task that are quoted, the latest, and how much of each. */
const MAX_REQUESTS = 4
const MAX_REQUEST = 220
/** A path or an address in a request. */
const MAX_WORD = 60
/** A question that says more than it asks is longer. */
const MAX_TALK = 120

/** Content words of a request that says what is wanted; `yeah, try it now` has fewer. */
const LEAST_WORDS = 4
/** A short request that the diff answers. */
const COMMITS = /^(?:(?:now|please|ok(?:ay)?),? )*(?:commit|push)\b.{0,30}$/i
/** From here on a request is what was pasted into it: the parts of a plan, code, a shell. */
const PASTE = / (?:#{2,4} |```|❯ ).*$/s
const PLAN = /^Implement the following plan: (?:# |Plan: )*/

/**
 * What the person asked for, as How it got here quotes it, safe, without what is `told`: a session that is handed over again quotes its own
 * again, cut elsewhere. What ends as a question asks for an answer, and of one that was cut there nobody knows what it asked for.
 */
function requestsOf(trail: readonly string[], told: string[]): string[] {
  const asked = trail.flatMap((line) => {
    if (!line.startsWith('- "')) return []
    const [, words = ''] = /^(.*?)"?(?: \(to: ".*"\))?$/s.exec(unescapeAlone(line.slice(3))) ?? []
    const text = words.replace(PASTE, '').replace(PLAN, '')
    const isFirst = told.length === 0
    const isTalk = !isFirst && text.length < MAX_TALK && ['?', '…]'].some((end) => text.endsWith(end))
    const isOutput = isPasted(words) || /^[=[<>{$]/.test(words)
    if (isTalk || isOutput || COMMITS.test(text) || contentWords(text).length < (isFirst ? 2 : LEAST_WORDS))
      return []
    const key = sameText(text.replace(/ *\[?…\]?.*$/s, ''))
    if (told.some((one) => one.startsWith(key) || key.startsWith(one))) return []
    told.push(key)
    const short = text
      .split(' ')
      .map((word) => (word.length > MAX_WORD ? `…${word.slice(-MAX_WORD / 2)}` : word))
    const quote = markBrokenOff(clipSentence(short.join(' '), MAX_REQUEST))
    return escapeAlone(`asked${PLAN.test(words) ? ' to carry out a plan' : ''}: "${quote}"`)
  })
  return asked.slice(-MAX_REQUESTS)
}

/** Decisions of one task that are told, and the length from which one that is also a request is not one by chance. */
const MAX_DECISIONS = 5
const LONG = 20

/** What was decided, by whom, that was not `told` in an older task or as a request; of a plan its title. */
function decisionsOf({ parsed, author }: ReviewedBrief, told: string[]): string[] {
  const { meta, brief } = parsed
  const noted = memoryItems(parsed).filter((item) => kindOf(item) === 'decided')
  const by = ` (by ${say(meta.agent.label)})`
  const decided = [
    ...noted.map(({ text }) => [text, escapeAlone(clipLine(text, MAX_TEXT)) + by] as const),
    ...brief.decisions.map((one) => {
      const what = isAcceptedPlan(one.what) ? (one.what.split('; ', 1)[0] ?? '') : one.what
      return [what, decisionText({ ...one, what }, one.by === 'user' ? author : undefined)] as const
    }),
  ].flatMap(([what, line]) => {
    const key = sameText(what)
    const isPlan = isAcceptedPlan(what)
    const answer = sameText(what.split(isPlan ? ': ' : ' → ').at(-1) ?? '')
    const isLong = isPlan || answer.length > LONG
    if (told.some((one) => one === key || (isLong && one.startsWith(answer)))) return []
    told.push(key)
    return `decided: ${line}`
  })
  const more = decided.length - MAX_DECISIONS
  return more > 0
    ? [...decided.slice(0, MAX_DECISIONS), `${plural(more, 'more decision')} in the brief`]
    : decided
}
