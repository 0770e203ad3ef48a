import { basename, resolve } from 'node:path'
import { findBrief } from '../briefs/find-brief.ts'
import { refreshLatest, uncutLatest } from '../briefs/latest-file.ts'
import type { Invocation, Outcome } from '../command.ts'
import { readRequest } from '../create/create-request.ts'
import { untrustedBrief } from '../errors/cycle.ts'
import { notARepository } from '../errors/git.ts'
import { type HandoffError, isHandoffError } from '../errors/handoff-error.ts'
import { briefWithoutBranch, noSuchBranch, notCloned, notFree, openCancelled } from '../errors/remote.ts'
import { withoutPathIn } from '../git/environment.ts'
import { listRemote } from '../git/network.ts'
import { forOneAnswer, type Repo, withoutAbort } from '../git/open-repo.ts'
import { readOperation } from '../git/operation.ts'
import { branchName, readHead } from '../git/refs.ts'
import { isCopy, type Remotes, readRemotes } from '../git/remotes.ts'
import { separateRef } from '../git/separate-branch.ts'
import { readStatus } from '../git/status.ts'
import { addWorktree, isBranchName, isOddName, setUpstream, switchTo } from '../git/take-branch.ts'
import { findDestination } from '../start/destination.ts'
import { notStarted } from '../start/start-successor.ts'
import { LATEST } from '../store/folder.ts'
import { ANYBODY, resume } from '../switch/resume.ts'
import { plural } from '../text/count.ts'
import { typedWord } from '../text/safe-text.ts'
import { tellPickedUp, WORK_PATTERNS } from '../work/send-work.ts'
import { checkArrival, clearSent, findWork, makeRoom, takeWork } from '../work/take-work.ts'
import { mayAsk } from '../workspace/at-terminal.ts'
import { maskName } from '../workspace/input-secrets.ts'
import { openAnywhere, openWorkspace } from '../workspace/workspace.ts'
import { fetchSource, findSource, type Source } from './branch-source.ts'
import { takeConversation } from './conversation.ts'
import { apartOf, checkProgram, goOn, tellHooks } from './go-on.ts'
import { type Link, readLink, remoteOf } from './link.ts'
import { offerTrust } from './offer-trust.ts'
import { pullPlace } from './place.ts'
import { tellOpen } from './told.ts'

interface OpenOptions {
  /** Who goes on; undefined: nobody is started. */
  to?: string | undefined
  headless?: boolean
  /** A new folder for the branch, so that the work tree stays as it is. */
  worktree?: string | undefined
  /** False: the branch alone, without the uncommitted work beside its brief. */
  work?: boolean
}

/**
 * Brings the branch that a link, a name or a brief means into the work tree or into one of its own, shows its brief, and starts an agent on
 * that. Nothing of the branch runs. Throws `notCloned`, `noSuchBranch`, `notFree`, `parted`, `bringsProgram` and what git says on the way.
 */
export async function open(invocation: Invocation, where: string, options: OpenOptions): Promise<Outcome> {
  const { out, place } = invocation
  const { to, headless = false } = options
  const link = readLink(where)
  const workspace = await openAnywhere(invocation)
  const { repo } = workspace
  if (repo === null) throw link === null ? notARepository(workspace.root) : notCloned(link.place, link.clone)
  // Who goes on is settled first, so that a mistyped name costs nothing.
  if (to !== undefined) await findDestination(invocation, { ...workspace, repo }, ANYBODY, to)
  const remotes = await readRemotes(repo)
  const isAttended = mayAsk(invocation)
  const source =
    link === null
      ? await sourceOfName(repo, remotes, where, place.root, isAttended)
      : await sourceOfLink(repo, remotes, link, isAttended)
  const folder = options.worktree === undefined ? null : resolve(place.root, options.worktree)
  const isHere = folder === null && branchName((await readHead(repo)).ref) === source.branch
  if (!isHere && folder === null) await checkFree(repo, source.branch, where)
  await fetchSource(repo, remotes, source, isAttended)
  const { behind: news } = await apartOf(repo, source)
  const oid = source.local ?? source.from?.oid ?? ''
  const head = news > 0 ? (source.from?.oid ?? oid) : oid
  const work = options.work === false ? null : await findWork(repo, source, isAttended)
  const again = `git handoff open ${typedWord(where)}`
  const arrival =
    work &&
    (await checkArrival(invocation, { ...workspace, repo }, work, {
      head,
      again,
      isElsewhere: folder !== null,
    }))
  if (arrival !== null) {
    await checkProgram(repo, source.branch, arrival.merged.tree)
    await makeRoom(repo, arrival)
  }
  if (folder !== null) tellHooks(invocation, await addWorktree(repo, source, folder))
  else if (!isHere) {
    await checkProgram(repo, source.branch, oid)
    tellHooks(invocation, await switchTo(repo, source))
  }
  const cleared =
    arrival === null && isHere && news > 0
      ? await clearSent(invocation, { ...workspace, repo }, source, head)
      : null
  const root = folder ?? repo.root
  // What the branch may have brought into a folder of PATH is no program of the person's.
  const after = { ...invocation, place: { ...place, root, env: withoutPathIn(place.env, [repo.root, root]) } }
  // It is here now: who cancels cancels only what comes after.
  const { signal: _, ...calm } = after.place
  const there = withoutAbort((await openWorkspace({ ...after, place: calm })).repo)
  const { behind } = source.local === null ? { behind: 0 } : await goOn(after, there, source, false)
  const { branch, remote, from } = source
  if (source.local === null && source.from !== null) await setUpstream(there, source.branch, source.from)
  const {
    taken = null,
    lines: says,
    claimed = null,
  } = arrival === null ? { lines: [] } : await takeWork(after, there, arrival)
  const tell = async () => {
    const still = forOneAnswer(there)
    await refreshLatest(after, still)
    return tellOpen(after, still)
  }
  let { brief, lines } = await tell()
  const problem = await claimed
  if (problem !== null) out.warn(problem)
  const picked =
    source.remote === null
      ? []
      : await tellPickedUp(there, { remote: source.remote, isAttended }, source.works, place.now())
  const did = await maskName(lineOf(source, { isHere, folder, behind }))
  const undo = isHere ? null : folder === null ? 'git checkout -' : `git worktree remove ${typedWord(folder)}`
  const onCancel = (error: unknown): never => {
    throw isHandoffError(error) && error.code === 'E_CANCELLED' ? openCancelled(did, undo) : error
  }
  const strange = brief?.trusted === false ? brief.id : null
  if (strange !== null && (await offerTrust(after, there, strange, to !== undefined).catch(onCancel)))
    ({ brief, lines } = await tell())
  const talk =
    brief === null || source.remote === null
      ? null
      : await takeConversation(there, { remote: source.remote, isAttended }, source.works, brief.id)
  const all = [
    did,
    ...lines,
    ...says,
    ...picked,
    ...(cleared === null ? [] : [cleared]),
    ...(talk === null ? [] : [talk]),
  ]
  const told = {
    ok: true,
    branch,
    remote,
    ref: from?.ref ?? null,
    folder: root,
    commits: behind,
    brief,
    work: taken,
  }
  if (to === undefined) {
    const next = brief?.trusted ? ['Start an agent on it: `git handoff resume --to <agent>`'] : []
    const result = { ...told, warnings: out.warnings }
    return {
      result,
      text: all.join('\n'),
      said: [...(folder === null ? [] : [`cd ${typedWord(folder)}`]), ...next],
    }
  }
  // Why nobody starts on it is told below.
  for (const line of all) if (brief?.trusted !== false || !line.startsWith(UNTRUSTED)) out.say(line)
  try {
    const start = { to, headless, print: false, timeout: undefined }
    const started = await resume(after, undefined, readRequest('', { to, headless }), start)
    return { ...started, result: { ...told, ...started.result } }
  } catch (error) {
    if (!isHandoffError(error)) throw error
    return notStarted(
      { ...told, started: false, warnings: out.warnings },
      error.code === 'E_NOT_TRUSTED'
        ? untrustedBrief(brief?.id ?? '', brief?.because ?? '', typedWord(to))
        : error,
    )
  }
}

/** How the line on a brief begins that is not trusted. */
const UNTRUSTED = '  Not trusted, '

/** How an id of a brief begins. */
const ID = /^\d{8}T\d{4}/

async function sourceOfName(
  repo: Repo,
  remotes: Remotes,
  name: string,
  cwd: string,
  isAttended: boolean,
): Promise<Source> {
  const brief = ID.test(name) ? await findBrief(repo, name, cwd).catch(onlyUnknown) : null
  const branch = brief === null || 'code' in brief ? name : brief.parsed.meta.branch
  if (branch === null) throw briefWithoutBranch(name)
  if (isOddName(branch)) throw noSuchBranch(branch, null)
  const [isName, source] = await Promise.all([
    isBranchName(repo, branch),
    pullPlace(repo, remotes, branch).then((from) => findSource(repo, branch, from, isAttended)),
  ])
  if (!isName) throw noSuchBranch(branch, null)
  if (isThere(source)) return source
  // `git branch --all` has it with its remote.
  const far = remotes.list.find((one) => branch.startsWith(`${one.name}/`))?.name
  const rest = branch.slice((far?.length ?? 0) + 1)
  const other =
    far === undefined
      ? source
      : await findSource(repo, rest, { remote: far, ref: `refs/heads/${rest}` }, isAttended)
  if (isThere(other)) return other
  throw brief !== null && 'code' in brief ? brief : noSuchBranch(branch, source.remote)
}

/** A branch may be called like a brief. */
function onlyUnknown(error: unknown): HandoffError {
  if (isHandoffError(error) && ['E_UNKNOWN_ID', 'E_BAD_ID'].includes(error.code)) return error
  throw error
}

const isThere = ({ from, local }: Source): boolean => from !== null || local !== null

async function sourceOfLink(repo: Repo, remotes: Remotes, link: Link, isAttended: boolean): Promise<Source> {
  const remote = remoteOf(remotes.list, link)?.name
  if (remote === undefined) throw notCloned(link.place, link.clone)
  const { request } = link
  if (request === null) {
    const branch = link.branch ?? ''
    const isName = await isBranchName(repo, branch)
    const from = { remote, ref: `refs/heads/${branch}` }
    const source = isName ? await findSource(repo, branch, from, isAttended) : null
    if (source === null || !isThere(source)) throw noSuchBranch(branch, remote)
    return source
  }
  const listed = await listRemote(repo, { remote, isAttended }, [
    request.ref,
    'HEAD',
    'refs/heads/*',
    ...WORK_PATTERNS,
  ])
  const oid = listed.get(request.ref)
  if (oid === undefined) throw noSuchBranch(request.ref, remote)
  // A request from the repository itself is one of its branches, whose work goes back there; what is merged is none any more.
  const same = [...listed].filter(([ref, at]) => at === oid && ref.startsWith('refs/heads/'))
  const [own] = same.length === 1 && listed.get('HEAD') !== oid ? (same[0] ?? []) : []
  const branch = (own === undefined ? null : branchName(own)) ?? request.branch
  const apart = own === undefined ? undefined : listed.get(separateRef(branch))
  const [local] = await repo.objects.read([`refs/heads/${branch}^{commit}`])
  return {
    ...{ branch, remote, local: local?.oid ?? null, from: { remote, ref: own ?? request.ref, oid } },
    apart: apart === undefined ? null : { ref: separateRef(branch), oid: apart },
    works: listed,
  }
}

/** Throws `notFree`. */
async function checkFree(repo: Repo, branch: string, where: string): Promise<void> {
  const operation = readOperation(repo.gitDir)
  const changes = (await readStatus(repo)).changes.filter(({ state }) => state !== 'untracked')
  if (operation === null && changes.length === 0) return
  const isLatest = changes.length === 1 && changes[0]?.path === LATEST
  if (operation === null && isLatest && (await uncutLatest(repo))) return
  const folder = `../${basename(repo.root)}-${branch.replace(/[^\w.-]+/g, '-')}`
  const why =
    operation === null
      ? `${plural(changes.length, 'file')} here ${changes.length === 1 ? 'has' : 'have'} uncommitted changes`
      : `a ${operation} is in progress here`
  throw notFree(branch, why, `git handoff open ${typedWord(where)} --worktree ${typedWord(folder)}`)
}

function lineOf(
  { branch, remote, from, local }: Source,
  { isHere, folder, behind }: { isHere: boolean; folder: string | null; behind: number },
): string {
  const news = behind > 0 ? `with ${plural(behind, 'new commit')} from ${remote}` : null
  if (isHere) return `Already on ${branch}${news === null ? '' : `, now ${news}`}.`
  const does = folder === null ? `Switched to ${branch}` : `Made ${folder} with ${branch}`
  if (local === null)
    return `${does}, ${from !== null && isCopy(from) ? `a copy of ${from.ref}` : 'a branch'} of ${remote}.`
  return `${does}${from === null ? ', which no remote has' : news === null ? '' : `, ${news}`}.`
}
