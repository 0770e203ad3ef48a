import type { Unpushable } from '../errors/remote.ts'
import type { Repo } from './open-repo.ts'
import { readConfig } from './settings.ts'

/** A branch of a remote. */
export interface Upstream {
  /** The name of a remote, or an address. */
  remote: string
  /** Full name of the ref there. */
  ref: string
}

/** A ref that only the host writes, as it keeps a pull request. */
export const isCopy = ({ ref }: Pick<Upstream, 'ref'>): boolean => !ref.startsWith('refs/heads/')

/** What the configuration of git says of the remotes of this clone. */
export interface Remotes {
  /** Each with its address as it is configured, `origin` first. */
  list: { name: string; url: string }[]
  /** Where a branch is pulled from; null where that is not set, or is a branch of this clone. */
  upstreamOf(branch: string): Upstream | null
  /** The remote that a branch is pushed to, as git chooses it: by its settings, the only remote, or `origin`. */
  pushTo(branch: string): string | null
  /** Every value of a key. */
  all(key: string): string[]
}

/** Reads them. Throws `gitFailed`. */
export async function readRemotes(repo: Repo): Promise<Remotes> {
  const { entries, all, last } = await readConfig(repo)
  const names = new Set(entries.flatMap(({ key }) => /^remote\.(.+)\.url$/.exec(key)?.[1] ?? []))
  // Of several addresses git fetches from the first.
  const list = [...names].map((name) => ({ name, url: all(`remote.${name}.url`)[0] ?? '' }))
  const [only] = list.length === 1 ? list : list.filter(({ name }) => name === 'origin')
  const upstreamOf = (branch: string): Upstream | null => {
    const [remote = '.', ref] = [last(`branch.${branch}.remote`), last(`branch.${branch}.merge`)]
    return remote === '.' || ref === undefined ? null : { remote, ref }
  }
  const set = (branch: string) => last(`branch.${branch}.pushremote`) ?? last('remote.pushdefault')
  const pushTo = (branch: string) => set(branch) ?? upstreamOf(branch)?.remote ?? only?.name ?? null
  list.sort((a, b) => Number(b.name === 'origin') - Number(a.name === 'origin'))
  return { list, upstreamOf, pushTo, all }
}

/** The full name of the ref of `remote` that `git push` updates with a branch (git 2.39, `setup_default_push_refspecs`). */
export async function pushRef(
  repo: Repo,
  { all }: Remotes,
  { branch, remote, upstream }: { branch: string; remote: string; upstream: Upstream | null },
): Promise<{ ref: string } | { why: Unpushable }> {
  const [own, way = 'simple'] = [`refs/heads/${branch}`, all('push.default').at(-1)]
  if (all(`remote.${remote}.mirror`).at(-1) === 'true') return { why: 'mirror' }
  const specs = all(`remote.${remote}.push`).map((spec) => spec.replace(/^\+/, '').split(':'))
  if (specs.length > 0) {
    const [, to = own] = specs.find(([from = '']) => ['HEAD', '@', '', branch].includes(from)) ?? ['', '']
    const ref = to || (await repo.git(['for-each-ref', '--format=%(push:remoteref)', own])).trim()
    return ref === '' ? { why: 'refspec' } : { ref: ref.startsWith('refs/') ? ref : `refs/heads/${ref}` }
  }
  if (way === 'nothing') return { why: 'nothing' }
  if (upstream === null || upstream.ref === own || ['current', 'matching'].includes(way)) return { ref: own }
  const isThere = upstream.remote === remote
  if (way === 'simple') return isThere ? { why: 'name' } : { ref: own }
  return isThere ? { ref: upstream.ref } : { why: 'remote' }
}
