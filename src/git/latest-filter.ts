import { type BigIntStats, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import type { Repo } from './open-repo.ts'
import { keepTrying } from './retry.ts'
import { prepareIndex, readEntries, rewriteIndex } from './rewrite-index.ts'
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
 * Tells the index the new size and time of files whose content for git has not changed, so that `git status` stays
 * clean; the blobs never change, whatever the filters do. Returns null, or in one clause why it could not be done (for
 * a warning): it never fails a command. Untracked paths are passed over. `written`: the only
 * path, when its content was just written by us and git is to take it for that blob.
 */
export async function refreshIndexStat(
  repo: Repo,
  paths: readonly string[],
  written: WrittenFile | null = null,
): Promise<string | null> {
  const refresh = async (): Promise<void> => {
    if (written !== null && (await restat(repo, written))) return
    const entries = [...(await readEntries(repo, paths))].map(([path, entry]) => ({ path, ...entry }))
    if (entries.length > 0) await rewriteIndex(repo, entries)
  }
  return keepTrying(refresh, 1000).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
}

/** True when the index has other stat data for a file than the disk: git takes it for changed, or has to look. Throws `gitFailed`. */
export async function isStale(repo: Repo, path: string): Promise<boolean> {
  return (await repo.git(['diff-files', '--name-only', '-z', '--', path])).length > 0
}

/** A file just written, and what git makes of it. */
export interface WrittenFile {
  path: string
  stat: BigIntStats
  /** Blob id of its content behind the filters. */
  oid: string
}

/** Nobody wrote to it since it was written; a rename changes the time of the inode alone. */
function isStill(repo: Repo, { path, stat }: WrittenFile): boolean {
  const now = orNull(() => lstatSync(join(repo.root, path), { bigint: true }))
  return (
    now?.isFile() === true && now.ino === stat.ino && now.size === stat.size && now.mtimeNs === stat.mtimeNs
  )
}

/** Lets git put the stat data of our file into the index, for the blob that is there. False when that gave another blob, or somebody wrote to the file. */
async function restat(repo: Repo, written: WrittenFile): Promise<boolean> {
  const { path, oid } = written
  const entry = (await readEntries(repo, [path])).get(path)
  if (entry?.oid !== oid) return false
  const config = [`filter.handoff.clean=cat >/dev/null; git cat-file blob ${oid}`]
  const prepared = await prepareIndex(repo, [{ path, ...entry }], config)
  try {
    if (prepared === null || !prepared.isStored || !isStill(repo, written)) return false
    prepared.swap()
    return true
  } finally {
    prepared?.discard()
  }
}

/**
 * True when git would store `oid` for this content at `path`: attributes, configuration and the programs of the filter are at work. Takes git,
 * a shell and the filter.
 */
export async function isStoredAs(repo: Repo, path: string, content: string, oid: string): Promise<boolean> {
  const { code, stdout } = await repo.run(['hash-object', '--stdin', `--path=${path}`], { input: content })
  return code === 0 && stdout.toString('utf8').trim() === oid
}
