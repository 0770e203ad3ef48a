import { labelOf } from '../agents/table.ts'
import { agoOf, takenWords } from '../brief/prompt.ts'
import { type Checkout, type CurrentBrief, readCheckout } from '../briefs/current.ts'
import { listUncommitted } from '../briefs/find-saved.ts'
import { planPrune } from '../briefs/prune-briefs.ts'
import { UNTRUSTED } from '../briefs/trusted-among.ts'
import { isOnOrigin, refOf, tellBeside, verdictOn } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import type { Repo } from '../git/open-repo.ts'
import { listParked } from '../git/parked.ts'
import { listBriefsAtHead, readBriefTrees } from '../git/read-briefs.ts'
import { branchName, readHead, readRefs } from '../git/refs.ts'
import { secondsSince } from '../session/session-list.ts'
import { readJournal, readPickUp } from '../store/journal.ts'
import { readLedger } from '../store/ledger.ts'
import { listLive, openNudges } from '../store/live.ts'
import { listPending } from '../store/pending.ts'
import { summaryOf } from '../switch/requests.ts'
import { oneLine } from '../text/safe-text.ts'
import type { Config } from '../types/config.ts'
import { driftOf } from '../verify/pointer.ts'
import { maskName } from '../workspace/input-secrets.ts'

/** Briefs that are told as landed. */
const LANDED = 3
/** Journal lines and sessions that are told. */
const LATEST = 20

export type Status = Omit<Awaited<ReturnType<typeof readStatusOf>>, 'checkout'> & {
  brief: Awaited<ReturnType<typeof readOpenBrief>>
}

/** The open brief or the record that closed this branch, what changed since, and whether agents are told of it: several questions to git, so only for what is told. */
export async function readOpenBrief(
  repo: Repo,
  { current, closing }: Pick<Checkout, 'current' | 'closing'>,
  now: Date,
  isForAgent = false,
) {
  const brief = current ?? closing
  if (brief === null) return null
  const { id, path, parsed } = brief
  const { goal, branch, agent, createdAt } = parsed.meta
  const [drift, verdict, pickUp] = await Promise.all([
    driftOf(repo, brief),
    verdictOn(repo, brief),
    readHolder(repo, id, now),
  ])
  // A stranger's words are not for an agent.
  const words =
    isForAgent && !verdict.trusted ? { goal: UNTRUSTED, agent: UNTRUSTED } : { goal, agent: agent.label }
  const isOfOrigin = !verdict.trusted && (await isOnOrigin(repo, brief))
  // One's own needs no name; a stranger's name is as much a stranger's word as the goal.
  const isOwn = (await readLedger(repo.commonDir)).created.has(`${path}\t${brief.oid}`)
  const author = isOwn || (isForAgent && !verdict.trusted) ? null : await readAuthor(repo, brief)
  const told = {
    id,
    path,
    ...words,
    author,
    branch,
    createdAt,
    age: agoOf(createdAt, now.getTime()),
    open: current !== null,
  }
  const here = branchName((await readHead(repo)).ref)
  const isElsewhere = current !== null && branch !== null && branch !== here
  const beside = current === null ? [] : await tellBeside(repo, current)
  const made = isElsewhere ? [`Made on branch ${oneLine(branch)}`] : []
  return { ...told, drift, pickUp, ...verdict, isOfOrigin, beside: [...made, ...beside] }
}

/** Who committed a brief, by the mailmap; null for one that no branch here holds. */
async function readAuthor(repo: Repo, brief: CurrentBrief): Promise<string | null> {
  const ref = refOf(brief)
  if (ref === null) return null
  const args = ['log', '-1', '--format=%aN', '--no-show-signature', '--no-renames', '--end-of-options']
  return (await repo.git([...args, ref, '--', brief.path])).trim() || null
}

/** The session that acts on a brief, and that in words; null while nobody does. */
async function readHolder(repo: Repo, id: string, now: Date) {
  const found = await readPickUp(repo.commonDir, id, now.getTime())
  if (found?.isActing !== true) return null
  const { agent, sessionId, root, at } = found
  const words = takenWords({ ...found, label: labelOf(agent) }, repo.root, now.getTime(), ', ')
  return { agent, sessionId, root, at, words }
}

/** The open brief of the branch that this one grew from, where a session in another worktree has it; null otherwise. */
export async function readTaken(
  repo: Repo,
  { current, closing, heads }: Checkout,
  now: Date,
  isForAgent = false,
) {
  const [brief] = heads
  if (current !== null || closing !== null || brief === undefined) return null
  return readOpenBrief(repo, { current: brief, closing }, now, isForAgent)
}

/** Briefs in the tree that `prune` would take out by the configuration: a walk through history, so only for what is told. */
export async function countPast(
  { place }: Invocation,
  repo: Repo,
  { retention }: Config,
  checkout: Checkout,
): Promise<number> {
  if (retention.keep === null && retention.olderThan === null) return 0
  const plans = await planPrune(repo, { ...retention, open: false }, place.now().getTime(), checkout)
  return plans.flatMap(({ removed }) => removed).length
}

/** A fetched branch of the same name that HEAD does not hold, with its newest brief; null where that is no newer than all of HEAD. */
export async function readNewerFetched(repo: Repo): Promise<{ ref: string; id: string } | null> {
  const branch = branchName((await readHead(repo)).ref)
  if (branch === null) return null
  const [here, refs] = await Promise.all([
    listBriefsAtHead(repo),
    readRefs(repo, ['refs/heads', 'refs/remotes']),
  ])
  const far = refs.filter(({ name }) => name.split('/').slice(3).join('/') === branch)
  const trees = await readBriefTrees(
    repo,
    far.map(({ oid }) => oid),
  )
  for (const [at, { name, oid }] of far.entries()) {
    const id = trees[at]?.at(-1)?.id ?? ''
    if (id <= (here.at(-1)?.id ?? '')) continue
    const missing = await repo.git(['rev-list', '-1', oid, '--not', 'HEAD', '--'])
    if (missing !== '') return { ref: await maskName(name.slice('refs/remotes/'.length)), id }
  }
  return null
}

export async function readStatusOf({ place }: Invocation, repo: Repo) {
  const [checkout, parked, onDisk, pending, live, nudges, journal] = await Promise.all([
    readCheckout(repo),
    listParked(repo),
    listUncommitted(repo),
    listPending(repo.commonDir),
    listLive(repo.commonDir),
    openNudges(repo.commonDir),
    readJournal(repo.commonDir),
  ])
  return {
    checkout,
    landed: checkout.landed
      .slice(0, LANDED)
      .map(({ id, path, goal, branch }) => ({ id, path, goal, branch })),
    /** Briefs on disk that no commit here and no ref holds. */
    uncommitted: onDisk.flatMap(({ path, isParked }) => (isParked ? [] : path)),
    parked: await Promise.all(
      parked.map(async ({ id, branch, isGone }) => ({ id, branch: await maskName(branch), isGone })),
    ),
    ...(await masked(place.env, {
      requests: pending.map(summaryOf),
      sessions: live.slice(0, LATEST).map((one) => ({ ...one, ageSeconds: secondsSince(one.at, place) })),
      nudges,
      pickUps: journal.filter(({ kind }) => kind === 'pick-up').slice(-LATEST),
      journal: journal.slice(-LATEST),
    })),
  }
}

/**
 * What was written down unseen tells why something failed, in words that nobody has looked at. The rules take some ms to load; what hooks
 * tell of sessions, ids and numbers, does not need them.
 */
const masked = async <T extends { requests: readonly unknown[]; journal: readonly unknown[] }>(
  env: Invocation['place']['env'],
  told: T,
): Promise<T> =>
  told.requests.length + told.journal.length === 0
    ? told
    : (await import('../workspace/input-secrets.ts')).maskSecrets(told, env)
