import { type BigIntStats, constants } from 'node:fs'
import { copyFile, link, lstat, realpath, rename, rm, stat, unlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repo } from './open-repo.ts'
import { ownName, privateFolder } from './private-folder.ts'
import { Busy } from './retry.ts'
import { spawnGit, spawnGitOk } from './spawn.ts'

/** An entry as it shall stand in the index; `oid` null takes the path out. */
export interface IndexEntry {
  path: string
  mode: string
  oid: string | null
}

/** `missing`: there are commits but no index, and making one would stage the deletion of everything else. */
export type IndexResult = 'done' | 'missing'

/**
 * Puts entries into the user's index and leaves all others byte for byte alone. The work is done on a private copy,
 * which replaces the index under `index.lock` held for three system calls; a kill at any moment leaves at most a
 * private file. Throws `Busy` when the index is locked or was changed meanwhile.
 */
export async function rewriteIndex(repo: Repo, entries: readonly IndexEntry[]): Promise<IndexResult> {
  // Some keep the index behind a symbolic link; git locks the target.
  const index = await realpath(repo.indexPath).catch(() => repo.indexPath)
  const copy = join(await privateFolder(repo), ownName('index'))
  const before = await lstat(index, { bigint: true }).catch(() => null)
  if (!before && (await hasHead(repo))) return 'missing'
  try {
    if (before) {
      await copyFile(index, copy, constants.COPYFILE_FICLONE)
      // Whole seconds, never later than the original: git then doubts entries that changed in the same second.
      const seconds = Math.floor(Number(before.mtimeNs / 1_000_000_000n))
      await utimes(copy, seconds, seconds)
    }
    await setEntries(repo, copy, entries)
    await swap(copy, index, before)
  } finally {
    await rm(copy, { force: true })
    await rm(`${copy}.lock`, { force: true })
  }
  return 'done'
}

async function hasHead(repo: Repo): Promise<boolean> {
  const { code } = await spawnGit(
    ['rev-parse', '-q', '--verify', 'HEAD^{commit}'],
    repo.child({ signal: undefined }),
  )
  return code === 0
}

/**
 * Files are added from the work tree first, so that their stat data is known and `git status` need not read them;
 * what did not come out as wanted (filters, an expanded file, a missing one) is then set by its blob alone.
 */
async function setEntries(repo: Repo, copy: string, entries: readonly IndexEntry[]): Promise<void> {
  const child = repo.child({ env: { GIT_INDEX_FILE: copy } as Record<string, string>, signal: undefined })
  const paths = entries.filter((entry) => entry.oid !== null).map((entry) => entry.path)
  if (paths.length > 0) {
    const input = paths.map((path) => `${path}\0`).join('')
    await spawnGit(['update-index', '-z', '--add', '--stdin'], { ...child, input })
  }
  const now = await readEntries(
    repo,
    entries.map((entry) => entry.path),
    copy,
  )
  const wrong = entries.filter(({ path, oid, mode }) => {
    const found = now.get(path)
    return oid === null ? found !== undefined : found?.oid !== oid || found.mode !== mode
  })
  if (wrong.length === 0) return
  const zero = '0'.repeat(repo.objectFormat === 'sha256' ? 64 : 40)
  const lines = wrong.map(({ path, mode, oid }) =>
    oid === null ? `0 ${zero}\t${path}\0` : `${mode} ${oid}\t${path}\0`,
  )
  await spawnGitOk(['update-index', '-z', '--add', '--index-info'], { ...child, input: lines.join('') })
}

/** Stage-0 entries of these paths in an index file (default: the user's). Absent and conflicted paths are not listed. */
export async function readEntries(
  repo: Repo,
  paths: readonly string[],
  indexFile?: string,
): Promise<Map<string, { mode: string; oid: string }>> {
  const env: Record<string, string> = indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }
  const out = await spawnGitOk(
    ['ls-files', '-s', '-z', '--', ...paths],
    repo.child({ env, signal: undefined }),
  )
  const entries = new Map<string, { mode: string; oid: string }>()
  for (const record of out.toString('utf8').split('\0')) {
    const [, mode, oid, stage, path] = /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(record) ?? []
    if (mode && oid && path && stage === '0') entries.set(path, { mode, oid })
  }
  return entries
}

async function swap(copy: string, index: string, before: BigIntStats | null): Promise<void> {
  const lock = `${index}.lock`
  try {
    await link(copy, lock)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw new Busy('index.lock is held')
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EXDEV') throw error
    // No hard links here: the lock is then a second copy.
    await copyFile(copy, lock, constants.COPYFILE_EXCL).catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === 'EEXIST' ? new Busy('index.lock is held') : cause
    })
  }
  try {
    const now = await stat(index, { bigint: true }).catch(() => null)
    const same = before ? now !== null && isSame(before, now) : now === null
    if (!same) throw new Busy('the index was changed under the lock')
    await rename(lock, index)
  } catch (error) {
    await unlink(lock)
    throw error
  }
}

const isSame = (a: BigIntStats, b: BigIntStats) =>
  a.ino === b.ino && a.mtimeNs === b.mtimeNs && a.size === b.size
