import type { TicketFact } from '../types/evidence.ts'
import type { GitCommit, GitState } from '../types/git.ts'

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
  if (!/\d/.test(text)) return []
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
