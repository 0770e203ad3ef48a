import { readCheckout } from '../briefs/current.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import type { Invocation, Outcome } from '../command.ts'
import { copyOfRequest, noBranchHere, noRemote, pushBehind, pushRefused } from '../errors/remote.ts'
import { ID } from '../git/brief-path.ts'
import { type Pushed, pushRefs } from '../git/network.ts'
import { checkObjects } from '../git/objects.ts'
import { listParked, parkedHere } from '../git/parked.ts'
import { branchName, hasCommits, readHead } from '../git/refs.ts'
import { isCopy, readRemotes } from '../git/remotes.ts'
import { separateRef } from '../git/separate-branch.ts'
import { readStatus } from '../git/status.ts'
import { isBranchName, setUpstream } from '../git/take-branch.ts'
import { plural, someOf } from '../text/count.ts'
import { typedWord } from '../text/shell-word.ts'
import { mayAsk } from '../workspace/at-terminal.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { pageOf } from './link.ts'

/**
 * Pushes the current branch and the branch of its briefs, and says how the next person opens it. Throws `noBranchHere`, `noRemote`,
 * `copyOfRequest`, `pushBehind`, `pushRefused` and what `pushRefs` throws.
 */
export async function push(invocation: Invocation, dryRun: boolean): Promise<Outcome> {
  const { out } = invocation
  const { repo } = await openWorkspace(invocation)
  await refreshLatest(invocation, repo)
  const { ref } = await readHead(repo)
  const branch = branchName(ref)
  if (branch === null || !(await hasCommits(repo))) throw noBranchHere(branch !== null)
  const remotes = await readRemotes(repo)
  const upstream = remotes.upstreamOf(branch)
  if (upstream !== null && isCopy(upstream)) throw copyOfRequest(branch, upstream.ref)
  const remote = remotes.pushTo(branch)
  if (remote === null) throw noRemote(branch, remotes.list)
  const apart = separateRef(branch)
  const [held] = await checkObjects(repo, [apart])
  const refs = held ? [ref, apart] : [ref]
  const { pushed, said } = await pushRefs(repo, { remote, isAttended: mayAsk(invocation) }, refs, dryRun)
  if (said !== '') out.quote(said)
  const refused = pushed.find(({ state }) => state === 'refused')
  const went = pushed.filter(({ state }) => state === 'new' || state === 'moved')
  if (!dryRun && upstream === null && pushed.some((one) => one.ref === ref && one !== refused))
    await setUpstream(repo, branch, { remote, ref })
  const line = lineOf(went, remote, dryRun)
  if (refused !== undefined) {
    if (went.length > 0) out.say(line)
    throw failureOf(refused, remote, said)
  }
  const page = pageOf(remotes.list.find(({ name }) => name === remote)?.url ?? remote, branch)
  // `open` takes some words for other things.
  const isOpened = page !== null || (!ID.test(branch) && (await isBranchName(repo, branch)))
  const open = isOpened
    ? `npx git-handoff open ${typedWord(page ?? branch)}`
    : `git fetch ${typedWord(remote)} ${typedWord(`${ref}:refs/heads/handed-over`)} && git switch handed-over`
  const [{ current, closing }, parked, { changes }] = await Promise.all([
    readCheckout(repo),
    listParked(repo).then((all) => parkedHere(repo, all)),
    readStatus(repo),
  ])
  if (current === null && closing === null)
    out.warn('no brief is open on this branch; `npx git-handoff create "<goal>"` makes one')
  if (changes.length > 0)
    out.warn(
      `not pushed: ${plural(changes.length, 'uncommitted file')} (${someOf(
        changes.map(({ path }) => path),
        MAX_NAMES,
      )})${current === null ? '' : '; commit what the brief counts on'}`,
    )
  if (parked.length > 0) out.warn(`not pushed: ${plural(parked.length, 'parked brief')}`)
  const told = { ok: true, dryRun, remote, branch, pushed: pushed.map(({ ref, state }) => ({ ref, state })) }
  return {
    result: { ...told, brief: current?.id ?? null, page, open, warnings: out.warnings },
    text: `${line}\nFor the next person: ${open}`,
    said: [],
  }
}

/** Files named in a warning. */
const MAX_NAMES = 3

function lineOf(went: readonly Pushed[], remote: string, dryRun: boolean): string {
  if (went.length === 0) return `${remote} has everything already.`
  const names = went.map(({ ref, state }) => `${branchName(ref)}${state === 'new' ? ' (new)' : ''}`)
  return `${dryRun ? 'Would push' : 'Pushed'} ${names.join(' and ')} to ${remote}.`
}

function failureOf({ ref, says }: Pushed, remote: string, said: string): Error {
  const branch = branchName(ref) ?? ref
  if (/^\[rejected\]/.test(says)) return pushBehind(branch, remote)
  const why = /\((.*)\)$/.exec(says)?.[1] ?? says
  // The host says more than git does, mostly in its first line.
  const first = /^remote: (?:error: )?(\S.*?)[.\s]*$/m.exec(said)?.[1]
  return pushRefused(branch, remote, first === undefined ? why : `${why}: ${first}`, said)
}
