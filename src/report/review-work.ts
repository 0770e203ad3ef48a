import type { ParsedBrief } from '../brief/parse.ts'
import { clipSentence, contentWords, isPasted, markBrokenOff } from '../text/blocks.ts'
import { plural, someOf } from '../text/count.ts'
import { clipLine, codeSpan, escapeAlone, unescapeAlone } from '../text/safe-text.ts'
import type { FrontMatter } from '../types/brief.ts'
import { sameText, say } from './compare.ts'
import type { Commit } from './receipt.ts'

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
  author?: string
}

export interface RangeCommit extends Commit {
  author: string
  /** Lines added and deleted; null where git would have to fetch contents. */
  lines: readonly [added: number, deleted: number] | null
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
export const whoOf = ({ author, parsed }: Pick<ReviewedBrief, 'author' | 'parsed'>): string =>
  say(clipLine(author ?? parsed.meta.agent.label, 120))

/** Who committed these, oldest first. */
export const authorsOf = (commits: readonly RangeCommit[]): string[] => [
  ...new Set(commits.map(({ author }) => say(clipLine(author, 80)))),
]

/** What commits changed, as far as it can be counted: `, +12 −3`. */
export function sizeOf(commits: readonly RangeCommit[]): string {
  const sum = (side: 0 | 1): number => commits.reduce((all, { lines }) => all + (lines?.[side] ?? 0), 0)
  return commits.some(({ lines }) => lines === null) ? '' : `, +${sum(0)} −${sum(1)}`
}

/** Each handoff with what was asked, committed and handed over, oldest first; then what was committed since, and what was marked done. */
export function workLines(briefs: readonly ReviewedBrief[], total: number, { of, after }: Work): string[] {
  const told: string[] = []
  const older = total - briefs.length
  const records = briefs.filter(({ parsed }) => isRecord(parsed.meta))
  return [
    ...(older === 0 ? [] : [`${plural(older, 'older handoff')}, not listed`]),
    ...briefs
      .filter((one) => !records.includes(one))
      .flatMap((one) => [
        headOf(one),
        ...request(one.parsed.brief.trail, told).map((line) => `\t${line}`),
        ...commitLines(of.get(one.parsed.meta.id)),
        `\thanded over: ${say(one.parsed.meta.goal)}`,
      ]),
    ...(after.length === 0
      ? []
      : [`After the last handoff, by ${authorsOf(after).join(', ')}`, ...commitLines(after)]),
    ...records.map((one) => `Marked done by ${headOf(one)}: "${say(one.parsed.closed ?? '')}"`),
  ]
}

/** Whose it is, when, and where it is to be found. */
function headOf(one: ReviewedBrief): string {
  const { meta } = one.parsed
  const agent =
    isRecord(meta) || one.author === undefined ? '' : ` with ${say(clipLine(meta.agent.label, 120))}`
  return [
    `${whoOf(one)}${agent}, ${meta.createdAt.slice(0, 10)} ${meta.createdAt.slice(11, 16)} UTC: ${codeSpan(meta.id)}`,
    ...(one.state === 'gone' ? ['only in history'] : []),
    ...(one.apart === undefined ? [] : [`on ${say(one.apart)}`]),
  ].join(', ')
}

/** Commits of one handoff, and files of one commit, that are listed: those of the program first. */
const MAX_COMMITS = 10
const MAX_NAMES = 3
const TEST = /(?:^|[/._-])(?:tests?|specs?|__tests__)[/._-].*(?<!\.md)$/i

/** Nothing where it is not known which they are. */
function commitLines(commits: readonly RangeCommit[] | undefined): string[] {
  if (commits === undefined) return []
  const more = commits.length - MAX_COMMITS
  return [
    ...commits.slice(0, MAX_COMMITS).map((commit) => {
      const { sha, subject, files } = commit
      const testsLast = files.toSorted((a, b) => Number(TEST.test(a)) - Number(TEST.test(b)))
      const names = files.length === 1 ? files : testsLast.map((path) => path.replace(/^.*\//s, ''))
      return `\t${codeSpan(sha.slice(0, 8))} ${say(subject)} (${someOf(names, MAX_NAMES)}${sizeOf([commit])})`
    }),
    ...(more > 0 ? [`\t${plural(more, 'more commit')}`] : []),
    ...(commits.length === 0 ? ['\tno commit'] : []),
  ]
}

const MAX_REQUEST = 160

/** Content words of a request that asks for something; `ok, try it` has fewer. */
const LEAST_WORDS = 2
/** A short request that the diff answers. */
const COMMITS = /^(?:(?:now|please|ok(?:ay)?),? )*(?:commit|push)\b.{0,30}$/i
/** From here on a request is what was pasted into it: the parts of a plan, code, a shell. */
const PASTE = / (?:#{2,4} |```|❯ ).*$/s
const PLAN = /^Implement the following plan: (?:# |Plan: )*/

/**
 * The first request of the person that asks for something, as How it got here quotes it, and that is not `told`: a session that is handed
 * over again quotes its own again, cut elsewhere. Later ones are mostly talk ("tests tests tests").
 */
function request(trail: readonly string[], told: string[]): string[] {
  const asked = trail.flatMap((line) => {
    const [, words = ''] =
      /^- "(.*?)"?(?: \(to: ".*"\))?$/s.exec(
        line.startsWith('- "') ? `- "${unescapeAlone(line.slice(3))}` : '',
      ) ?? []
    const isOutput = isPasted(words) || /^[=[<>{$]/.test(words)
    const text = words.replace(PASTE, '').replace(PLAN, '')
    if (isOutput || COMMITS.test(text) || contentWords(text).length < LEAST_WORDS) return []
    const key = sameText(text.replace(/ *\[?…\]?.*$/s, ''))
    if (told.some((one) => one.startsWith(key) || key.startsWith(one))) return []
    told.push(key)
    const short = markBrokenOff(clipSentence(text, MAX_REQUEST))
    return [escapeAlone(`${PLAN.test(words) ? 'asked to carry out a plan' : 'asked'}: "${short}"`)]
  })
  return asked.slice(0, 1)
}
