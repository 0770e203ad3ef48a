import type { Invocation } from '../command.ts'
import { workInTheWay } from '../errors/work.ts'
import type { Far } from '../git/network.ts'
import type { Repo } from '../git/open-repo.ts'
import { readTipTrees } from '../git/read-briefs.ts'
import { branchName, WORK } from '../git/refs.ts'
import { listWorkRecords, readWorkRecord, recordWork, type WorkRecord } from '../store/works.ts'
import { ageText, plural } from '../text/count.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'
import { type KeptWork, type Note, readKept } from './keep-work.ts'
import { leftText } from './offer-work.ts'
import { readDiff } from './read-work.ts'
import {
  judgeStanding,
  type Merged,
  mergeWork,
  restoreWork,
  type Standing,
  setAside,
} from './restore-work.ts'
import { claimWork, fetchWork, type Listed, type Waiting, waitingIn, writeReceipt } from './send-work.ts'

/** Work that arrives with a branch, and what was decided before anything changes. */
export interface Arrival {
  far: Far
  waiting: Waiting
  work: KeptWork
  merged: Merged
  standing: Standing
  /** It was restored by an earlier run, or is what stands here: nothing is changed. */
  isHere: 'taken' | 'own' | null
}

/** A branch that is opened. */
interface Opened {
  branch: string
  remote: string | null
  from: { ref: string; oid: string } | null
  local: string | null
  apart: { oid: string } | null
  works: Listed
}

/** The newest work that waits beside a brief of this branch, fetched; null for none. */
export async function findWork(
  repo: Repo,
  { branch, remote, from, local, apart, works }: Opened,
  isAttended: boolean,
): Promise<Pick<Arrival, 'far' | 'waiting' | 'work'> | null> {
  if (remote === null) return null
  const tips = [local, from?.oid, apart?.oid].filter((oid) => oid != null)
  const ids = new Set((await readTipTrees(repo, tips)).flat().map(({ id }) => id))
  const names = [branch, branchName(from?.ref ?? '')]
  const far: Far = { remote, isAttended }
  for (const waiting of waitingIn(works)) {
    if (!ids.has(waiting.id)) continue
    const work = await fetchWork(repo, far, waiting)
    if (work !== null && names.includes(work.note.branch)) return { far, waiting, work }
  }
  return null
}

/**
 * Decides whether work may be restored upon a commit, before anything changes. `isElsewhere`: into a new folder. Throws `workInTheWay`,
 * `workConflicts`.
 */
export async function checkArrival(
  { place }: Invocation,
  { repo, loaded }: Pick<RepoWorkspace, 'repo' | 'loaded'>,
  found: Pick<Arrival, 'far' | 'waiting' | 'work'>,
  { head, again, isElsewhere }: { head: string; again: string; isElsewhere: boolean },
): Promise<Arrival> {
  const { work, waiting } = found
  const free: Standing = { own: [], replaced: null, extra: [], staying: [] }
  const record = await readWorkRecord(repo.commonDir, work.id)
  const isSame = record?.commit === waiting.oid
  const none: Merged = { tree: work.tree, index: work.index, isMoved: false }
  if (isSame && record.state === 'taken') return { ...found, merged: none, standing: free, isHere: 'taken' }
  const scanner = await openScanner(place, repo.root, loaded.config)
  const isBroken = isSame && record.state === 'taking'
  const standing = isElsewhere ? free : await judgeStanding(repo, scanner, work, isBroken)
  const { own, replaced } = standing
  const isOwn = isSame && ['kept', 'sent'].includes(record.state)
  if (isOwn && replaced?.tree === work.tree && replaced.index === work.index)
    return { ...found, merged: none, standing, isHere: 'own' }
  if (own.length > 0) throw workInTheWay(work.id, own, again)
  return { ...found, merged: await mergeWork(repo, head, work), standing, isHere: null }
}

/** Makes room for work that arrives: changes that were sent from here before, or that an earlier run restored in part. */
export async function makeRoom(repo: Repo, { work, waiting, far, standing, isHere }: Arrival): Promise<void> {
  if (isHere !== null) return
  await note(repo, { work, waiting, far }, 'taking')
  await setAside(repo, standing)
}

const note = (
  repo: Repo,
  { work, waiting, far }: Pick<Arrival, 'far' | 'waiting' | 'work'>,
  state: 'taking' | 'taken',
) => {
  const { oid: commit, ...rest } = waiting
  const [at, branch] = [new Date(work.at * 1000).toISOString(), work.note.branch]
  return recordWork(repo.commonDir, { ...rest, commit, at, branch, state, remote: far.remote })
}

/**
 * What was sent from here and picked up comes back as commits: changes that are in their way are taken back. They stay under their ref.
 * A line that says so; null where nothing is in the way, or a change is nobody else's.
 */
export async function clearSent(
  { place }: Invocation,
  { repo, loaded }: Pick<RepoWorkspace, 'repo' | 'loaded'>,
  { branch, remote, works }: Pick<Opened, 'branch' | 'remote' | 'works'>,
  head: string,
): Promise<string | null> {
  const isGone = ({ state, ref }: WorkRecord) =>
    state === 'gone' || (state === 'sent' && !works.has(ref ?? ''))
  const records = await listWorkRecords(repo.commonDir)
  const last = records.findLast((one) => one.branch === branch && one.remote === remote && isGone(one))
  const sent = last && (await readKept(repo, last.id, last.commit))
  if (!sent) return null
  const scanner = await openScanner(place, repo.root, loaded.config)
  const standing = await judgeStanding(repo, scanner, sent, false)
  const { own, replaced } = standing
  if (replaced === null) return null
  const comes = new Set((await readDiff(repo, 'HEAD', head)).map(({ path }) => path))
  const isInTheWay = (await readDiff(repo, 'HEAD', replaced.tree)).some(({ path }) => comes.has(path))
  if (own.length > 0 || !isInTheWay) return null
  await setAside(repo, standing)
  return `What you had sent is in commits by now, or set aside: \`git cherry-pick --no-commit -m 1 ${WORK}${sent.id}\` brings it back.`
}

/** Work that was restored, as `--json` has it. */
export interface TakenWork extends Pick<Note, 'files' | 'staged' | 'left'> {
  id: string
  by: string
  isMerged: boolean
}

/**
 * Restores work, and takes it off its remote meanwhile: `claimed` gives what to warn of. Throws what `restoreWork` throws; `lines` say what
 * was done.
 */
export async function takeWork(
  { place }: Invocation,
  repo: Repo,
  arrival: Arrival,
): Promise<{ taken: TakenWork | null; lines: string[]; claimed?: Promise<string | null> }> {
  const { far, waiting, work, merged, standing, isHere } = arrival
  const { id, by, at } = work
  const { files, staged, left, intent } = work.note
  if (isHere === 'own')
    return {
      taken: null,
      lines: [`Your own uncommitted work beside ${id} waits on ${far.remote} for whoever opens it.`],
    }
  const receipt = writeReceipt(repo, waiting)
  // Whoever cannot restore it has nothing to confirm.
  receipt.catch(() => undefined)
  if (isHere === null) {
    await restoreWork(repo, { id, intent }, merged, standing)
    await note(repo, arrival, 'taken')
  }
  const claimed = claimWork(repo, far, waiting, receipt)
  const age = ageText(Math.max(0, place.now().getTime() - at * 1000))
  const lines = [
    `Uncommitted work of ${by}, ${age} old: ${plural(files, 'file')}${staged === 0 ? '' : ` (${staged} staged)`} ${isHere === null ? 'restored' : 'was restored before'}.`,
    ...(merged.isMoved ? [`  The branch has moved on since; it was merged without conflicts.`] : []),
    ...(left.length === 0 ? [] : [`  Stayed there: ${leftText(left)}`]),
  ]
  return { taken: { id, by, files, staged, left, isMerged: merged.isMoved }, lines, claimed }
}
