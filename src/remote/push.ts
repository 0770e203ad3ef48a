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
import { type Far, type Pushed, pushRefs } from '../git/network.ts'
import type { Repo } from '../git/open-repo.ts'
import { listParked, parkedHere } from '../git/parked.ts'
import { branchName, hasCommits, readHead, readRefs } from '../git/refs.ts'
import { isCopy, pushRef, readRemotes } from '../git/remotes.ts'
import { separateRef } from '../git/separate-branch.ts'
import { readStatus } from '../git/status.ts'
import { isOddName, setUpstream } from '../git/take-branch.ts'
import { plural, someOf } from '../text/count.ts'
import { typedWord } from '../text/safe-text.ts'
import { keepWanted } from '../work/offer-work.ts'
import { dropEnded, listSent, type SentWork, settleWork, tellPickedUp, workSpecs } from '../work/send-work.ts'
import { mayAsk } from '../workspace/at-terminal.ts'
import { maskName, maskSecrets } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { sendConversation } from './conversation.ts'
import { farOf } from './go-on.ts'
import { pageOf } from './link.ts'
import { upstreamOfWork } from './place.ts'

interface PushOptions {
  dryRun: boolean
  /** Uncommitted files go along; undefined: as configured. */
  work: boolean | undefined
  /** The conversation behind the brief goes along. */
  conversation: boolean
}

/**
 * Pushes the current branch to where `git push` would, and the branch of its briefs, and says how the next person opens it. Throws
 * `noBranchHere`, `noRemote`, `copyOfRequest`, `pushNowhere`, `pushBehind`, `pushRefused` and what `pushRefs` throws.
 */
export async function push(
  invocation: Invocation,
  { dryRun, work: isWanted, conversation }: PushOptions,
): Promise<Outcome> {
  const { out, place } = invocation
  const workspace = await openWorkspace(invocation, { isAnswer: true })
  const { repo } = workspace
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
  const [held] = await repo.objects.read([apart])
  const refs = [[ref, to.ref] as const, ...(held ? [[apart, apart] as const] : [])]
  const { current, closing } = await readCheckout(repo)
  const id = current !== null && (current.committed || current.apart !== undefined) ? current.id : null
  const work = await keepWanted(invocation, workspace, { id, branch, isWanted, verb: 'Sends', dryRun })
  const far: Far = { remote, isAttended: mayAsk(invocation) }
  const listed = await listSent(repo, far)
  const news = listed === null || dryRun ? [] : await tellPickedUp(repo, far, listed, place.now())
  const changes = work === null ? (await readStatus(repo)).changes : []
  const specs = dryRun
    ? []
    : await workSpecs(repo, far, listed, { work, branch, isClean: changes.length === 0 })
  const { pushed: all, said } = await pushRefs(repo, far, [...refs, ...specs], dryRun ? ['--dry-run'] : [])
  const pushed = all.filter((one) => refs.some(([, to]) => to === one.ref))
  if (said !== '') out.quote(await maskSecrets(said))
  const refused = pushed.find(({ state }) => state === 'refused')
  const went = pushed.filter(({ state }) => state === 'new' || state === 'moved')
  await dropEnded(repo, all)
  const sent = work === null ? null : await settleWork(repo, far, work, all)
  const name = branchName(to.ref)
  const isSent = pushed.some((one) => one.ref === to.ref && one !== refused)
  if (!dryRun && remotes.upstreamOf(branch) === null && name !== null && isSent)
    await setUpstream(repo, branch, { remote, ref: to.ref })
  const line = lineOf(went, remote, dryRun, sent)
  if (refused !== undefined) {
    if (went.length > 0) out.say(await maskName(line))
    throw await failureOf(repo, refused, remote, said)
  }
  const talk = conversation ? await sendConversation(invocation, workspace, far, dryRun) : null
  const page = name && pageOf(remotes.list.find((one) => one.name === remote)?.url ?? remote, name)
  // `open` takes some words for other things.
  const isOpenable = name !== null && !isOddName(name)
  const byGit = `git fetch ${typedWord(remote)} ${typedWord(`${to.ref}:refs/heads/handed-over`)} && git switch handed-over`
  const open = isOpenable ? `git handoff open ${typedWord(page ?? name)}` : byGit
  const parked = await parkedHere(repo, await listParked(repo))
  if (current === null && closing === null)
    out.warn('no brief is open on this branch; `git handoff create "<goal>"` makes one')
  if (changes.length > 0 && !(dryRun && isWanted))
    out.warn(
      `not pushed: ${plural(changes.length, 'uncommitted file')} (${someOf(
        changes.map(({ path }) => path),
        MAX_NAMES,
      )})${id === null || isWanted !== undefined ? '' : '; `git handoff push --work` sends them beside the brief'}`,
    )
  if (parked.length > 0) out.warn(`not pushed: ${plural(parked.length, 'parked brief')}`)
  const told = { ok: true, dryRun, remote, branch, pushed: pushed.map(({ ref, state }) => ({ ref, state })) }
  return {
    result: {
      ...told,
      brief: current?.id ?? null,
      work: sent,
      conversation: talk,
      page,
      open,
      warnings: out.warnings,
    },
    text: `${line}${talk === null ? '' : ' The conversation went along.'}\nFor the next person: ${open}`,
    said: news,
  }
}

/** Files named in a warning. */
const MAX_NAMES = 3

function lineOf(went: readonly Pushed[], remote: string, dryRun: boolean, sent: SentWork | null): string {
  const names = went.map(({ ref, state }) => `${branchName(ref) ?? ref}${state === 'new' ? ' (new)' : ''}`)
  if (sent?.isNew)
    names.push(
      `${plural(sent.files, 'uncommitted file')}${branchName(sent.ref) === null ? '' : `, as branch ${branchName(sent.ref)}, which \`open\` deletes,`}`,
    )
  if (names.length === 0) return `${remote} has everything already.`
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
  if (says.startsWith('[rejected]')) {
    const tip = says.includes('non-fast-forward') ? await tipHeldHere(repo, remote, branch) : null
    if (tip !== null) throw pushRewritten(branch, farOf({ remote, ref }), tip)
    const own = await repo.git(['rev-list', '-1', 'HEAD', '--not', `--remotes=${remote}`])
    return pushBehind(branch, remote, own === '' ? null : farOf({ remote, ref }))
  }
  const why = /\((.*)\)$/.exec(says)?.[1] ?? says
  // The host says more than git does, mostly in its first line.
  const first = /^remote: (?:error: )?(\S.*?)[.\s]*$/m.exec(said)?.[1]
  return pushRefused(branch, remote, first === undefined ? why : `${why}: ${first}`, said)
}
