import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { attributesText, folderReadme } from '../brief/latest.ts'
import { findRepositoryConfig } from '../config/files.ts'
import type { Repo } from '../git/open-repo.ts'
import { heldByBranches } from '../git/read-briefs.ts'
import { isFilterOurs, originUrl } from '../git/settings.ts'
import type { Wish } from '../hooks/plan.ts'
import { ATTRIBUTES, HANDOFF, LATEST, listBriefFiles, README } from '../store/folder.ts'
import { readLedger } from '../store/ledger.ts'
import { readPlain } from '../store/plain-file.ts'
import { RUNNER, readPrivate } from '../store/private.ts'
import type { SetupEdit } from '../types/agent.ts'
import { agentTemplate } from '../workspace/find-program.ts'

/** Owner of what serves everybody who works here. */
const REPOSITORY = 'repository'
/** Owner of what briefs need as long as there are any. */
export const FOLDER = 'folder'

const CONFIG = `${HANDOFF}/config.yaml`

/**
 * What the repository shall have besides the settings of agents. A file that somebody has made their own is not asked for. `isApart`: nothing
 * in `.handoff/`.
 */
export async function repositoryWishes(repo: Repo, isApart: boolean): Promise<Wish[]> {
  const { root } = repo
  const absent = [README, ATTRIBUTES].filter((path) => !existsSync(join(root, path)))
  // Briefs bring these where there are any; a checkout of a branch that has them must not meet them here.
  const held = await heldByBranches(repo, absent)
  const file = await findRepositoryConfig(root)
  const [block, config, readme, attributes] = allEdits(root)
  const isFree = async (edit: SetupEdit, relative: string): Promise<boolean> => {
    const text = await readPlain(root, relative)
    return text === null || (edit.type === 'file' && text === edit.content)
  }
  if (isApart) return [{ owner: REPOSITORY, edits: [block] }]
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

export function allEdits(root: string): [SetupEdit, SetupEdit, SetupEdit, SetupEdit] {
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

/** What is to be done besides the files that are planned. */
export async function settingLines(repo: Repo): Promise<string[]> {
  const runner = await readPrivate(repo.commonDir, RUNNER)
  return [
    ...(runner === null ? ['Write the hook runner into .git/handoff'] : []),
    ...((await isFilterOurs(repo)) ? [] : ['Set filter.handoff.clean in .git/config']),
  ]
}

/** The address of an origin that nobody here has trusted. */
export const untrustedOrigin = async (repo: Repo): Promise<string | null> =>
  (await readLedger(repo.commonDir)).origin === null ? originUrl(repo) : null
