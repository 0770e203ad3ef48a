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
import { unsafeFolder } from '../errors/briefs.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { writeFailed } from '../errors/writing.ts'

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
 * so that it is never partial and never overwrites; renamed where there are no hard links. Returns false when the name is taken.
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
  let isOurs = false
  try {
    makeFolders(root, relative)
    temporary = writeAside(aside, text)
    try {
      linkSync(temporary, path)
      isOurs = true
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST') return false
      if (code === undefined || !NO_LINKS.has(code)) throw error
      // Whoever takes the name in this very moment loses it; a brief's name is random.
      if (lookAt(path) !== null) return false
      temporary = moveInto(temporary, path, text)
      isOurs = true
    }
    syncFolder(dirname(path))
    return true
  } catch (cause) {
    // What is told as not written does not stay.
    if (isOurs) tryUnlink(path)
    throw isHandoffError(cause) ? cause : writeFailed(relative, cause)
  } finally {
    if (temporary !== null) tryUnlink(temporary)
  }
}

/**
 * Replaces a file of ours in one step; what the disk says of the new one. `age`: seconds that it claims to be old. `aside`: a
 * private folder, so that a kill leaves nothing beside the file. Throws as `createPlain`.
 */
export async function replacePlain(
  root: string,
  relative: string,
  text: string,
  { age = 0, aside }: { age?: number; aside?: string } = {},
): Promise<BigIntStats> {
  const path = join(root, relative)
  let temporary = besideOf(path)
  try {
    makeFolders(root, relative)
    const stat = lookAt(path)
    if (stat !== null && !stat.isFile()) throw unsafeFolder(relative, 'not a plain file')
    if (aside !== undefined) temporary = nameAside(aside)
    const written = writeNew(temporary, text, age)
    try {
      renameSync(temporary, path)
      return written
    } catch (error) {
      if (aside === undefined || (error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
      tryUnlink(temporary)
      temporary = besideOf(path)
      const again = writeNew(temporary, text, age)
      renameSync(temporary, path)
      return again
    }
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
  const path = nameAside(aside)
  try {
    writeNew(path, text)
  } catch (error) {
    tryUnlink(path)
    throw error
  }
  return path
}

/** `heal` knows files of this name. */
function nameAside(aside: string): string {
  mkdirSync(aside, { recursive: true, mode: 0o700 })
  return join(aside, `aside.${process.pid}.${counter++}`)
}

let counter = 0

/** On the same file system as the target. */
const besideOf = (path: string) => `${path}.${process.pid}.tmp`

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

/** Gives what was written aside its name by a rename; what is left to be removed. */
function moveInto(temporary: string, path: string, text: string): string | null {
  try {
    renameSync(temporary, path)
    return null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
  }
  const beside = besideOf(path)
  try {
    writeNew(beside, text)
    renameSync(beside, path)
    return temporary
  } catch (error) {
    tryUnlink(beside)
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
