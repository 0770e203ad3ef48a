import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Command } from 'commander'
import { adapters } from '../agents/table.ts'
import { collapseLatest, refreshLatest } from '../briefs/latest-file.ts'
import type { CommandModule, Invocation } from '../command.ts'
import { inQueue } from '../git/locks.ts'
import { openRepo, type Repo, withoutAbort } from '../git/open-repo.ts'
import { ensureFilter, isFilterOurs, removeFilter } from '../git/settings.ts'
import { ignoredAmong } from '../git/status.ts'
import { planEdits } from '../hooks/plan.ts'
import type { SetupRecord } from '../hooks/record.ts'
import { isWithin } from '../hooks/target.ts'
import { type FoundAgent, lookForAgents, pickAgents, setupPlace } from '../init/init-agents.ts'
import { CI_NAMES, ciFarewell } from '../init/init-ci.ts'
import { GIT, gitHooksFarewell, MANAGERS } from '../init/init-git-hooks.ts'
import {
  around,
  checkSetUp,
  confirmSetUp,
  ownersInWorktree,
  planSetUp,
  type Wanted,
} from '../init/init-plan.ts'
import { closeRecord, readSetupRecord, setUpFiles, takeOutFiles } from '../init/init-record.ts'
import { repositoryFarewell, settingLines, untrustedOrigin } from '../init/init-repository.ts'
import { diffOf, nameOf, tellRemoval, tellSetup } from '../init/init-tell.ts'
import { HANDOFF, LATEST } from '../store/folder.ts'
import { isOff, OFF, RUNNER, readPrivate, removePrivate } from '../store/private.ts'
import { mayAsk } from '../workspace/at-terminal.ts'
import { writeRunner } from '../workspace/keep-program.ts'
import { openWorkspace, type RepoWorkspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command
    .option('--agent <id,…|all>', 'default: those set up before, else those found')
    .addOption(
      command
        .createOption('--git-hooks <manager>', `${MANAGERS.join(', ')}; default: what the repository uses`)
        .choices(MANAGERS),
    )
    .addOption(
      command
        .createOption('--ci <server>', `write CI files: ${CI_NAMES} (removes them)`)
        .choices(CI_NAMES.split(', ')),
    )
    .option('--yes', 'do not ask before it writes')
    .option('--remove', 'remove everything, or what --agent names')
    .option('--dry-run', 'show the changes as a diff')
    .addHelpText('after', HELP)
}

const HELP = `
At a terminal it shows what it will write, and asks first. Commit all of it: without handoff the hooks do nothing. docs/roll-out.md
explains each file.

It edits only its own entries, and --remove restores every byte. Where \`handoff\` is taken, it uses \`git-handoff\`.

Example:
  handoff init --agent claude-code,codex --dry-run`

export const run: CommandModule['run'] = async (invocation, _args, options) => {
  const workspace = await openWorkspace(invocation)
  const { repo, root } = workspace
  const text = (name: string): string | undefined =>
    typeof options[name] === 'string' ? options[name] : undefined
  const asked = {
    agent: text('agent'),
    gitHooks: text('gitHooks'),
    ci: options.ci,
  }
  const isDryRun = options.dryRun === true
  const found = await lookForAgents(invocation.place, root)
  const isAll = options.remove === true && asked.agent === undefined
  const isTalk = options.yes !== true && options.remove !== true && !isDryRun && mayAsk(invocation)
  const wanted = {
    ...asked,
    agents: isAll ? found : pickAgents(found, asked.agent, await ownersInWorktree(invocation, workspace)),
  }
  if (options.remove !== true && asked.agent === undefined) sayOthers(invocation, found, wanted.agents)
  if (isTalk) await confirmSetUp(invocation, workspace, wanted)
  const work = (): Promise<0> =>
    options.remove === true
      ? remove(invocation, workspace, { agents: wanted.agents, isAll, isDryRun })
      : setUp(invocation, workspace, { ...wanted, isDryRun })
  // The record is one for all worktrees, and two writers would lose what one of them has kept.
  if (isDryRun) return work()
  return inQueue({ ...repo, gitDir: repo.commonDir }, work)
}

/** An agent that came later is set up when somebody says so. */
function sayOthers({ out }: Invocation, found: readonly FoundAgent[], chosen: readonly FoundAgent[]): void {
  const others = found.filter((one) => one.isFound && !chosen.includes(one)).map(({ adapter }) => adapter)
  if (others.length > 0)
    out.say(
      `Used here and not set up: ${others.map(({ label }) => label).join(', ')}. \`git handoff init --agent ${others.map(({ id }) => id).join(',')}\` adds it.`,
    )
}

async function setUp(
  invocation: Invocation,
  here: RepoWorkspace,
  { isDryRun, ...wanted }: Wanted & { isDryRun: boolean },
): Promise<0> {
  const { place, out } = invocation
  const { repo, root } = here
  const { agents } = wanted
  await checkSetUp(here)
  const { owners, plan, gitHooks } = await planSetUp(invocation, here, wanted)
  const isFirst = (await readPrivate(repo.commonDir, RUNNER)) === null || isOff(repo.commonDir)
  const besides = isDryRun ? await settingLines(repo) : []
  let [runner, isFilterNew]: [string | null, boolean] = [null, false]
  if (!isDryRun) {
    place.signal?.throwIfAborted()
    await setUpFiles(repo.commonDir, plan)
    const after = withoutAbort(repo)
    runner = await writeRunner(after)
    await removePrivate(repo.commonDir, OFF)
    isFilterNew = await ensureFilter(after)
    await refreshLatest(invocation, after)
  }
  const diff = isDryRun ? await diffOf(repo, plan.changes, name(invocation, root)) : null
  const untrusted = isDryRun ? null : await untrustedOrigin(withoutAbort(repo))
  const shadows = agents.flatMap(({ adapter }) => {
    const path = adapter.shadow?.(place) ?? null
    return path === null ? [] : [{ label: adapter.label, path }]
  })
  const others = adapters.filter(
    ({ id }) => owners.has(id) && !agents.some(({ adapter }) => adapter.id === id),
  )
  const paths = plan.changes
    .filter(({ path }) => isWithin(root, path) && !isWithin(repo.commonDir, path))
    .map(({ path }) => relative(root, path))
  const ignored = await ignoredAmong(withoutAbort(repo), paths)
  tellSetup(out, {
    plan,
    untrusted,
    agents,
    others: others.map(({ label }) => label),
    besides,
    gitHooks,
    runner,
    shadows,
    diff,
    name: name(invocation, root),
    isFilterNew,
    isFirst,
    ...{ toCommit: paths.filter((path) => !ignored.has(path)), ignored, isAtTop: place.root === root },
  })
  return 0
}

async function remove(
  invocation: Invocation,
  { repo, root, roots }: RepoWorkspace,
  { agents, isAll, isDryRun }: { agents: FoundAgent[]; isAll: boolean; isDryRun: boolean },
): Promise<0> {
  const { place, out } = invocation
  const { record, isLost } = await readSetupRecord(repo.commonDir)
  if (isLost)
    out.warn('the private record of init cannot be read; only what is known by its shape is taken out')
  const able = agents.map(({ adapter }) => adapter)
  const shared = isAll ? await sharedFarewell(invocation, repo, roots, record) : null
  const farewells = shared === null ? [] : [await repositoryFarewell(root), ciFarewell(root), shared]
  const owners = [...able.map(({ id }) => id), ...farewells.flatMap((one) => one.owners)]
  const plan = await planEdits({
    wishes: owners.map((owner) => ({ owner, edits: [] })),
    record,
    known: [
      ...able.flatMap(({ id, setup }) => setup(setupPlace(place, root, id))),
      ...farewells.flatMap(({ known }) => known),
    ],
    ...around(invocation, repo, roots, shared ?? {}),
  })
  const undone: string[] = []
  if (!isDryRun) {
    place.signal?.throwIfAborted()
    await takeOutFiles(repo.commonDir, plan)
    if (isAll) {
      const after = withoutAbort(repo)
      if (!shared?.staysShared) undone.push(...(await takeOutFilter(invocation, after, roots)))
      else if (await isFilterOurs(after)) undone.push(FILTER_SHARED)
      plan.record.marks = []
      if (await closeRecord(after, plan.record)) undone.push('Removed the hook runner.')
    }
  }
  const diff = isDryRun ? await diffOf(repo, plan.changes, name(invocation, root)) : null
  const stays = isAll && existsSync(join(root, HANDOFF))
  tellRemoval(out, { plan, undone, stays, isAll, diff, name: name(invocation, root) })
  return 0
}

const FILTER_SHARED = 'filter.handoff.clean stays in .git/config: another worktree needs it.'

/** The filter that `init` or the first `create` has set, and first the copies that it hides in the work trees of this repository. */
async function takeOutFilter(
  invocation: Invocation,
  repo: Repo,
  roots: readonly string[],
): Promise<string[]> {
  if (!(await isFilterOurs(repo))) return []
  const { env } = invocation.place
  let isCopied = false
  for (const root of roots) {
    const one = root === repo.root ? repo : await openRepo(root, { env }).catch(() => null)
    if (one !== null && (await collapseLatest(invocation, one))) isCopied = true
  }
  await removeFilter(repo)
  return [
    ...(isCopied ? [`Restored ${LATEST} to the text that git has.`] : []),
    'Unset filter.handoff.clean in .git/config.',
  ]
}

/** Hooks in git's own folder serve all worktrees: they stay as long as another one was set up. */
async function sharedFarewell(
  invocation: Invocation,
  repo: Repo,
  roots: readonly string[],
  record: SetupRecord,
) {
  const { isHere } = around(invocation, repo, roots)
  const known = await gitHooksFarewell(repo)
  const staysShared = Object.keys(record.files).some((path) => !isHere(path))
  if (staysShared && Object.keys(record.files).some((path) => isWithin(repo.commonDir, path)))
    invocation.out.warn('the hooks of git stay, since another worktree was set up as well')
  return {
    owners: [GIT],
    known: staysShared ? known.filter(({ path }) => !isWithin(repo.commonDir, path)) : known,
    staysShared,
  }
}

const name = ({ place }: Invocation, root: string) => nameOf(root, place.home)
