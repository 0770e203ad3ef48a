import type { FinishInput } from './extractor.ts'
import type { Fold } from './fold.ts'

/** Names of files outside the repository that are told. */
const MOST_EDITED = 4

/** What may be missing from the evidence, one sentence each. */
export function limitationsOf(
  fold: Fold,
  input: FinishInput,
  counts: { outside: readonly string[]; untracked: number; withoutTicket: number },
): string[] {
  const { git, skipped = {} } = input
  const out: string[] = []
  if (git === null) out.push('No git repository: files are listed as the session named them.')
  if (counts.untracked > 0)
    out.push(
      `${files(counts.untracked)} of the session ${counts.untracked === 1 ? 'is' : 'are'} not known to git here (ignored, or no longer there).`,
    )
  if (counts.outside.length > 0)
    out.push(`${files(counts.outside.length)} outside the repository edited: ${namesOf(counts.outside)}.`)
  if (counts.withoutTicket > 0)
    out.push(
      `${counts.withoutTicket} of ${git?.commits.length ?? 0} commits ${counts.withoutTicket === 1 ? 'belongs' : 'belong'} to no ticket.`,
    )
  if (input.unreadRecords !== undefined && input.unreadRecords > 0)
    out.push(
      `${files(input.unreadRecords)} of the decision and plan records ${input.unreadRecords === 1 ? 'was' : 'were'} not read (a link, too large, or too many).`,
    )
  if (git?.shallow) out.push('Shallow clone: older commits are not known.')
  if (git?.sparse) out.push('Sparse checkout: files outside it are not in the work tree.')
  if (git && git.commitCount > git.commits.length)
    out.push(`Only the newest ${git.commits.length} of ${git.commitCount} commits since base were read.`)
  const unread = (skipped['not-json'] ?? 0) + (skipped.torn ?? 0)
  if (unread > 0)
    out.push(`${unread === 1 ? '1 line' : `${unread} lines`} of the transcript could not be read.`)
  // Records of a type nobody here knows come with every version of every agent: they tell the reader nothing.
  if (fold.files.forgotten > 0)
    out.push(
      `The session touched very many files; ${files(fold.files.forgotten)} touched long ago were left out.`,
    )
  return out
}

/** The newest of these paths. */
const namesOf = (paths: readonly string[]): string =>
  paths
    .toReversed()
    .slice(0, MOST_EDITED)
    .map((path) => `\`${path}\``)
    .join(', ')

const files = (count: number) => (count === 1 ? '1 file' : `${count} files`)
