import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { readConfig } from '../git/settings.ts'
import {
  GIT_MANAGERS,
  type GitHookPlace,
  type GitManager,
  knownGitEdits,
  managerOf,
} from '../hooks/git-managers.ts'
import { GIT_EVENTS, type GitEventName } from '../hooks/runner.ts'
import { isWithin } from '../hooks/target.ts'
import type { SetupEdit } from '../types/agent.ts'
import type { Config } from '../types/config.ts'
import { packageFolder } from '../workspace/find-program.ts'

/** Owner of what serves git. */
export const GIT = 'git'
/** Mark of the record that keeps what was asked for. */
const ASKED = 'git-hooks='

/** What `init` does about hooks of git, and what there is to say. */
export interface GitHookSetup {
  manager: GitManager['id'] | 'none'
  /** File or folder that it is told in, absolute; null when there is none. */
  where: string | null
  /** Where git looks for hooks, absolute; null when there are none to be. */
  folder: string | null
  events: GitEventName[]
  edits: SetupEdit[]
  /** The command that lets git call the manager; null when git does already. */
  activate: string | null
  warnings: string[]
  /** Marks of the record, without what was asked for before. */
  marks: string[]
}

export const MANAGERS: readonly string[] = [...GIT_MANAGERS.map(({ id }) => id), 'none']

/**
 * The hooks of git that this repository shall have: by the manager that was asked for, now or last time, else by the one that it uses.
 * Outside of the repository nothing is asked for unless `plain` is named. Throws `usage`, `gitFailed`.
 */
export async function planGitHooks(
  repo: Repo,
  config: Config,
  { asked, marks }: { asked: string | undefined; marks: readonly string[] },
): Promise<GitHookSetup> {
  if (asked !== undefined && !MANAGERS.includes(asked))
    throw usage(
      `--git-hooks takes ${MANAGERS.join(', ')}, not ${asked}.`,
      'Example: `git handoff init --git-hooks plain`.',
    )
  const wanted = asked ?? marks.find((mark) => mark.startsWith(ASKED))?.slice(ASKED.length)
  const setup = {
    manager: 'none' as const,
    where: null,
    folder: null,
    events: [],
    edits: [],
    activate: null,
    marks: [
      ...marks.filter((mark) => !mark.startsWith(ASKED)),
      ...(wanted === undefined ? [] : [ASKED + wanted]),
    ],
  }
  if (wanted === 'none') return { ...setup, warnings: [] }
  const { place, says } = await readPlace(repo)
  const manager = GIT_MANAGERS.find(({ id }) => id === wanted) ?? managerOf(place)
  const isPlain = manager.id === 'plain'
  const where = manager.where(place)
  if (isPlain && place.kind === 'husky' && asked !== undefined)
    throw usage(
      `${says}, a folder that husky rewrites at every install.`,
      'Use `git handoff init --git-hooks husky`, or unset core.hooksPath first.',
    )
  const whyNot =
    isPlain && place.kind === 'husky'
      ? `${says}, a folder that husky writes; use \`--git-hooks husky\` instead`
      : isPlain && place.kind === 'foreign' && wanted === undefined
        ? `${says}, outside of this repository. git runs only the hooks there, so no hook was added; \`git handoff init --git-hooks plain\` adds them there, for all repositories that use that folder`
        : where.endsWith('.toml')
          ? `${basename(where)} is TOML, which handoff does not edit; docs/git-hooks.md has the lines to add`
          : null
  if (whyNot !== null) return { ...setup, warnings: [whyNot] }
  const events = GIT_EVENTS.filter((event) => !('wish' in event) || config.gitHooks[event.wish]).map(
    ({ name }) => name,
  )
  const isPassedOver = !isPlain && place.kind !== 'own' && place.kind !== 'husky'
  return {
    ...setup,
    manager: manager.id,
    where,
    folder: place.folder,
    events,
    edits: manager.edits(place, events),
    activate: manager.activate(place, events),
    warnings: isPassedOver
      ? [`${says}: git runs only the hooks there, so ${manager.id} must be installed there`]
      : [],
  }
}

/** The command that lets git call the hooks that these files of the record give to husky; null where it does, or they are elsewhere. */
export async function huskyOff(repo: Repo, paths: readonly string[]): Promise<string | null> {
  if (!paths.some((path) => basename(dirname(path)) === '.husky')) return null
  const { place } = await readPlace(repo)
  return GIT_MANAGERS.find(({ id }) => id === 'husky')?.activate(place, []) ?? null
}

/** What there may be of ours to take out. Throws `gitFailed`. */
export const gitHooksFarewell = async (repo: Repo): Promise<SetupEdit[]> =>
  knownGitEdits((await readPlace(repo)).place)

/** `says`: a clause on where hooks are looked for. */
export async function readPlace(repo: Repo): Promise<{ place: GitHookPlace; says: string }> {
  const { root, commonDir } = repo
  const [path, setting] = await Promise.all([
    repo.git(['rev-parse', '--git-path', 'hooks']),
    readConfig(repo),
  ])
  // One line break is git's own.
  const folder = resolve(root, path.replace(/\r?\n$/, ''))
  const { scope = '', value = '' } = setting.entries.findLast(({ key }) => key === 'core.hookspath') ?? {}
  const at = /^(.*?)[/\\]?(\.husky)(?:[/\\]_)?[/\\]?$/.exec(relative(root, folder))
  return {
    place: {
      root,
      folder,
      kind: kindOf(folder, at !== null, repo),
      husky: at === null ? join(root, '.husky') : join(root, at[1] ?? '', '.husky'),
      has: (name) => existsSync(join(root, name)),
      text: (event) => readFileSync(join(packageFolder(), 'hooks', event), 'utf8'),
    },
    says: `core.hooksPath of your ${scope || 'git'} configuration is ${value || relative(commonDir, folder)}`,
  }
}

function kindOf(folder: string, isHusky: boolean, { root, commonDir }: Repo): GitHookPlace['kind'] {
  const real = realOf(folder)
  if (isWithin(realOf(commonDir), real)) return 'own'
  if (!isWithin(realOf(root), real)) return 'foreign'
  return isHusky ? 'husky' : 'kept'
}

/** The real path, also of what is still to be made. */
function realOf(path: string): string {
  const real = orNull(() => realpathSync(path))
  if (real !== null || path === dirname(path)) return real ?? path
  return join(realOf(dirname(path)), basename(path))
}
