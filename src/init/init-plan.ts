import { relative } from 'node:path'
import { otherNamed } from '../agents/setup.ts'
import { adapters } from '../agents/table.ts'
import { checkPlace, isApart } from '../briefs/save-brief.ts'
import type { Invocation } from '../command.ts'
import { orNull } from '../errors/handoff-error.ts'
import { cancelled } from '../errors/writing.ts'
import type { Repo } from '../git/open-repo.ts'
import { firstVersion } from '../git/read-history.ts'
import { type Plan, planEdits, planFile } from '../hooks/plan.ts'
import type { SetupRecord } from '../hooks/record.ts'
import { isWithin, openTarget } from '../hooks/target.ts'
import type { Output } from '../output/output.ts'
import type { Choice } from '../output/questions.ts'
import { ask } from '../workspace/at-terminal.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'
import { type FoundAgent, setupPlace } from './init-agents.ts'
import { ciEdits, ciFarewell, ciKnown, ciWishes } from './init-ci.ts'
import { GIT, type GitHookSetup, gitHooksFarewell, planGitHooks } from './init-git-hooks.ts'
import { readSetupRecord } from './init-record.ts'
import { allEdits, repositoryWishes, settingLines } from './init-repository.ts'
import { nameOf, plannedLines } from './init-tell.ts'

/** What a plan needs of it. */
type Planned = Pick<RepoWorkspace, 'repo' | 'root' | 'roots'> & {
  loaded: Pick<RepoWorkspace['loaded'], 'config'>
}

/** What `init` is to set up. */
export interface Wanted {
  agents: FoundAgent[]
  /** As `--git-hooks` takes it; undefined: as the repository does. */
  gitHooks: string | undefined
  /** As `--ci` takes it; undefined: what there is stays. */
  ci: unknown
}

/** Throws what is wrong with the place, unless briefs are committed elsewhere. */
export const checkSetUp = ({ repo, loaded }: RepoWorkspace): Promise<void> => {
  const { commit } = loaded.config
  return checkPlace(repo, isApart(commit) ? commit : { ...commit, enabled: false })
}

/** What setting up would change, by what was set up before; nothing is written. Throws `usage` and what reading the files throws. */
export async function planSetUp(
  invocation: Pick<Invocation, 'place' | 'version'> & { out: Pick<Output, 'warn'> },
  { repo, root, roots, loaded }: Planned,
  { agents, gitHooks: asked, ci }: Wanted,
): Promise<{ owners: ReadonlySet<string>; plan: Plan; gitHooks: GitHookSetup }> {
  const { place, out, version } = invocation
  const { record } = await readSetupRecord(repo.commonDir)
  const here = around(invocation, repo, roots)
  const gitHooks = await planGitHooks(repo, loaded.config, { asked, marks: record.marks })
  const wishes = [
    ...(await repositoryWishes(repo, isApart(loaded.config.commit))),
    { owner: GIT, edits: gitHooks.edits },
    ...(await ciWishes(ci, { root, version, recorded: ciEdits(record, here.isHere) }, out)),
    ...agents.map(({ adapter }) => ({
      owner: adapter.id,
      edits: adapter.setup(setupPlace(place, root, adapter.id)),
    })),
  ]
  const known = ci === undefined ? [] : ciKnown(root)
  const plan = await planEdits({ wishes, record, known, ...here })
  plan.record.marks = gitHooks.marks
  return { owners: ownersIn(record, here.isHere), plan, gitHooks }
}

/** Files, absolute, of which nothing would be left without what `init` writes. */
export async function filesOfOurs(repo: Repo): Promise<ReadonlySet<string>> {
  const { root, env } = repo
  const place = { home: env.HOME ?? '', env }
  const ofAgents = adapters.flatMap(({ id, setup }) => setup?.(setupPlace(place, root, id)) ?? [])
  const edits = [
    ...ofAgents.flatMap((edit) => [edit, otherNamed(edit) ?? []].flat()),
    ...[...allEdits(root), ...ciFarewell(root).known, ...(await gitHooksFarewell(repo))],
  ]
  const isOurs = async (path: string): Promise<boolean> => {
    const target = await openTarget(path, { root: repo.root, home: repo.root })
    if (target.state === 'closed' || target.bytes === null) return false
    const known = edits.filter((edit) => edit.path === path)
    return orNull(() => planFile(target.bytes, null, [], known).next === null) === true
  }
  const paths = [...new Set(edits.map(({ path }) => path))]
  const found = await Promise.all(paths.map(async (path) => ((await isOurs(path)) ? path : [])))
  return new Set(found.flat())
}

/** For whom an earlier run set something up in this worktree: agents by id, among others. */
export async function ownersInWorktree(
  invocation: Pick<Invocation, 'place'>,
  { repo, roots }: Pick<RepoWorkspace, 'repo' | 'roots'>,
): Promise<ReadonlySet<string>> {
  const { record } = await readSetupRecord(repo.commonDir)
  return ownersIn(record, around(invocation, repo, roots).isHere)
}

function ownersIn(record: SetupRecord, isHere: (path: string) => boolean): ReadonlySet<string> {
  const edits = Object.entries(record.files).flatMap(([path, file]) => (isHere(path) ? file.edits : []))
  return new Set(edits.flatMap(({ owners }) => owners))
}

/** What a plan needs to know of the place: a file belongs to the innermost worktree that it lies in, git's own files to all. */
export function around(
  { place }: Pick<Invocation, 'place'>,
  repo: Repo,
  roots: readonly string[],
  { staysShared = false }: { staysShared?: boolean } = {},
) {
  const { root, commonDir } = repo
  const depth = (path: string, folder: string): number => (isWithin(folder, path) ? folder.length : -1)
  return {
    isHere: (path: string): boolean =>
      isWithin(commonDir, path)
        ? !staysShared
        : roots.every((one) => one === root || depth(path, one) <= Math.max(0, depth(path, root))),
    read: (path: string) => openTarget(path, { root, home: place.home }),
    brought: async (path: string) => (isWithin(root, path) ? firstVersion(repo, relative(root, path)) : null),
    ends: [root, place.home],
    otherNamed,
  }
}

/** Shows the person what would be written, and goes on when they say so. Throws `cancelled`, `usage` and what planning throws. */
export async function confirmSetUp(
  invocation: Invocation,
  here: RepoWorkspace,
  wanted: Wanted,
): Promise<void> {
  const { place, out, version } = invocation
  await checkSetUp(here)
  // What there is to warn of is said when it is done.
  const { plan } = await planSetUp({ place, version, out: { warn: () => {} } }, here, wanted)
  const lines = [...plannedLines(plan, nameOf(here.root, place.home)), ...(await settingLines(here.repo))]
  if (lines.length === 0) return
  out.say(
    [
      'This will be done. `--agent`, `--git-hooks` and `--ci` choose otherwise, `--dry-run` shows every change:',
      ...lines.map((line) => `  ${line}`),
    ].join('\n'),
  )
  const choices: Choice<'yes' | 'no'>[] = [
    { value: 'yes', label: 'Yes' },
    { value: 'no', label: 'No, write nothing' },
  ]
  const answer = await ask(invocation, (questions) => questions.one({ message: 'Go on?', choices }))
  if (answer === 'no') throw cancelled()
}
