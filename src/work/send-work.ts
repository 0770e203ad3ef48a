import { reasonOf } from '../errors/handoff-error.ts'
import { workPushRefused } from '../errors/work.ts'
import { writeCommit } from '../git/commit-files.ts'
import { type Far, fetchRefs, listRemote, type Pushed, type PushSpec, pushRefs } from '../git/network.ts'
import type { Repo } from '../git/open-repo.ts'
import { readRefs, WORK } from '../git/refs.ts'
import { forgetWork, listWorkRecords, readWorkRecord, recordWork, type WorkRecord } from '../store/works.ts'
import { ageText } from '../text/count.ts'
import { dropKept, type KeptWork, type Note, readKept } from './keep-work.ts'

/** The receipt of who picked work up: its sender reads it once, and removes it. */
const TAKEN = 'refs/handoff/taken/'
/** For hosts that take nothing but branches. */
const AS_BRANCH = 'refs/heads/handoff/work/'

/** The conversation behind a brief. */
export const SAID = 'refs/handoff/said/'

/** What `listRemote` is asked of besides. */
export const WORK_PATTERNS = [WORK, TAKEN, AS_BRANCH, SAID].map((prefix) => `${prefix}*`)

/** Refs of a remote with their commits. */
export type Listed = ReadonlyMap<string, string>

/** Work that waits on a remote. */
export interface Waiting {
  id: string
  ref: string
  oid: string
}

/** Newest first. */
export const waitingIn = (listed: Listed): Waiting[] =>
  [...listed]
    .flatMap(([ref, oid]) => {
      const prefix = [WORK, AS_BRANCH].find((one) => ref.startsWith(one))
      return prefix === undefined ? [] : [{ id: ref.slice(prefix.length), ref, oid }]
    })
    .sort((a, b) => (a.id < b.id ? 1 : -1))

/** What this clone has sent to a remote and nobody has picked up, as far as it knows. */
export const sentTo = async (repo: Repo, remote: string): Promise<WorkRecord[]> =>
  (await listWorkRecords(repo.commonDir)).filter((one) => one.state === 'sent' && one.remote === remote)

/** What is listed of the remote, where this clone has sent something there; null without a question. */
export async function listSent(repo: Repo, far: Far): Promise<Listed | null> {
  if ((await sentTo(repo, far.remote)).length === 0) return null
  return listRemote(repo, far, WORK_PATTERNS)
}

/** Says who picked up what was sent from here, once. A line for each. */
export async function tellPickedUp(repo: Repo, far: Far, listed: Listed, now: Date): Promise<string[]> {
  const lines: string[] = []
  for (const record of await sentTo(repo, far.remote)) {
    const { id, ref } = record
    if (ref === null || listed.has(ref)) continue
    const [receipt, oid] = [`${TAKEN}${id}`, listed.get(`${TAKEN}${id}`)]
    let by = 'somebody'
    if (oid !== undefined) {
      await fetchRefs(repo, far, [receipt])
      const [object] = await repo.objects.read([oid])
      const [, name = '', at = '0'] =
        /^author (.*) <[^\n]*> (\d+) /m.exec(object?.content.toString('utf8') ?? '') ?? []
      by = `${name}, ${ageText(Math.max(0, now.getTime() - Number(at) * 1000))} ago`
      await pushRefs(repo, far, [['', receipt, oid]], ['--no-verify']).catch(() => null)
    }
    await recordWork(repo.commonDir, { ...record, state: 'gone' })
    lines.push(`Your uncommitted work beside ${id} was picked up by ${by}.`)
  }
  return lines
}

/**
 * What is pushed of work: that beside the open brief, in place of nothing or of what this clone sent, and the end of what it sent before it on
 * this branch, or before all was committed.
 */
export async function workSpecs(
  repo: Repo,
  { remote }: Far,
  listed: Listed | null,
  { work, branch, isClean }: { work: KeptWork | null; branch: string; isClean: boolean },
): Promise<PushSpec[]> {
  const sent = await sentTo(repo, remote)
  const ended = sent.filter((one) => one.branch === branch && (work === null ? isClean : one.id !== work.id))
  const specs = ended.flatMap(({ ref, commit }): PushSpec[] =>
    ref !== null && listed?.get(ref) === commit ? [['', ref, commit]] : [],
  )
  if (work === null) return specs
  const to = `${WORK}${work.id}`
  const before = sent.find(({ id }) => id === work.id)?.commit ?? ''
  return [...specs, [work.commit, to, listed?.has(to) ? before : '']]
}

/** Forgets what was withdrawn from a remote: it is committed by now, or part of what was sent since. */
export async function dropEnded(repo: Repo, pushed: readonly Pushed[]): Promise<void> {
  const gone = new Map(pushed.flatMap(({ ref, state }) => (state === 'deleted' ? [[ref, '']] : [])))
  for (const { id } of waitingIn(gone)) await dropKept(repo, id)
}

/** Work that a remote has now. */
export interface SentWork extends Pick<Note, 'files' | 'staged' | 'left'> {
  id: string
  ref: string
  isNew: boolean
}

/** Notes what became of work that was pushed; as a branch where the remote takes nothing else. Throws `workPushRefused`. */
export async function settleWork(
  repo: Repo,
  far: Far,
  work: KeptWork,
  pushed: readonly Pushed[],
): Promise<SentWork> {
  const { id, commit, note } = work
  let found = pushed.find(({ ref }) => ref === `${WORK}${id}`)
  if (found?.state === 'refused' && /stale info/.test(found.says)) {
    // What this clone sent before it was killed is here; of somebody else's nothing is.
    const there = (await listRemote(repo, far, [found.ref])).get(found.ref) ?? ''
    const [own] = await repo.objects.read([there])
    const again = own === null ? [] : (await pushRefs(repo, far, [[commit, found.ref, there]])).pushed
    found = again[0] ?? found
  } else if (found?.state === 'refused') {
    const branch = `${AS_BRANCH}${id}`
    // What this clone sent so before may be replaced.
    const before = await readWorkRecord(repo.commonDir, id)
    const lease = before?.ref === branch && before.state === 'sent' ? before.commit : ''
    const again = await pushRefs(repo, far, [[commit, branch, lease]])
    found = again.pushed.find(({ ref }) => ref === branch)
  }
  if (found === undefined || found.state === 'refused')
    throw workPushRefused(
      far.remote,
      id,
      /stale info/.test(found?.says ?? '')
        ? 'it has other work beside this brief, which `git handoff open` takes'
        : (found?.says ?? ''),
    )
  const { files, staged, left } = note
  const [at, branch] = [new Date(work.at * 1000).toISOString(), note.branch]
  const place = { remote: far.remote, ref: found.ref }
  await recordWork(repo.commonDir, { id, at, branch, commit, state: 'sent', ...place })
  return { id, ref: found.ref, isNew: found.state !== 'same', files, staged, left }
}

/** Fetches work that waits, into a ref of this clone. Null for what is no work: anybody may have made the ref. */
export async function fetchWork(repo: Repo, far: Far, { id, ref, oid }: Waiting): Promise<KeptWork | null> {
  const [here] = await repo.objects.read([`${WORK}${id}`])
  if (here?.oid !== oid) await fetchRefs(repo, far, [`+${ref}:${WORK}${id}`])
  return readKept(repo, id, oid)
}

/** The receipt of who picks work up: a commit of nothing. */
export async function writeReceipt(repo: Repo, { id }: Waiting): Promise<string> {
  const tree = (await repo.git(['mktree'], { input: '' })).trim()
  const made = { tree, parents: [], message: `handoff: picked up the work beside ${id}\n`, sign: false }
  return (await writeCommit(repo, made)).commit
}

/**
 * Takes work off its remote, leaves a receipt there, and forgets it here. Returns what to warn of where that failed: the next `open` does
 * it again.
 */
export async function claimWork(
  repo: Repo,
  far: Far,
  { id, ref, oid }: Waiting,
  receipt: Promise<string>,
): Promise<string | null> {
  try {
    const specs: PushSpec[] = [['', ref, oid]]
    // Where a host takes branches alone, nobody can leave one.
    if (ref.startsWith(WORK)) specs.push([await receipt, `${TAKEN}${id}`, ''])
    const { pushed } = await pushRefs(repo, far, specs, ['--no-verify'])
    const refused = pushed.find((one) => one.ref === ref && one.state === 'refused')
    await dropKept(repo, id)
    return refused === undefined ? null : 'somebody else has picked up the same work in this moment'
  } catch (error) {
    return `${far.remote} was not told that the work is picked up (${reasonOf(error)}); run the command again`
  }
}

/** Ms after which `prune` takes work away: thirty days. */
const LASTS = 30 * 86_400_000

/** Removes what this clone has kept or sent for thirty days, here and where it still waits. Returns ids, and what failed. */
export async function pruneWork(
  repo: Repo,
  now: Date,
  isDry: boolean,
): Promise<{ ids: string[]; failed: string[] }> {
  const old = (await listWorkRecords(repo.commonDir)).filter(
    ({ at }) => now.getTime() - Date.parse(at) > LASTS,
  )
  const failed: string[] = []
  for (const { id, state, remote, ref, commit } of isDry ? [] : old)
    try {
      if (['sent', 'said'].includes(state) && remote !== null && ref !== null)
        await pushRefs(repo, { remote, isAttended: false }, [['', ref, commit]], ['--no-verify'])
      if ((await readRefs(repo, [`${WORK}${id}`])).length > 0) await dropKept(repo, id)
      else await forgetWork(repo.commonDir, id)
    } catch (error) {
      failed.push(`the work beside ${id} waits at ${remote} (${reasonOf(error)})`)
    }
  return { ids: old.map(({ id }) => id), failed }
}
