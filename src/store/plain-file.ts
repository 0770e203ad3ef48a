import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
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
import { isHandoffError, isMissing, orNull } from '../errors/handoff-error.ts'
import { writeFailed } from '../errors/writing.ts'
import { makePrivate } from '../private-folder.ts'

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
    if (isMissing(error)) return null
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ELOOP') throw unsafeFolder(relative, 'a symbolic link')
    throw unsafeFolder(relative, `not readable (${code ?? message})`)
  }
}

/**
 * Creates a file that must not exist yet: written aside in `aside` (a private folder), synced, then linked into place, so that it is never
 * partial and never overwrites; written in place where there are no hard links. Returns false when the name is taken. Throws
 * `unsafeFolder` when a folder on the way is not plain, `writeFailed` otherwise.
 */
export async function createPlain(
  root: string,
  relative: string,
  text: string | Buffer,
  aside: string,
): Promise<boolean> {
  const path = join(root, relative)
  let temporary: string | null = null
  let isOurs = false
  try {
    makeFolders(root, relative)
    temporary = nameAside(aside)
    writeNew(temporary, text)
    try {
      linkSync(temporary, path)
    } catch (error) {
      if (!NO_LINKS.has(codeOf(error))) throw error
      writeNew(path, text)
    }
    isOurs = true
    syncFolder(dirname(path))
    return true
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false
    // What is told as not written does not stay.
    if (isOurs) tryUnlink(path)
    throw isHandoffError(cause) ? cause : writeFailed(relative, cause)
  } finally {
    if (temporary !== null) tryUnlink(temporary)
  }
}

/** Replaces a file of ours in one step. `aside`: a private folder, so that a kill leaves nothing beside the file. Throws as `createPlain`. */
export async function replacePlain(
  root: string,
  relative: string,
  text: string,
  { aside }: { aside?: string } = {},
): Promise<void> {
  const path = join(root, relative)
  const beside = `${path}.${process.pid}.tmp`
  try {
    makeFolders(root, relative)
    const stat = lookAt(path)
    if (stat !== null && !stat.isFile()) throw unsafeFolder(relative, 'not a plain file')
    if (aside !== undefined && writeAndRename(nameAside(aside), path, text)) return
    if (!writeAndRename(beside, path, text)) throw new Error(`${beside} cannot be renamed`)
  } catch (cause) {
    throw isHandoffError(cause) ? cause : writeFailed(relative, cause)
  }
}

/** False when the two are on different file systems. */
function writeAndRename(temporary: string, path: string, text: string): boolean {
  try {
    writeNew(temporary, text)
    renameSync(temporary, path)
    return true
  } catch (error) {
    tryUnlink(temporary)
    if (codeOf(error) === 'EXDEV') return false
    throw error
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

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
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}

/** `sweepPrivate` knows files of this name. */
function nameAside(aside: string): string {
  makePrivate(dirname(aside), aside)
  return join(aside, `aside.${process.pid}.${counter++}`)
}

let counter = 0

function writeNew(path: string, text: string | Buffer): void {
  const file = openSync(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o644,
  )
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } catch (error) {
    tryUnlink(path)
    throw error
  } finally {
    closeSync(file)
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

/** What nobody may look at is met again where it is opened. */
const lookAt = (path: string): Stats | null => orNull(() => lstatSync(path))

/** Gone already, or it stays as a leftover of ours: the first failure is the one to tell. */
const tryUnlink = (path: string): unknown => orNull(() => unlinkSync(path))
