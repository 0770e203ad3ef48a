import type { Repo } from './open-repo.ts'

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
  /** Where a branch is pushed to, as git chooses it: by its settings, the only remote, or `origin`. */
  pushTo(branch: string): string | null
}

const KEYS = '^(remote\\..*\\.url|branch\\..*\\.(remote|merge|pushremote)|remote\\.pushdefault)$'

/** Reads them in one process. Throws `gitFailed`. */
export async function readRemotes(repo: Repo): Promise<Remotes> {
  const listing = await repo.git(['config', '-z', '--get-regexp', KEYS], { answers: [1] })
  const values = new Map<string, string>()
  const urls = new Map<string, string>()
  for (const entry of listing.split('\0')) {
    const [, key = '', value = ''] = /^(.*?)\n(.*)$/s.exec(entry) ?? []
    const name = /^remote\.(.+)\.url$/.exec(key)?.[1]
    // Of several addresses git fetches from the first.
    if (name !== undefined && !urls.has(name)) urls.set(name, value)
    values.set(key, value)
  }
  const list = [...urls].map(([name, url]) => ({ name, url }))
  const [only] = list.length === 1 ? list : list.filter(({ name }) => name === 'origin')
  const upstreamOf = (branch: string): Upstream | null => {
    const remote = values.get(`branch.${branch}.remote`) ?? '.'
    const ref = values.get(`branch.${branch}.merge`)
    return remote === '.' || ref === undefined ? null : { remote, ref }
  }
  return {
    list: list.sort((a, b) => Number(b.name === 'origin') - Number(a.name === 'origin')),
    upstreamOf,
    pushTo: (branch) =>
      values.get(`branch.${branch}.pushremote`) ??
      values.get('remote.pushdefault') ??
      upstreamOf(branch)?.remote ??
      only?.name ??
      null,
  }
}
