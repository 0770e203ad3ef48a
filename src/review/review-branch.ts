import { refreshLatest } from '../briefs/latest-file.ts'
import { judge } from '../briefs/read-chain.ts'
import type { Invocation } from '../command.ts'
import { readChanged } from '../git/compare-commits.ts'
import type { Repo } from '../git/open-repo.ts'
import { rangeEnds } from '../git/refs.ts'
import { originUrl } from '../git/settings.ts'
import { noReviewLines, reviewOf } from '../report/review.ts'
import { renderComment, renderNoReview, renderReviewText } from '../report/review-comment.ts'
import type { RangeCommit } from '../report/review-files.ts'
import { rulesOf } from '../report/review-rules.ts'
import type { ReviewedBrief } from '../report/review-work.ts'
import { truthOf } from '../verify/read-truth.ts'
import { isAgent } from '../workspace/at-terminal.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { type BranchRange, branchOf, defaultRange } from './default-range.ts'
import { readRange } from './read-range.ts'
import { readRangeBriefs } from './review-briefs.ts'

const TEMPLATE = '.handoff/templates/pr-comment.txt'
const MAX_TEMPLATE = 16 * 1024

/**
 * What the commits of a range, or of the pull request or branch, hand over: the object of `review --json`, with the comment in markdown,
 * and the same as `text`. Throws `noRange`, `badRevision` and what opening throws.
 */
export async function reviewBranch(invocation: Invocation, given: string | undefined) {
  const { out, place } = invocation
  const { repo, loaded } = await openWorkspace(invocation, { isAnswer: true })
  await refreshLatest(invocation, repo)
  const asked: BranchRange =
    given === undefined
      ? await defaultRange(repo)
      : { range: given, base: given.split('..')[0] || 'HEAD', branch: await branchOf(repo, given) }
  const ends = await rangeEnds(repo, asked.range)
  const [from, to, without] = ends
  const found = await readRangeBriefs(repo, ends, asked.branch, isAgent(place.env))
  const scanner = await openScanner(place, repo.root, loaded.config)
  const { value: clean } = await scanner.redact(found.briefs)
  const metas = found.briefs.map(({ parsed: { meta }, path }) => {
    return { ...meta, path, kind: meta.kind ?? 'handoff', base: meta.base ?? null }
  })
  const { states } = await judge(repo, metas)
  const newest = clean.at(-1)
  const { value } = await scanner.redact(
    await Promise.all([
      newest === undefined || newest.parsed.meta.kind === 'done'
        ? null
        : truthOf(repo, newest.parsed, {
            ...{ path: newest.path, committed: true, at: to },
            isLanded: states.get(newest.parsed.meta.id) === 'landed',
          }),
      readRange(repo, without, to),
      readChanged(repo, from, to, { isCounted: true }),
    ]),
  )
  const [truth, commits, files] = value
  const authors = new Map(commits.map(({ sha, author }) => [sha, author]))
  const briefs = clean.map((one) => ({ ...one, author: authors.get(one.commit) }))
  const rules = rulesOf(briefs, states, commits)
  // Held against the end of the range, which is not HEAD where CI checked out a merge.
  const findings = truth?.items.flatMap(({ level, message }) => (level === 'finding' ? message : [])) ?? []
  const facts = { findings, commits, files, rules, states }
  const review = newest === undefined ? null : reviewOf({ ...found, briefs, ...facts })
  const none = noReviewLines(asked.base, found)
  const links = linksTo(await originUrl(repo), to, found.briefs, commits)
  const markdown =
    review === null ? renderNoReview(none) : renderComment(review, await readTemplate(repo, from), links)
  const { range, base, branch } = asked
  const { value: names } = await scanner.redact({ range, base, branch })
  const result = {
    ok: true,
    ...names,
    current: newest?.parsed.meta.id ?? null,
    briefs: briefs.map(toJson),
    total: found.total,
    removed: found.removed,
    unreadable: found.unreadable,
    untrusted: found.untrusted,
    truth: truth === null ? null : { stillTrue: truth.stillTrue, items: truth.items },
    rules,
    markdown,
    warnings: out.warnings,
  }
  return { result, text: review === null ? none.join('\n') : renderReviewText(review) }
}

/** Where a browser finds each brief, by its id, and each commit, by its first eight digits. */
function linksTo(
  origin: string | null,
  tip: string,
  briefs: readonly ReviewedBrief[],
  commits: readonly RangeCommit[],
): ReadonlyMap<string, string> {
  const address =
    /^(?:https?:\/\/|ssh:\/\/(?:\w+@)?|\w+@)([\w.-]+)(?::\d+(?=\/))?[:/]([\w./-]+?)(?:\.git)?\/?$/
  const [, host, path] = address.exec(origin ?? '') ?? []
  if (host === undefined) return new Map()
  const top = `https://${host}/${path}`
  return new Map([
    ...briefs
      .filter(({ state, apart }) => state !== 'gone' && !apart)
      .map(({ parsed, path: file }) => [parsed.meta.id, `${top}/blob/${tip}/${file}`] as const),
    ...commits.map(({ sha }) => [sha.slice(0, 8), `${top}/commit/${sha}`] as const),
  ])
}

const toJson = ({ parsed: { meta, closed }, path, state, apart, author }: ReviewedBrief) => {
  const { id, kind = 'handoff', goal, branch, agent, parents, createdAt } = meta
  const more = { ...(apart === undefined ? {} : { apart }), ...(author === undefined ? {} : { author }) }
  return { id, path, kind, goal, closed, branch, agent: agent.label, parents, createdAt, state, ...more }
}

/** The repository's own, as the base has it: what a pull request says must not be what its author puts there. */
async function readTemplate(repo: Repo, base: string): Promise<{ text: string; place: string } | null> {
  const [object] = await repo.objects.read([`${base}:${TEMPLATE}`], MAX_TEMPLATE)
  return object?.type === 'blob' ? { text: object.content.toString('utf8'), place: TEMPLATE } : null
}
