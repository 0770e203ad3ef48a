import { basename } from 'node:path'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { GIT_MANAGERS, type GitManager, knownGitEdits, managerOf } from '../hooks/git-managers.ts'
import { GIT_EVENTS, type GitEventName } from '../hooks/runner.ts'
import type { SetupEdit } from '../types/agent.ts'
import type { Config } from '../types/config.ts'
import { readPlace } from '../workspace/git-hook-place.ts'

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

/** The managers that can be chosen here: those that this repository uses, and git's own folder where it is its own. */
export async function managersHere(repo: Repo): Promise<GitManager['id'][]> {
  const { place } = await readPlace(repo)
  return GIT_MANAGERS.filter(
    (one) => one.isUsed(place) && (one.id !== 'plain' || place.kind !== 'husky'),
  ).map(({ id }) => id)
}

/** What there may be of ours to take out. Throws `gitFailed`. */
export const gitHooksFarewell = async (repo: Repo): Promise<SetupEdit[]> =>
  knownGitEdits((await readPlace(repo)).place)
