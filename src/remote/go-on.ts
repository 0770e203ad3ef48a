import { relative } from 'node:path'
import type { Invocation } from '../command.ts'
import { bringsProgram, parted } from '../errors/remote.ts'
import { isIn } from '../git/files.ts'
import type { Repo } from '../git/open-repo.ts'
import { branchName } from '../git/refs.ts'
import { isCopy, type Upstream } from '../git/remotes.ts'
import { changedBelow, fastForward, type Said } from '../git/take-branch.ts'
import { typedWord } from '../text/safe-text.ts'
import { packageFolder } from '../workspace/find-program.ts'
import { PARTS } from '../workspace/keep-program.ts'
import type { Source } from './branch-source.ts'

/** Commits that one side has and the other lacks. */
interface Distance {
  ahead: number
  behind: number
}

/** How far a branch here and what was fetched of it are apart. Throws `parted` where both have commits of their own, and `gitFailed`. */
export async function apartOf(repo: Repo, { branch, local, from }: Source): Promise<Distance> {
  if (from === null || local === from.oid) return { ahead: 0, behind: 0 }
  const range = local === null ? from.oid : `${local}...${from.oid}`
  const counts = (await repo.git(['rev-list', '--count', '--left-right', range])).split('\t').map(Number)
  const found = { ahead: local === null ? 0 : (counts[0] ?? 0), behind: counts.at(-1) ?? 0 }
  if (found.ahead > 0 && found.behind > 0) throw parted(branch, farOf(from), found, isCopy(from))
  return found
}

/** A branch of a remote as words of a command. */
export const farOf = ({ remote, ref }: Upstream): [remote: string, branch: string] => [
  typedWord(remote),
  typedWord(branchName(ref) ?? ref),
]

/** Fast-forwards the branch that is checked out. `isOurs`: as `fastForward` takes it. Throws what `apartOf`, `checkProgram` and `fastForward` throw. */
export async function goOn(
  invocation: Invocation,
  repo: Repo,
  source: Source,
  isOurs: boolean,
): Promise<Distance> {
  const { branch, from } = source
  const found = await apartOf(repo, source)
  if (from === null || found.behind === 0) return found
  await checkProgram(repo, branch, from.oid)
  tellHooks(invocation, await fastForward(repo, branch, from.oid, isOurs))
  return found
}

/** The program that runs loads more of itself later: a checkout must not replace that. Throws `bringsProgram`. */
export async function checkProgram(repo: Repo, branch: string, oid: string): Promise<void> {
  const folder = packageFolder()
  if (!isIn(repo.root, folder)) return
  const places = PARTS.map((part) => relative(repo.root, `${folder}/${part}`).replaceAll('\\', '/'))
  const file = await changedBelow(repo, oid, places)
  if (file !== null) throw bringsProgram(branch, file)
}

/** What hooks of the person said. */
export function tellHooks({ out }: Invocation, said: Said): void {
  if (said === null)
    out.warn(
      'git ran no hook for this checkout: the hooks lie in the work tree, where the branch may have replaced them',
    )
  else if (said !== '') out.quote(said)
}
