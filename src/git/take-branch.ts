import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import { checkedOutElsewhere, filesInTheWay } from '../errors/remote.ts'
import { NO_HOOKS, personEnvironment, withoutPathIn } from './environment.ts'
import { isInWorkTree } from './files.ts'
import { failure } from './git.ts'
import type { Repo } from './open-repo.ts'
import { EMPTY, hasCommits, readHead } from './refs.ts'
import type { Upstream } from './remotes.ts'
import { writeConfig } from './settings.ts'

/** Where a branch ends here and on a remote. */
export interface Ends {
  /** Its short name here. */
  branch: string
  /** Where it comes from; null where that remote lacks it. */
  from: (Upstream & { oid: string }) | null
  /** Its commit here; null where there is no such branch yet. */
  local: string | null
}

/** What is said of a checkout by the hooks of git; null where they lie in the work tree, so that what ran would be the branch's. */
export type Said = string | null

/** Never loses a file that git ignores, which a branch may bring as its own. */
const KEEP = '--no-overwrite-ignore'

/** Checks out a branch, and makes it where it is new. Throws `filesInTheWay`, `checkedOutElsewhere`, `gitFailed`. */
export function switchTo(repo: Repo, { branch, local, from }: Ends): Promise<Said> {
  const made = local === null ? ['--no-track', '--create', branch, from?.oid ?? ''] : ['--no-guess', branch]
  return change(repo, branch, ['switch', '--quiet', KEEP, ...made])
}

/** The same in a new worktree; `folder` is absolute. `isOurs`: as below. */
export function addWorktree(
  repo: Repo,
  { branch, local, from }: Ends,
  folder: string,
  isOurs = false,
): Promise<Said> {
  const made = local === null ? ['--no-track', '-b', branch, folder, from?.oid ?? ''] : [folder, branch]
  return change(repo, branch, ['worktree', 'add', '--quiet', ...made], isOurs)
}

/** Moves the branch that is checked out on to a commit that it leads to, as `git pull` would. `isOurs`: hooks of the work tree run, too. */
export const fastForward = (repo: Repo, branch: string, oid: string, isOurs: boolean): Promise<Said> =>
  change(repo, branch, ['merge', '--quiet', '--ff-only', '--no-autostash', KEEP, oid], isOurs)

async function change(repo: Repo, branch: string, args: string[], isOurs = false): Promise<Said> {
  const runsHooks = isOurs || !(await hasHooksInside(repo))
  // The caller tells of the brief itself, so that our hooks need not. Once begun it is finished.
  const path = isOurs ? {} : withoutPathIn({ PATH: repo.env.PATH }, [repo.root])
  const env = { ...personEnvironment(repo.env, false), ...path, HANDOFF: '0' }
  const all = [...(runsHooks ? [] : ['-c', NO_HOOKS]), ...args]
  const before = (await readHead(repo)).ref
  const result = await repo.run(all, { env, signal: undefined })
  const { code, stderr } = result
  // Git ends with the status of `post-checkout`.
  const isDone = code === 0 || (before !== `refs/heads/${branch}` && (await readHead(repo)).ref !== before)
  if (isDone) return runsHooks ? stderr.trim() : null
  const elsewhere = /already (?:checked out at|used by worktree at) '(.*)'/.exec(stderr)?.[1]
  if (elsewhere !== undefined) throw checkedOutElsewhere(branch, elsewhere)
  const files = [...stderr.matchAll(/^\t(.+)$/gm)].map(([, file = '']) => file)
  throw files.length > 0 ? filesInTheWay(files) : failure(args, result)
}

/** A hook lies in the work tree, by itself or through a link: with the checkout it becomes that of the branch. */
async function hasHooksInside(repo: Repo): Promise<boolean> {
  const path = (await repo.git(['rev-parse', '--git-path', 'hooks'])).replace(/\r?\n$/, '')
  const folder = resolve(repo.root, path)
  const files = orNull(() => readdirSync(folder).map((name) => join(folder, name))) ?? []
  return [folder, ...files].some((file) => {
    const real = orNull(() => realpathSync(file))
    // A link to nothing leads to what the branch brings.
    if (real === null && orNull(() => lstatSync(file)) !== null) return true
    const path = real ?? file
    return isInWorkTree(repo, path)
  })
}

/** Where a branch is pulled from, as `git push --set-upstream` writes it. Throws what `writeConfig` throws. */
export async function setUpstream(repo: Repo, branch: string, { remote, ref }: Upstream): Promise<void> {
  await writeConfig(repo, [`branch.${branch}.remote`, remote])
  await writeConfig(repo, [`branch.${branch}.merge`, ref])
}

/** The name of a branch that is one, but that commands take for an option or another revision. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: none of them can stand in a name
export const isOddName = (name: string): boolean => /^(?:-|HEAD$)|@\{|[\x00-\x1f\x7f]/.test(name)

/** A name that git takes for a branch, and for nothing else. */
export const isBranchName = async (repo: Repo, name: string): Promise<boolean> =>
  !isOddName(name) && (await repo.run(['check-ref-format', `refs/heads/${name}`])).code === 0

/** The first file below one of `places` that a commit has otherwise than HEAD, also by a link in place of a folder above, or null. */
export async function changedBelow(
  repo: Repo,
  oid: string,
  places: readonly string[],
): Promise<string | null> {
  const from = (await hasCommits(repo)) ? 'HEAD' : EMPTY[repo.objectFormat]
  const listing = await repo.git(['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, oid])
  // Many file systems do not tell a from A.
  const wanted = places.map((place) => `${place.toLowerCase()}/`)
  const meets = (path: string): boolean =>
    wanted.some((place) => path.startsWith(place) || place.startsWith(`${path}/`) || place === `${path}/`)
  return listing.split('\0').find((path) => path !== '' && meets(path.toLowerCase())) ?? null
}
