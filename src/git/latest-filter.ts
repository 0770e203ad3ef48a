import type { Repo } from './open-repo.ts'
import { readSettings, type Settings, writeConfig } from './settings.ts'

/**
 * Cuts the expanded copy off before git sees it, and leaves every other file as it is: the attributes that bind a file to
 * the filter come with a branch. POSIX sh and sed, so that a clone without node works as well.
 */
export const CLEAN_FILTER = "case %f in .handoff/latest.md) sed '/^<!-- handoff:begin/,$d';; *) cat;; esac"

/**
 * Sets the local configuration that hides the expanded part of `latest.md`. Returns whether something was changed.
 * `known`: the settings as read before. Throws `writeFailed` when the configuration cannot be written.
 */
export async function ensureFilter(repo: Repo, known: Settings | null = null): Promise<boolean> {
  const key = 'filter.handoff.clean'
  const { filter } = known ?? (await readSettings(repo))
  if (filter.local === CLEAN_FILTER) return false
  // Not through simple-git, which takes every filter for an attack.
  await writeConfig(repo, ['--replace-all', key, CLEAN_FILTER])
  return true
}

/** The setting is as `ensureFilter` made it, and nobody's own. */
export const isFilterOurs = async (repo: Repo): Promise<boolean> =>
  (await readSettings(repo)).filter.local === CLEAN_FILTER

/** Takes that setting back. Throws `writeFailed`. */
export const removeFilter = (repo: Repo): Promise<void> =>
  writeConfig(repo, ['--unset-all', 'filter.handoff.clean'])

/**
 * True when git would store `oid` for this content at `path`: attributes, configuration and the programs of the filter are at work. Takes git,
 * a shell and the filter.
 */
export async function isStoredAs(repo: Repo, path: string, content: string, oid: string): Promise<boolean> {
  const { code, stdout } = await repo.run(['hash-object', '--stdin', `--path=${path}`], { input: content })
  return code === 0 && stdout.toString('utf8').trim() === oid
}
