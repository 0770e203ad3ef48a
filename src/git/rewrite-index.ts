import {
  type BigIntStats,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import { forgetFile, ownName, privateFolder, removeFile } from './files.ts'
import type { Repo } from './open-repo.ts'
import { hasCommits } from './refs.ts'
import { Busy } from './retry.ts'

/** A hook that hears of every index (`post-index-change`) has no business with a private copy, and could call us again. */
export const NO_HOOKS = 'core.hooksPath=/dev/null'

/** An entry as it shall stand in the index; `oid` null takes the path out. */
export interface IndexEntry {
  path: string
  mode: string
  oid: string | null
}

/** A private copy of the index with our entries in it, ready to take its place. */
export interface PreparedIndex {
  /** Git has read our files from the work tree and stored their blobs; false when the entries are names of blobs alone. */
  isStored: boolean
  /** Replaces the user's index. Throws `Busy` when it is locked or was changed since the copy was made. */
  swap(): void
  /** Removes what is left of the copy; to be called in any case. */
  discard(): void
}

/**
 * Copies the user's index and puts entries into the copy; all others stay byte for byte. The copy takes the place of
 * the index under `index.lock` held for three system calls, so that a kill at any moment leaves at most a private
 * file. `config`: of git while it reads our files. Null when there are commits but no index: making one would stage the deletion of
 * everything else.
 */
export async function prepareIndex(
  repo: Repo,
  entries: readonly IndexEntry[],
  config: readonly string[] = [],
): Promise<PreparedIndex | null> {
  // Some keep the index behind a symbolic link; git locks the target.
  const index = orNull(() => realpathSync(repo.indexPath)) ?? repo.indexPath
  const before = orNull(() => lstatSync(index, { bigint: true }))
  if (!before && (await hasCommits(repo))) return null
  const copy = join(privateFolder(repo), ownName('index'))
  const discard = () => {
    forgetFile(copy)
    forgetFile(`${copy}.lock`)
  }
  let isStored = false
  try {
    if (before) {
      copyFileSync(index, copy, constants.COPYFILE_FICLONE)
      ageLike(copy, before)
    }
    isStored = await addFromWorkTree(repo, copy, entries, config)
    if (!isStored) {
      await setByBlob(repo, copy, entries)
      if (before) ageLike(copy, before)
    }
  } catch (error) {
    discard()
    throw error
  }
  return { isStored, swap: () => swap(copy, index, before), discard }
}

/** Prepares and swaps in one go. False when there is no index to write to. Throws as those do. */
export async function rewriteIndex(repo: Repo, entries: readonly IndexEntry[]): Promise<boolean> {
  const prepared = await prepareIndex(repo, entries)
  try {
    prepared?.swap()
  } finally {
    prepared?.discard()
  }
  return prepared !== null
}

/** Whole seconds, never later than the original: git then doubts all entries that it doubted before. */
function ageLike(copy: string, original: BigIntStats): void {
  const seconds = Number(original.mtimeNs / 1_000_000_000n)
  utimesSync(copy, seconds, seconds)
}

/**
 * Adds our files from the work tree, so that their stat data is known and even `git diff-files` finds nothing. True
 * when that gave exactly the entries wanted; filters, an expanded file, a missing one make it false.
 */
async function addFromWorkTree(
  repo: Repo,
  copy: string,
  entries: readonly IndexEntry[],
  config: readonly string[],
): Promise<boolean> {
  if (entries.some((entry) => entry.oid === null)) return false
  const settings = [NO_HOOKS, ...config].flatMap((entry) => ['-c', entry])
  const added = await repo.run([...settings, 'update-index', '-z', '--add', '--stdin'], {
    env: { GIT_INDEX_FILE: copy },
    signal: undefined,
    input: entries.map(({ path }) => `${path}\0`).join(''),
  })
  if (added.code !== 0) return false
  const paths = entries.map((entry) => entry.path)
  const now = await readEntries(repo, paths, { indexFile: copy })
  return entries.every(({ path, oid, mode }) => now.get(path)?.oid === oid && now.get(path)?.mode === mode)
}

/**
 * Sets our entries by their blobs alone. An empty folder stands in for the work tree: git would otherwise read files
 * of the user that changed in the second the index was written, and run their filters, which may be missing.
 */
async function setByBlob(repo: Repo, copy: string, entries: readonly IndexEntry[]): Promise<void> {
  const empty = join(privateFolder(repo), 'empty')
  mkdirSync(empty, { recursive: true })
  const zero = '0'.repeat(repo.objectFormat === 'sha256' ? 64 : 40)
  const lines = entries.map(({ path, mode, oid }) =>
    oid === null ? `0 ${zero}\t${path}\0` : `${mode} ${oid}\t${path}\0`,
  )
  await repo.git(['-c', NO_HOOKS, 'update-index', '-z', '--add', '--index-info'], {
    cwd: empty,
    env: { GIT_DIR: repo.gitDir, GIT_WORK_TREE: empty, GIT_INDEX_FILE: copy },
    signal: undefined,
    input: lines.join(''),
  })
}

/** More paths than that may be too many for a command line. */
const MAX_ARGUMENTS = 1000

/**
 * Stage-0 entries of these paths in an index file (default: the user's). Absent and conflicted paths are not listed. Ends in the middle of a
 * change only with `isCancellable`.
 */
export async function readEntries(
  repo: Repo,
  paths: readonly string[],
  { indexFile, isCancellable = false }: { indexFile?: string; isCancellable?: boolean } = {},
): Promise<Map<string, { mode: string; oid: string }>> {
  const wanted = new Set(paths)
  const entries = new Map<string, { mode: string; oid: string }>()
  if (wanted.size === 0) return entries
  const env: Record<string, string> = indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }
  const named = wanted.size > MAX_ARGUMENTS ? [] : ['--', ...wanted]
  const out = await repo.git(['ls-files', '-s', '-z', ...named], {
    env,
    ...(isCancellable ? {} : { signal: undefined }),
  })
  for (const record of out.split('\0')) {
    const [, mode, oid, stage, path] = /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(record) ?? []
    if (mode && oid && path && stage === '0' && wanted.has(path)) entries.set(path, { mode, oid })
  }
  return entries
}

/** Puts the copy in the place of the index. Throws `Busy` when that is locked or no longer `before`. */
function swap(copy: string, index: string, before: BigIntStats | null): void {
  const lock = `${index}.lock`
  takeLock(copy, lock)
  try {
    const now = orNull(() => statSync(index, { bigint: true }))
    const same = before ? now !== null && isSame(before, now) : now === null
    if (!same) throw new Busy('the index was changed by somebody else')
    renameSync(lock, index)
  } catch (error) {
    removeFile(lock)
    throw error
  }
}

/** The lock is the copy itself, or a second one where there are no hard links. Throws `Busy` when somebody holds it. */
function takeLock(copy: string, lock: string): void {
  const held = (error: unknown) =>
    (error as NodeJS.ErrnoException).code === 'EEXIST' ? new Busy(`${lock} is held`) : error
  try {
    linkSync(copy, lock)
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EXDEV'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw held(error)
    try {
      copyFileSync(copy, lock, constants.COPYFILE_EXCL)
    } catch (cause) {
      throw held(cause)
    }
  }
}

const isSame = (a: BigIntStats, b: BigIntStats) =>
  a.ino === b.ino && a.mtimeNs === b.mtimeNs && a.size === b.size
