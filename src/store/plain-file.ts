import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  futimesSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isHandoffError, unsafeFolder, writeFailed } from '../errors.ts'

/** Largest file of ours that is read, in bytes; a brief is at most 64 KB. */
export const MAX_FILE = 256 * 1024

/** Errors of file systems without hard links, where the file is created in place instead. */
const NO_LINKS = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/**
 * The text of a plain file, or null when there is none. Never follows a symlink, never blocks on a fifo.
 * Throws `unsafeFolder` for anything that is not a plain file of at most `MAX_FILE` bytes.
 */
export async function readPlain(root: string, relative: string): Promise<string | null> {
  checkFolders(root, relative)
  const file = openPlain(root, relative)
  if (file === null) return null
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw unsafeFolder(relative, 'not a plain file')
    if (stat.size > MAX_FILE) throw unsafeFolder(relative, `larger than ${MAX_FILE / 1024} KB`)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

function openPlain(root: string, relative: string): number | null {
  try {
    return openSync(join(root, relative), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    if (code === 'ELOOP') throw unsafeFolder(relative, 'a symbolic link')
    throw unsafeFolder(relative, `not readable (${code ?? message})`)
  }
}

/**
 * Creates a file that must not exist yet: written aside in `aside` (a private folder), synced, then linked into place,
 * so that it is never partial and never overwrites. Returns false when the name is taken.
 * Throws `unsafeFolder` when a folder on the way is not plain, `writeFailed` otherwise.
 */
export async function createPlain(
  root: string,
  relative: string,
  text: string,
  aside: string,
): Promise<boolean> {
  const path = join(root, relative)
  let temporary: string | null = null
  try {
    makeFolders(root, relative)
    temporary = writeAside(aside, text)
    try {
      linkSync(temporary, path)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST') return false
      if (code === undefined || !NO_LINKS.has(code)) throw error
      if (!createInPlace(path, text)) return false
    }
    syncFolder(dirname(path))
    return true
  } catch (cause) {
    throw isHandoffError(cause) ? cause : writeFailed(relative, cause)
  } finally {
    if (temporary !== null) tryUnlink(temporary)
  }
}

/**
 * Replaces a file of ours in one step; what the disk says of the new one. `age`: seconds that it claims to be old. Throws as
 * `createPlain`.
 */
export async function replacePlain(
  root: string,
  relative: string,
  text: string,
  { age = 0 }: { age?: number } = {},
): Promise<BigIntStats> {
  const path = join(root, relative)
  // Beside the target, so that the rename never crosses a file system; the leading dot and suffix are ignored by us.
  const temporary = `${path}.${process.pid}.tmp`
  try {
    makeFolders(root, relative)
    const stat = lookAt(path)
    if (stat !== null && !stat.isFile()) throw unsafeFolder(relative, 'not a plain file')
    const written = writeNew(temporary, text, age)
    renameSync(temporary, path)
    return written
  } catch (cause) {
    tryUnlink(temporary)
    throw isHandoffError(cause) ? cause : writeFailed(relative, cause)
  }
}

/** Refuses a path whose folders are not plain folders; folders that do not exist are fine. */
function checkFolders(root: string, relative: string): void {
  let path = root
  for (const part of dirname(relative).split('/')) {
    path = join(path, part)
    const stat = lookAt(path)
    if (stat === null) return
    if (stat.isSymbolicLink()) throw unsafeFolder(path.slice(root.length + 1), 'a symbolic link')
    if (!stat.isDirectory())
      throw unsafeFolder(path.slice(root.length + 1), 'a file where a folder is needed')
  }
}

/** One folder after the other: a recursive `mkdir` says ENOENT where the disk is read-only. */
function makeFolders(root: string, relative: string): void {
  checkFolders(root, relative)
  let path = root
  for (const part of dirname(relative).split('/')) {
    path = join(path, part)
    try {
      mkdirSync(path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

function writeAside(aside: string, text: string): string {
  mkdirSync(aside, { recursive: true })
  const path = join(aside, `file.${process.pid}.${counter++}`)
  try {
    writeNew(path, text)
  } catch (error) {
    tryUnlink(path)
    throw error
  }
  return path
}

let counter = 0

function writeNew(path: string, text: string, age = 0): BigIntStats {
  const file = openSync(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o644,
  )
  try {
    writeFileSync(file, text)
    if (age > 0) {
      const time = Date.now() / 1000 - age
      futimesSync(file, time, time)
    }
    fsyncSync(file)
    return fstatSync(file, { bigint: true })
  } finally {
    closeSync(file)
  }
}

function createInPlace(path: string, text: string): boolean {
  try {
    writeNew(path, text)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    tryUnlink(path)
    throw error
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, constants.O_RDONLY)
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function lookAt(path: string): Stats | null {
  try {
    return lstatSync(path)
  } catch {
    return null // What nobody may look at is met again where it is opened.
  }
}

function tryUnlink(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Gone already, or it stays as a leftover of ours: the first failure is the one to tell.
  }
}
