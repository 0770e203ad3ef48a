import type { ParsedBrief } from '../brief/parse.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import { findBrief } from '../briefs/find-brief.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { readChain } from '../briefs/read-chain.ts'
import { refuseUntrusted } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import { headUnknown } from '../errors/git.ts'
import { readSince, refWith } from '../git/compare-commits.ts'
import type { Repo } from '../git/open-repo.ts'
import { isBehind } from '../git/operation.ts'
import { firstAdded } from '../git/read-history.ts'
import { WORK } from '../git/refs.ts'
import { type Commit, receiptLines, receiptOf } from '../report/receipt.ts'
import { plural, shortSha } from '../text/count.ts'
import { typedWord } from '../text/safe-text.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'

/**
 * What git and the next brief show of what a brief handed over: the object of `receipt --json`, and the same as `text`. Throws
 * `unknownId`, `noBrief`, `headUnknown` where neither the brief nor its commit is in the history of HEAD.
 */
export async function readReceipt(invocation: Invocation, id: string | undefined) {
  const { out, place } = invocation
  const { repo, root, loaded } = await openWorkspace(invocation, { isAnswer: true })
  await refreshLatest(invocation, repo)
  const brief = await findBrief(repo, id ?? 'latest', place.root)
  const since = (await commitsSince(repo, brief, 'HEAD')) ?? (await elsewhere(repo, brief))
  const next = (await readChain(repo)).find((node) => node.parents.includes(brief.id) && node.kind !== 'done')
  const successor = next === undefined ? null : await findBrief(repo, next.id, place.root)
  await refuseUntrusted(place, repo, successor === null ? [brief] : [brief, successor])
  const scanner = await openScanner(place, root, loaded.config)
  const { value } = await scanner.redact(receiptOf(brief.parsed, successor?.parsed ?? null, since.commits))
  const nextId = successor?.id ?? null
  const head = `${brief.id}, ${plural(since.commits.length, 'commit')} since, next brief: ${nextId ?? 'none'}`
  const lines = receiptLines(value, nextId).map((line) => `- ${line}`)
  const text = [head, ...(since.note === null ? [] : [since.note]), ...lines].join('\n')
  const { from, note } = since
  const result = { ok: true, id: brief.id, successor: nextId, from, note, ...value }
  return { result: { ...result, text, warnings: out.warnings }, text }
}

interface CommitsSince {
  /** Newest first, without those in `.handoff/` alone. */
  commits: Commit[]
  /** The commit that they are counted from; null where none is known. */
  from: string | null
  /** Why they are not counted from the commit that the brief was made at. */
  note: string | null
}

/**
 * What was committed since a brief, up to `to`. Where that does not have the commit it was made at any more, the parent of the commit
 * that added the brief stands in, as in `verify`. Null where it has neither.
 */
async function commitsSince(
  repo: Repo,
  { parsed: { meta }, path }: { parsed: ParsedBrief; path: string },
  to: string,
): Promise<CommitsSince | null> {
  const { head } = meta
  if (head !== null && (await isBehind(repo, head, to)))
    return { commits: await readCommits(repo, head, to), from: head, note: null }
  const added = await firstAdded(repo, path, { tips: [to], after: null, made: meta.createdAt })
  if (added === null || (repo.shallow && added.parents.length === 0)) return null
  const from = added.parents[0] ?? added.commit
  const isParent = added.parents.length > 0
  const why = head === null ? 'It was made before the first commit' : 'History was rewritten'
  const which = `${shortSha(from)}, ${isParent ? 'the parent of ' : ''}the commit that added the brief`
  return {
    commits: await readCommits(repo, from, to),
    from,
    note: `${why}: changes are counted from ${which}.`,
  }
}

/** The commits of a line of work that `from` does not have, newest first. */
export const readCommits = async (repo: Repo, from: string, to: string): Promise<Commit[]> =>
  ((await readSince(repo, from, to))?.ahead ?? []).map(({ sha, subject, files }) => ({ sha, subject, files }))

/** A brief of another line of work; where no branch has it, history was rewritten. Throws `headUnknown`. */
async function elsewhere(repo: Repo, { parsed: { meta }, path }: CurrentBrief): Promise<CommitsSince> {
  const [known] = meta.head === null ? [] : await repo.objects.read([`${meta.head}^{commit}`])
  if (repo.shallow && !known) throw headUnknown(meta.id, null)
  const tips = ['--exclude=refs/stash', `--exclude=${WORK}*`, '--all']
  const added = await firstAdded(repo, path, { tips, after: null, made: meta.createdAt })
  for (const commit of [known?.oid, added?.commit]) {
    const ref = commit === undefined ? null : await refWith(repo, commit, meta.branch)
    if (ref !== null) throw headUnknown(meta.id, typedWord(ref))
  }
  const note = 'History was rewritten: no branch has the commit it was made at, so no commits are listed.'
  return { commits: [], from: null, note }
}
