import { setTimeout as sleep } from 'node:timers/promises'
import type { Repo } from './open-repo.ts'
import { restatEntry, type WrittenFile } from './restat-index.ts'
import { isPassing } from './retry.ts'
import { readEntries, rewriteIndex } from './rewrite-index.ts'
import { readSettings, type Settings } from './settings.ts'
import { writeConfig } from './write-config.ts'

/** The filter of earlier versions, which cut any file that a branch bound to it. */
const FORMER = "sed '/^<!-- handoff:begin/,$d'"

/**
 * Cuts the expanded copy off before git sees it, and leaves every other file as it is: the attributes that bind a file to
 * the filter come with a branch. POSIX sh and sed, so that a clone without node works as well.
 */
export const CLEAN_FILTER = `case %f in .handoff/latest.md) ${FORMER};; *) cat;; esac`

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

/** Takes that setting back, unless somebody has made it their own. Throws `writeFailed`. */
export async function removeFilter(repo: Repo): Promise<void> {
  const { filter } = await readSettings(repo)
  if (filter.local !== CLEAN_FILTER && filter.local !== FORMER) return
  await writeConfig(repo, ['--unset-all', 'filter.handoff.clean'])
}

/**
 * Tells the index the new size and time of files whose content for git has not changed, so that `git status` stays
 * clean; the blobs never change, whatever the filters do. Returns null, or in one clause why it could not be done (for
 * a warning): it never fails a command. Untracked paths are passed over. `written`: the only
 * path, when its content was just written by us and is known to stay the same behind the filters.
 */
export async function refreshIndexStat(
  repo: Repo,
  paths: readonly string[],
  written: WrittenFile | null = null,
): Promise<string | null> {
  const end = performance.now() + 1000
  for (;;) {
    try {
      if (written !== null && restatEntry(repo, written)) return null
      const entries = [...(await readEntries(repo, paths))].map(([path, entry]) => ({ path, ...entry }))
      if (entries.length > 0) await rewriteIndex(repo, entries)
      return null
    } catch (error) {
      if (!isPassing(error) || performance.now() > end)
        return error instanceof Error ? error.message : String(error)
      await sleep(20 + Math.random() * 60)
    }
  }
}
