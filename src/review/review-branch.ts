import { refreshLatest } from '../briefs/latest-file.ts'
import { judge } from '../briefs/read-chain.ts'
import type { Invocation } from '../command.ts'
import type { Repo } from '../git/open-repo.ts'
import { rangeEnds } from '../git/refs.ts'
import { originUrl } from '../git/settings.ts'
import { noReviewLines, reviewOf } from '../report/review.ts'
import { renderComment, renderNoReview, renderReviewText } from '../report/review-comment.ts'
import { rulesOf } from '../report/review-rules.ts'
import type { RangeCommit, ReviewedBrief } from '../report/review-work.ts'
import type { BriefState } from '../types/brief.ts'
import { truthOf } from '../verify/read-truth.ts'
import type { Truth } from '../verify/truth.ts'
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
  const { value: briefs } = await scanner.redact(found.briefs)
  const { states } = await judge(
    repo,
    found.briefs.map(({ parsed: { meta }, path }) => ({
      ...meta,
      path,
      kind: meta.kind ?? 'handoff',
      base: meta.base ?? null,
    })),
  )
  const newest = briefs.at(-1)
  const facts = await Promise.all([
    newest === undefined ? null : readTruth(repo, newest, to, states),
    readRange(repo, without, to),
  ])
  const { value } = await scanner.redact(facts)
  const [truth, commits] = value
  const rules = rulesOf(briefs, states, commits)
  const review =
    newest === undefined
      ? null
      : reviewOf({ ...found, briefs, base: asked.base, findings: findingsOf(truth), commits, rules, states })
  const none = noReviewLines(asked.base, found)
  const markdown =
    review === null
      ? renderNoReview(none)
      : renderComment(
          review,
          await readTemplate(repo, from),
          linksTo(await originUrl(repo), to, found.briefs, commits),
        )
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

const toJson = ({ parsed: { meta, closed }, path, state, apart, author }: ReviewedBrief) => ({
  id: meta.id,
  path,
  kind: meta.kind ?? 'handoff',
  goal: meta.goal,
  closed,
  branch: meta.branch,
  agent: meta.agent.label,
  parents: meta.parents,
  createdAt: meta.createdAt,
  state,
  ...(apart === undefined ? {} : { apart }),
  ...(author === undefined ? {} : { author }),
})

const findingsOf = (truth: Truth | null): string[] =>
  (truth?.items ?? []).flatMap(({ level, message }) => (level === 'finding' ? message : []))

/** Null for what is closed. Held against the end of the range, which is not HEAD where CI checked out a merge. */
const readTruth = async (
  repo: Repo,
  { parsed, path }: ReviewedBrief,
  at: string,
  states: ReadonlyMap<string, BriefState>,
): Promise<Truth | null> =>
  parsed.meta.kind === 'done'
    ? null
    : truthOf(repo, parsed, { path, committed: true, at, isLanded: states.get(parsed.meta.id) === 'landed' })

/** The repository's own, as the base has it: what a pull request says must not be what its author puts there. */
async function readTemplate(repo: Repo, base: string): Promise<{ text: string; place: string } | null> {
  const [object] = await repo.objects.read([`${base}:${TEMPLATE}`], MAX_TEMPLATE)
  return object?.type === 'blob' ? { text: object.content.toString('utf8'), place: TEMPLATE } : null
}
