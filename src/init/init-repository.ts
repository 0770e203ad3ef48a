import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { attributesText, folderReadme } from '../brief/latest.ts'
import type { Invocation } from '../command.ts'
import { findRepositoryConfig } from '../config/files.ts'
import type { Repo } from '../git/open-repo.ts'
import { heldByBranches } from '../git/read-briefs.ts'
import { CLEAN_FILTER, ensureFilter, originUrl, readSettings, writeConfig } from '../git/settings.ts'
import type { Wish } from '../hooks/plan.ts'
import type { SetupRecord } from '../hooks/record.ts'
import { listBriefFiles } from '../store/briefs.ts'
import { ATTRIBUTES, HANDOFF, LATEST, README } from '../store/folder.ts'
import { readLedger, recordOrigin } from '../store/ledger.ts'
import { readPlain } from '../store/plain-file.ts'
import { RUNNER, readPrivate } from '../store/private.ts'
import type { SetupEdit } from '../types/agent.ts'
import { agentTemplate } from '../workspace/find-program.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** Owner of what serves everybody who works here. */
const REPOSITORY = 'repository'
/** Owner of what briefs need as long as there are any. */
export const FOLDER = 'folder'

const CONFIG = `${HANDOFF}/config.yaml`

/** What the repository shall have besides the settings of agents. A file that somebody has made their own is not asked for. */
export async function repositoryWishes(repo: Repo): Promise<Wish[]> {
  const { root } = repo
  const absent = [README, ATTRIBUTES].filter((path) => !existsSync(join(root, path)))
  // Briefs bring these where there are any; a checkout of a branch that has them must not meet them here.
  const held = await heldByBranches(repo, absent)
  const { file } = await findRepositoryConfig(root, false)
  const [block, config, readme, attributes] = allEdits(root)
  const isFree = async (edit: SetupEdit, relative: string): Promise<boolean> => {
    const text = await readPlain(root, relative)
    return text === null || (edit.type === 'file' && text === edit.content)
  }
  const isConfigFree = file === null && (await isFree(config, CONFIG))
  return [
    { owner: REPOSITORY, edits: [block, ...(isConfigFree ? [config] : [])] },
    {
      owner: FOLDER,
      edits: [
        ...(!held.includes(README) && (await isFree(readme, README)) ? [readme] : []),
        ...(!held.includes(ATTRIBUTES) && (await isFree(attributes, ATTRIBUTES)) ? [attributes] : []),
      ],
    },
  ]
}

/** The same to be taken away: briefs that are here keep what they need. */
export async function repositoryFarewell(root: string): Promise<{ owners: string[]; known: SetupEdit[] }> {
  const [block, config, readme, attributes] = allEdits(root)
  const isNeeded = (await readPlain(root, LATEST)) !== null || (await listBriefFiles(root)).length > 0
  return isNeeded
    ? { owners: [REPOSITORY], known: [block, config] }
    : { owners: [REPOSITORY, FOLDER], known: [block, config, readme, attributes] }
}

function allEdits(root: string): [SetupEdit, SetupEdit, SetupEdit, SetupEdit] {
  const file = (relative: string, content: string): SetupEdit => ({
    type: 'file',
    path: join(root, relative),
    content,
  })
  return [
    {
      type: 'block',
      path: join(root, 'AGENTS.md'),
      comment: '<!--',
      text: agentTemplate('agents-md.md'),
    },
    file(CONFIG, agentTemplate('config.yaml')),
    file(README, folderReadme()),
    file(ATTRIBUTES, attributesText()),
  ]
}

/**
 * What `init` sets besides files, each by its mark, and what a run that was killed had begun to set: it may be there already, and is
 * ours to take back. Kept in the record before anything is set. `isFetching`: fetch shall bring the branches of briefs;
 * `trustsOrigin`: the person said so, for a clone may be of a stranger's repository.
 */
export async function settingsToMake(
  repo: Repo,
  { marks, begun = [] }: SetupRecord,
  { isFetching, trustsOrigin }: { isFetching: boolean; trustsOrigin: boolean },
): Promise<string[]> {
  const [{ filter }, isFetched, origin, ledger] = await Promise.all([
    readSettings(repo),
    hasRefspec(repo),
    originUrl(repo),
    readLedger(repo.commonDir),
  ])
  const wasBegun = (mark: string): boolean => begun.includes(mark)
  // Once: whoever has taken it back since is not overruled.
  const isTrusting =
    origin !== null &&
    !marks.includes('trust-origin') &&
    (ledger.origin === null ? trustsOrigin : ledger.origin === origin && wasBegun('trust-origin'))
  return [
    ...(filter.local === CLEAN_FILTER ? [] : ['filter']),
    ...(isFetching || (isFetched && wasBegun('refspec')) ? ['refspec'] : []),
    ...(isTrusting ? ['trust-origin'] : []),
  ]
}

/** What is to be done besides the files that are planned. */
export async function settingLines(
  repo: Repo,
  { isFetching, trustsOrigin }: { isFetching: boolean; trustsOrigin: boolean },
): Promise<string[]> {
  const { filter } = await readSettings(repo)
  const runner = await readPrivate(repo.commonDir, RUNNER)
  return [
    ...(runner === null ? ['Write the hook runner into .git/handoff'] : []),
    ...(filter.local === CLEAN_FILTER ? [] : ['Set filter.handoff.clean in .git/config']),
    ...(isFetching ? ['Add the branches of briefs to remote.origin.fetch in .git/config'] : []),
    ...(trustsOrigin ? ['Trust briefs on branches of origin, in this clone'] : []),
  ]
}

/** The address of an origin that nobody here has trusted, nor taken the trust in back. */
export async function untrustedOrigin(repo: Repo, { marks }: SetupRecord): Promise<string | null> {
  const isOpen = !marks.includes('trust-origin') && (await readLedger(repo.commonDir)).origin === null
  return isOpen ? originUrl(repo) : null
}

/** Sets them, those that are not there yet. Throws `writeFailed`. */
export async function makeSettings(repo: Repo, marks: readonly string[]): Promise<void> {
  if (marks.includes('filter')) await ensureFilter(repo)
  if (marks.includes('refspec') && !(await hasRefspec(repo))) await addRefspec(repo)
  const origin = marks.includes('trust-origin') ? await originUrl(repo) : null
  if (origin !== null && (await readLedger(repo.commonDir)).origin === null)
    await recordOrigin(repo.commonDir, origin)
}

/** Brings the branches of briefs into a clone that fetches single branches, such as a shallow one. */
const REFSPEC = '+refs/heads/handoff/*:refs/remotes/origin/handoff/*'
const KEY = 'remote.origin.fetch'

/** Shall fetch bring the branches of briefs? Only when asked for; where it would be of use, how is told. */
export async function wantsRefspec(
  { out }: Pick<Invocation, 'out'>,
  here: Workspace & { repo: Repo },
  isAsked: boolean,
): Promise<boolean> {
  if (isAsked) {
    const state = await fetchState(here.repo)
    if (state === 'none') out.warn('there is no remote origin, so nothing is set for --refspecs')
    return state === 'lacking'
  }
  if (await lacksRefspec(here))
    out.say(
      'Briefs are kept on branches of their own, which this clone does not fetch: `git handoff init --refspecs`.',
    )
  return false
}

/** Briefs are kept on branches of their own, and this clone would not get them. */
export const lacksRefspec = async ({ repo, loaded }: Workspace & { repo: Repo }): Promise<boolean> =>
  loaded.config.commit.branch === 'separate' && (await fetchState(repo)) === 'lacking'

/** Adds the line to the configuration of this clone. Only fetching: one for pushing would change what a plain `git push` does. */
const addRefspec = (repo: Repo): Promise<void> => writeConfig(repo, ['--add', KEY, REFSPEC])

/** That very line stands there. */
const hasRefspec = async (repo: Repo): Promise<boolean> => (await readSpecs(repo)).includes(REFSPEC)

/** Takes it out again, and nothing else. True when it was there. */
export async function removeRefspec(repo: Repo): Promise<boolean> {
  if (!(await hasRefspec(repo))) return false
  await writeConfig(repo, ['--fixed-value', '--unset-all', KEY, REFSPEC])
  return true
}

/** What a fetch from origin does with the branches of briefs. */
export async function fetchState(repo: Repo): Promise<'none' | 'lacking' | 'covered'> {
  const specs = await readSpecs(repo)
  if (specs.length === 0) return 'none'
  const sources = specs.map((spec) => spec.replace(/^\+/, '').split(':')[0] ?? '')
  const isLeftOut = sources.some((source) => source.startsWith('^refs/heads/handoff/'))
  const isIn = sources.some((source) => ['refs/*', 'refs/heads/*', 'refs/heads/handoff/*'].includes(source))
  return isIn && !isLeftOut ? 'covered' : 'lacking'
}

const readSpecs = async (repo: Repo): Promise<string[]> => {
  const listing = await repo.git(['config', '--get-all', KEY], { answers: [1] })
  return listing.split('\n').filter((line) => line !== '')
}
