import { tooMuch } from '../config/screen.ts'
import type { Repo } from '../git/open-repo.ts'
import { type Plan, planEdits } from '../hooks/plan.ts'
import type { SetupRecord } from '../hooks/record.ts'
import { isWithin, openTarget } from '../hooks/target.ts'
import type { Output } from '../output/output.ts'
import type { FoundAgent } from './init-agents.ts'
import { ciWishes } from './init-ci.ts'
import { GIT, type GitHookSetup, planGitHooks } from './init-git-hooks.ts'
import { setupPlace } from './init-place.ts'
import { readSetupRecord } from './init-record.ts'
import { repositoryWishes } from './init-repository.ts'
import type { Invocation } from './table.ts'
import type { Workspace } from './workspace.ts'

export type Here = Workspace & { repo: Repo }

/** What `init` is to set up. */
export interface Wanted {
  agents: FoundAgent[]
  /** As `--git-hooks` takes it; undefined: as the repository does. */
  gitHooks: string | undefined
  /** As `--ci` takes it; undefined: what there is stays. */
  ci: unknown
}

/** What setting up would change, by what was set up before; nothing is written. Throws `usage` and what reading the files throws. */
export async function planSetUp(
  invocation: Pick<Invocation, 'place'> & { out: Pick<Output, 'warn'> },
  { repo, root, roots, loaded }: Here,
  { agents, gitHooks: asked, ci }: Wanted,
): Promise<{ record: SetupRecord; plan: Plan; gitHooks: GitHookSetup }> {
  const { place, out } = invocation
  const { record } = await readSetupRecord(repo.commonDir)
  const gitHooks = await planGitHooks(repo, loaded.config, { asked, marks: record.marks })
  const wishes = [
    ...(await repositoryWishes(root)),
    { owner: GIT, edits: gitHooks.edits },
    ...(await ciWishes(root, ci, out)),
    ...agents.map(({ adapter }) => ({
      owner: adapter.id,
      edits: adapter.setup(setupPlace(place, root, adapter.id)),
    })),
  ]
  const plan = await planEdits({ wishes, record, known: [], ...around(invocation, repo, roots) })
  return { record, plan, gitHooks }
}

/** What a plan needs to know of the place: a file belongs to the innermost worktree that it lies in, git's own files to all. */
export function around(
  { place }: Pick<Invocation, 'place'>,
  { root, commonDir }: Repo,
  roots: readonly string[],
  { staysShared = false }: { staysShared?: boolean } = {},
) {
  const depth = (path: string, folder: string): number => (isWithin(folder, path) ? folder.length : -1)
  return {
    isHere: (path: string): boolean =>
      isWithin(commonDir, path)
        ? !staysShared
        : roots.every((one) => one === root || depth(path, one) <= Math.max(0, depth(path, root))),
    read: (path: string) => openTarget(path, { root, home: place.home }),
    ends: [root, place.home],
    screen: tooMuch,
  }
}
