import type { Repo } from '../git/open-repo.ts'
import { isCollecting, readRefs } from '../git/refs.ts'
import type { Remotes, Upstream } from '../git/remotes.ts'
import { readTrunk } from '../life/trunk.ts'

const trunkOf = async (repo: Repo) => readTrunk(repo, await readRefs(repo, ['refs/heads', 'refs/remotes']))

/** The branch that finished work goes into. Throws `gitFailed`. */
export const trunkName = async (repo: Repo): Promise<string> => (await trunkOf(repo)).names[0] ?? 'main'

/** The upstream of a branch; null also where that is the trunk that the branch was begun at. Throws `gitFailed`. */
export async function upstreamOfWork(repo: Repo, remotes: Remotes, branch: string): Promise<Upstream | null> {
  const upstream = remotes.upstreamOf(branch)
  if (upstream === null) return null
  const { names } = await trunkOf(repo)
  const isTrunk = (name: string): boolean => names.includes(name) || isCollecting(name)
  return isTrunk(upstream.ref.replace('refs/heads/', '')) && !isTrunk(branch) ? null : upstream
}

/** Where `git pull` takes a branch from, else its own name where it is pushed to; null where there is no remote. Throws `gitFailed`. */
export async function pullPlace(repo: Repo, remotes: Remotes, branch: string): Promise<Upstream | null> {
  const [upstream, remote] = [await upstreamOfWork(repo, remotes, branch), remotes.pushTo(branch)]
  return upstream ?? (remote === null ? null : { remote, ref: `refs/heads/${branch}` })
}
