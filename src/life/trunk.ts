import { madeFrom, readReflog } from '../git/branch-line.ts'
import { once, type Repo } from '../git/open-repo.ts'
import { isBehind } from '../git/operation.ts'
import { type BaseCandidate, readState } from '../git/read-state.ts'
import { branchName, isCollecting, type Ref, readHead, USUAL_NAMES } from '../git/refs.ts'
import { readRemotes } from '../git/remotes.ts'
import { type RepoSnapshot, takeSnapshot } from '../git/snapshot.ts'
import type { GitState } from '../types/git.ts'

/** The branch that finished work goes into. */
export interface Trunk {
  /** Short names: one, or those that the configuration names. */
  names: readonly string[]
  /** Its refs, the fetched ones first; the refs of any other name of that repository, too. */
  refsOf(name: string): Ref[]
  /** Names of the remotes, which may hold slashes, the longest first. */
  remotes: readonly string[]
  /** The other name under which a remote has this branch; null where its upstream is a place to go into, or only what it was made from. */
  copyOf(branch: string): string | null
}

/**
 * One answer for everybody who asks. The name: `trunk` of the configuration; else what `HEAD` of the remote names that is pushed to, unless that
 * is a `master` which `main` has overtaken; else the first usual name. Its refs: the local branch, and those of the remote that is pushed to, of the
 * one that the local trunk follows, and of one called `upstream`; no colleague's fork counts. Throws `gitFailed`.
 */
export const readTrunk = (repo: Repo, refs: readonly Ref[]): Promise<Trunk> =>
  once(repo, 'trunk', () => lookForTrunk(repo, refs))

async function lookForTrunk(repo: Repo, refs: readonly Ref[]): Promise<Trunk> {
  const isAlone = !refs.some(({ name }) => name.startsWith('refs/remotes/'))
  const [configured, { ref }] = [repo.trunks, await readHead(repo)]
  const config = isAlone ? null : await readRemotes(repo)
  const remotes = config?.list.map(({ name }) => name) ?? []
  // Refs of a remote that nobody configures any more.
  for (const { name } of refs) {
    const rest = name.startsWith('refs/remotes/') ? name.slice('refs/remotes/'.length) : ''
    if (rest !== '' && !remotes.some((remote) => rest.startsWith(`${remote}/`)))
      remotes.push(rest.slice(0, rest.indexOf('/')))
  }
  const known = new Map(refs.map((one) => [one.name, one]))
  const at = (remote: string | null, name: string): Ref | undefined =>
    known.get(remote === null ? `refs/heads/${name}` : `refs/remotes/${remote}/${name}`)
  const pushed = config?.pushTo(branchName(ref) ?? '') ?? null
  const first = [pushed, 'upstream', ...remotes].find((one) => one !== null && remotes.includes(one)) ?? null
  const name = configured.length > 0 ? null : await nameOf(first)
  const names = name === null ? configured : [name]
  const follows = names.flatMap((one) => config?.upstreamOf(one)?.remote ?? [])
  const sources = [...new Set([first, ...follows, 'upstream'])].filter(
    (one) => one !== null && remotes.includes(one),
  )
  const refsOf = (one: string): Ref[] =>
    [...sources, null].flatMap((remote) => at(remote, one) ?? []).filter(({ target }) => target === '')
  const copyOf = (branch: string): string | null => {
    const { remote, ref } = config?.upstreamOf(branch) ?? { remote: '', ref: '' }
    const far = ref.replace('refs/heads/', '')
    const isPlace = far === '' || names.includes(far) || isCollecting(far)
    return isPlace || far === branch || isMadeFrom(repo, branch, `${remote}/${far}`) ? null : far
  }
  return { names, refsOf, remotes: remotes.toSorted((a, b) => b.length - a.length), copyOf }

  async function nameOf(remote: string | null): Promise<string | null> {
    const head = remote === null ? '' : (at(remote, 'HEAD')?.target ?? '')
    const named = head.slice(`refs/remotes/${remote}/`.length)
    const [old, main] = [at(remote, named), at(remote, 'main')]
    const isOutdated = named === 'master' && old && main && (await isBehind(repo, old.oid, main.oid)) === true
    if (named !== '' && old && !isOutdated) return named
    return USUAL_NAMES.find((one) => at(remote, one)) ?? USUAL_NAMES.find((one) => at(null, one)) ?? null
  }
}

/** The branch that a ref is, without its remote; null for what is none. */
export function shortName(ref: string, remotes: readonly string[]): string | null {
  const [, kind, rest = ''] = /^refs\/(heads|remotes)\/(.+)$/s.exec(ref) ?? []
  if (kind === undefined) return null
  if (kind === 'heads') return rest
  const remote = remotes.find((name) => rest.startsWith(`${name}/`)) ?? ''
  const name = rest.slice(remote.length + 1)
  return remote === '' || name === 'HEAD' ? null : name
}

/** Of a base what follows its name. */
export const AT_COMMIT = /@[0-9a-f]{40,64}$/

/** The branch that `origin/main` or `main` names. */
export function baseName(ref: string, refs: readonly Ref[], remotes: readonly string[]): string {
  const has = (name: string): boolean => refs.some((one) => one.name === name)
  if (has(`refs/heads/${ref}`) && !has(`refs/remotes/${ref}`)) return ref
  return shortName(`refs/remotes/${ref}`, remotes) ?? ref
}

/** Everything that git knows of this worktree: see `readState`. */
export async function readWork(
  repo: Repo,
  options: Pick<Parameters<typeof readState>[1], 'since' | 'worktrees' | 'own'> & {
    reading?: RepoSnapshot
  } = {},
): Promise<GitState> {
  const reading = options.reading ?? takeSnapshot(repo)
  const [{ head }, refs] = await Promise.all([reading.status, reading.refs])
  const isFetched = head !== null && refs.some(({ name }) => name.startsWith('refs/remotes/'))
  const unpushed = ['rev-list', '--max-count=1000', 'HEAD', '--branches', '--not', '--remotes', '--']
  const [state, listed] = await Promise.all([
    readState(repo, { ...options, reading, base: baseOf(repo, reading) }),
    isFetched ? repo.git(unpushed) : null,
  ])
  return listed === null ? state : { ...state, unpushed: new Set(listed.split('\n').filter(Boolean)) }
}

/** What commits of the checkout are counted from, by what git was asked. Throws `gitFailed`. */
async function baseOf(repo: Repo, reading: RepoSnapshot): Promise<BaseCandidate | null> {
  const { head, upstream, ahead, branch } = await reading.status
  if (head === null) return null
  const known = upstream === null || ahead === null ? null : { ref: upstream, rev: '@{upstream}' }
  return readBase(repo, await reading.refs, branch, known)
}

/**
 * What the commits of a branch are counted from, and what a brief records as its base: on the trunk its upstream; elsewhere the trunk, or the usual
 * name that the branch was made from (`develop` beside `main`). An upstream of another name counts where it is one of these, or the branch
 * was made from it and never pushed to it: else it is the branch's own copy. Null when nothing fits. Throws `gitFailed`.
 */
export async function readBase(
  repo: Repo,
  refs: readonly Ref[],
  branch: string | null,
  upstream: BaseCandidate | null,
): Promise<BaseCandidate | null> {
  const trunk = await readTrunk(repo, refs)
  const candidate = ([ref]: Ref[]): BaseCandidate | null =>
    ref === undefined ? null : { ref: nameIn(ref), rev: ref.oid }
  if (branch !== null && trunk.names.includes(branch))
    return upstream ?? candidate(trunk.refsOf(branch).filter(({ name }) => name.startsWith('refs/remotes/')))
  if (upstream !== null && branch !== null) {
    const far = baseName(upstream.ref, refs, trunk.remotes)
    if (far !== branch && trunk.copyOf(branch) === null) return upstream
  }
  const from = refs.find((ref) => {
    const name = shortName(ref.name, trunk.remotes) ?? ''
    if (!isCollecting(name) || name === branch || trunk.names.includes(name)) return false
    return branch !== null && isMadeFrom(repo, branch, nameIn(ref))
  })
  const found = from === undefined ? trunk.names : [baseName(nameIn(from), refs, trunk.remotes)]
  return candidate(found.flatMap(trunk.refsOf)) ?? upstream
}

const nameIn = ({ name }: Ref): string => name.replace(/^refs\/(heads|remotes)\//, '')

/** The logs of git say that the branch was made from that one, and that nothing was pushed there from here since. */
function isMadeFrom(repo: Repo, branch: string, from: string): boolean {
  const made = madeFrom(repo, branch)
  const pushed = readReflog(repo.commonDir, `refs/remotes/${from}`).filter(
    ({ said }) => said === 'update by push',
  )
  if (pushed.some(({ time }) => time > (made?.time ?? 0))) return false
  if (made?.start !== 'HEAD') return made?.start === from
  const moved = readReflog(repo.gitDir, 'HEAD').findLast(({ said }) => said.endsWith(` to ${branch}`))
  return moved?.said === `checkout: moving from ${from} to ${branch}`
}
