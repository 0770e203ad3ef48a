import { readCheckout } from '../briefs/current.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import type { Invocation, Outcome } from '../command.ts'
import {
  copyOfRequest,
  noBranchHere,
  noRemote,
  pushBehind,
  pushNowhere,
  pushRefused,
  pushRewritten,
} from '../errors/remote.ts'
import { type Pushed, pushRefs } from '../git/network.ts'
import { checkObjects } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { listParked, parkedHere } from '../git/parked.ts'
import { branchName, hasCommits, readHead, readRefs } from '../git/refs.ts'
import { isCopy, pushRef, readRemotes } from '../git/remotes.ts'
import { separateRef } from '../git/separate-branch.ts'
import { readStatus } from '../git/status.ts'
import { isBranchName, setUpstream } from '../git/take-branch.ts'
import { plural, someOf } from '../text/count.ts'
import { typedWord } from '../text/safe-text.ts'
import { mayAsk } from '../workspace/at-terminal.ts'
import { maskName, maskSecrets } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { farOf } from './go-on.ts'
import { pageOf } from './link.ts'
import { upstreamOfWork } from './place.ts'

/**
 * Pushes the current branch to where `git push` would, and the branch of its briefs, and says how the next person opens it. Throws
 * `noBranchHere`, `noRemote`, `copyOfRequest`, `pushNowhere`, `pushBehind`, `pushRefused` and what `pushRefs` throws.
 */
export async function push(invocation: Invocation, dryRun: boolean): Promise<Outcome> {
  const { out } = invocation
  const { repo } = await openWorkspace(invocation)
  await refreshLatest(invocation, repo)
  const { ref } = await readHead(repo)
  const branch = branchName(ref)
  if (branch === null || !(await hasCommits(repo))) throw noBranchHere(branch !== null)
  const remotes = await readRemotes(repo)
  const upstream = await upstreamOfWork(repo, remotes, branch)
  if (upstream !== null && isCopy(upstream)) throw copyOfRequest(branch, upstream.ref)
  const remote = remotes.pushTo(branch)
  if (remote === null) throw noRemote(branch, remotes.list)
  const to = await pushRef(repo, remotes, { branch, remote, upstream })
  if ('why' in to) throw pushNowhere(branch, to.why, farOf(upstream ?? { remote, ref }))
  const apart = separateRef(branch)
  const [held] = await checkObjects(repo, [apart])
  const refs = [[ref, to.ref] as const, ...(held ? [[apart, apart] as const] : [])]
  const { pushed, said } = await pushRefs(repo, { remote, isAttended: mayAsk(invocation) }, refs, dryRun)
  if (said !== '') out.quote(await maskSecrets(said))
  const refused = pushed.find(({ state }) => state === 'refused')
  const went = pushed.filter(({ state }) => state === 'new' || state === 'moved')
  const far = branchName(to.ref)
  const isSent = pushed.some((one) => one.ref === to.ref && one !== refused)
  if (!dryRun && remotes.upstreamOf(branch) === null && far !== null && isSent)
    await setUpstream(repo, branch, { remote, ref: to.ref })
  const line = lineOf(went, remote, dryRun)
  if (refused !== undefined) {
    if (went.length > 0) out.say(await maskName(line))
    throw await failureOf(repo, refused, remote, said)
  }
  const page = far && pageOf(remotes.list.find(({ name }) => name === remote)?.url ?? remote, far)
  // `open` takes some words for other things.
  const isOpenable = far !== null && (await isBranchName(repo, far))
  const byGit = `git fetch ${typedWord(remote)} ${typedWord(`${to.ref}:refs/heads/handed-over`)} && git switch handed-over`
  const open = isOpenable ? `git handoff open ${typedWord(page ?? far)}` : byGit
  const [{ current, closing }, parked, { changes }] = await Promise.all([
    readCheckout(repo),
    listParked(repo).then((all) => parkedHere(repo, all)),
    readStatus(repo),
  ])
  if (current === null && closing === null)
    out.warn('no brief is open on this branch; `git handoff create "<goal>"` makes one')
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
  const names = went.map(({ ref, state }) => `${branchName(ref) ?? ref}${state === 'new' ? ' (new)' : ''}`)
  return `${dryRun ? 'Would push' : 'Pushed'} ${names.join(' and ')} to ${remote}.`
}

/** What was last seen of a remote's branch, where the branch that is checked out has stood there: only a rewriting leads away from it. */
async function tipHeldHere(repo: Repo, remote: string, branch: string): Promise<string | null> {
  const [tip] = await readRefs(repo, [`refs/remotes/${remote}/${branch}`])
  if (tip === undefined || branch.startsWith('handoff/')) return null
  const { ref } = await readHead(repo)
  const held = await repo.git(['rev-list', '--walk-reflogs', ref, '--'])
  return held.split('\n').includes(tip.oid) ? tip.oid : null
}

async function failureOf(repo: Repo, { ref, says }: Pushed, remote: string, said: string): Promise<Error> {
  const branch = branchName(ref) ?? ref
  if (/^\[rejected\]/.test(says)) {
    const tip = /non-fast-forward/.test(says) ? await tipHeldHere(repo, remote, branch) : null
    if (tip !== null) throw pushRewritten(branch, farOf({ remote, ref }), tip)
    const own = await repo.git(['rev-list', '-1', 'HEAD', '--not', `--remotes=${remote}`])
    return pushBehind(branch, remote, own === '' ? null : farOf({ remote, ref }))
  }
  const why = /\((.*)\)$/.exec(says)?.[1] ?? says
  // The host says more than git does, mostly in its first line.
  const first = /^remote: (?:error: )?(\S.*?)[.\s]*$/m.exec(said)?.[1]
  return pushRefused(branch, remote, first === undefined ? why : `${why}: ${first}`, said)
}
