import type { DecisionFact, SourceRecord, TicketFact } from '../types/evidence.ts'
import type { GitCommit, GitState } from '../types/git.ts'
import { contentWords, createAffinity } from './goal.ts'

/** Half of the decisions that a brief lists by default, so that those of the session always have room. */
const MAX_DECISIONS = 4
/** Eight items are some 160 tokens, a quarter of what Progress may take by default. */
const MAX_ITEMS = 8

/**
 * Of all records those that matter: changed by the work since base or not yet committed, or naming a word of the goal; changed
 * ones first, then those that fit the goal best. A decision that is over (superseded, rejected, deprecated) counts only
 * where it was changed. Items of a changed plan file that are open, and open items elsewhere that name a goal word.
 */
export function workItems(
  records: readonly SourceRecord[],
  git: Pick<GitState, 'commits' | 'changes'> | null,
  goal: ReadonlySet<string>,
) {
  const changed = changedPaths(git)
  const decisions = best(
    records.filter(
      ({ path, decision }) =>
        decision !== null && (changed.has(path) || [null, 'accepted', 'proposed'].includes(decision.status)),
    ),
    decisionWords,
    ({ path }) => changed.has(path),
    goal,
    MAX_DECISIONS,
  )
  const open = records.flatMap(({ items }) =>
    items.filter(({ status }) => status === 'pending' || status === 'in_progress'),
  )
  const plan = best(
    open,
    (item) => item.text,
    (item) => changed.has(item.path ?? ''),
    goal,
    MAX_ITEMS,
  )
  const used = new Set(plan.map(({ path }) => path))
  return {
    decisions: decisions.map(decisionFact),
    plan,
    planFiles: records
      .filter(({ path, items }) => items.length > 0 && (used.has(path) || changed.has(path)))
      .map(({ path, items }) => {
        const counted = items.filter(({ status }) => status !== 'cancelled')
        return {
          path,
          done: counted.filter(({ status }) => status === 'done').length,
          total: counted.length,
        }
      }),
  }
}

export const changedPaths = (git: Pick<GitState, 'commits' | 'changes'> | null): ReadonlySet<string> =>
  new Set([
    ...(git?.changes ?? []).map(({ path }) => path),
    ...(git?.commits ?? []).flatMap(({ files }) => files),
  ])

/** Whether anything of a record can reach the brief. */
export function matters(
  record: SourceRecord,
  changed: ReadonlySet<string>,
  goal: ReadonlySet<string>,
): boolean {
  const { path, decision, items } = record
  if (decision === null && items.length === 0) return false
  const texts = [...(decision === null ? [] : [decisionWords(record)]), ...items.map(({ text }) => text)]
  return changed.has(path) || texts.some((text) => namesGoal(text, goal))
}

export const namesGoal = (text: string, goal: ReadonlySet<string>): boolean =>
  contentWords(text).some((word) => goal.has(word))

const decisionWords = ({ path, decision }: SourceRecord): string =>
  `${path} ${decision?.title ?? ''} ${decision?.chosen ?? ''}`

/** The items that matter, at most so many, in the order they came in. */
function best<T>(
  items: readonly T[],
  words: (item: T) => string,
  isChanged: (item: T) => boolean,
  goal: ReadonlySet<string>,
  most: number,
): T[] {
  const affinity = createAffinity(goal, items.map(words))
  // One word more or less of the goal is at most 1, so what was changed stands before what only fits.
  const score = (item: T): number => (isChanged(item) ? 1 : 0) + affinity(words(item))
  const chosen = items
    .map((item, index) => ({ index, score: score(item) }))
    .filter((one) => one.score > 0)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, most)
  const kept = new Set(chosen.map(({ index }) => index))
  return items.filter((_, index) => kept.has(index))
}

function decisionFact({ path, decision }: SourceRecord): DecisionFact {
  const { title = '', status = null, supersededBy = null, chosen = null } = decision ?? {}
  const state =
    status === null || status === 'accepted'
      ? ''
      : `, ${status}${supersededBy === null ? '' : ` by ${supersededBy}`}`
  return {
    what: `${title}${chosen === null ? '' : `: ${chosen}`} (${path}${state})`,
    why: decision?.why ?? null,
    alternatives: decision?.alternatives ?? [],
    by: 'project',
    source: 'git',
    at: null,
  }
}

/** A project's key and a number, or a bare number; whole ones only: `T-1` is not in `T-10`, `#1` not in `other/repo#1`. */
const KEYED = /(?<![A-Za-z0-9])([A-Z][A-Z0-9]*)-(\d+)(?!\w|\.\d)/g
const NUMBERED = /(?<![\w/&#])(?:#|GH-)(\d+)(?!\w|\.\d)/g
/** Branches that begin with a number, or say that one follows: `123-fix`, `fix/123-x`, `issue-123`; no dates. */
const OF_BRANCH = /(?:^|\/)(?:(?:issue|issues|gh|bug|ticket)[-_/#]?)?#?(\d+)(?=$|[-_/](?!\d))/i
/** Names that look like keys and are standards, formats or versions. */
const NO_KEYS = new Set(
  'UTF SHA ISO RFC CVE CWE AES RSA HTTP MD IEEE ECMA ES BASE GPT TLS SSL UTC GMT IPV X WCAG H PEP'.split(' '),
)
/** Trailers that name tickets (git, GitHub, GitLab, Jira); others hold people and hashes. */
const TRAILER =
  /^(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|refs?|references|see|ticket|issue|bug|jira|story|task|related(?:-to)?|part-of)\s*:/i

/**
 * What the tickets named by branch, commit subjects and trailers group: those of `first` (the goal's) before the branch's
 * own, then by their newest commit; and how many commits name none. The branch's ticket has the commits that name no other. Without any ticket
 * everything is empty: the project does not use them here.
 */
export function ticketsOf(
  git: Pick<GitState, 'branch' | 'commits'> | null,
  first: readonly string[],
): { tickets: TicketFact[]; without: number } {
  if (git === null) return { tickets: [], without: 0 }
  const named = git.commits.map((commit) => ({ commit, ids: ofCommit(commit) }))
  const ofBranch = branchTickets(git.branch ?? '', new Set(named.flatMap(({ ids }) => ids)))
  const groups = new Map<string, TicketFact>()
  const group = (id: string): TicketFact => {
    const held = groups.get(id) ?? { id, ofBranch: ofBranch.includes(id), commits: [], files: [] }
    groups.set(id, held)
    return held
  }
  for (const id of ofBranch) group(id)
  let without = 0
  for (const { commit, ids } of named) {
    const owners = ids.length > 0 ? ids : ofBranch
    if (owners.length === 0) without += 1
    for (const owner of owners.map(group)) {
      owner.commits.push(commit.sha)
      owner.files = [...new Set([...owner.files, ...commit.files])]
    }
  }
  const tickets = [...groups.values()]
  const isFirst = ({ id }: TicketFact) => first.includes(id)
  return {
    tickets: [...tickets.filter(isFirst), ...tickets.filter((ticket) => !isFirst(ticket))],
    without: tickets.length === 0 ? 0 : without,
  }
}

/** The ticket ids in a text, each once, in order; `GH-12` is `#12`. */
export function ticketIds(text: string): string[] {
  const found: { at: number; id: string }[] = []
  for (const match of text.matchAll(NUMBERED)) found.push({ at: match.index, id: `#${Number(match[1])}` })
  for (const match of text.matchAll(KEYED))
    if (match[1] !== 'GH' && !NO_KEYS.has(match[1] ?? '')) found.push({ at: match.index, id: match[0] })
  found.sort((a, b) => a.at - b.at)
  return [...new Set(found.map(({ id }) => id))]
}

const ofCommit = ({ subject, trailers }: GitCommit): string[] =>
  ticketIds([subject, ...trailers.filter((line) => TRAILER.test(line))].join('\n'))

/** Branches are often written small: such a key counts when a commit writes it large. */
function branchTickets(branch: string, inCommits: ReadonlySet<string>): string[] {
  const large = ticketIds(branch)
  if (large.length > 0) return large
  const small = ticketIds(branch.toUpperCase()).filter((id) => inCommits.has(id))
  const number = /^release\b/i.test(branch) ? undefined : OF_BRANCH.exec(branch)?.[1]
  return small.length > 0 || number === undefined ? small : [`#${Number(number)}`]
}
