import { type BigIntStats, constants } from 'node:fs'
import { link, lstat, mkdir, open, rename, unlink } from 'node:fs/promises'
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
  await checkFolders(root, relative)
  const path = join(root, relative)
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return null
      if (cause.code === 'ELOOP') throw unsafeFolder(relative, 'a symbolic link')
      throw unsafeFolder(relative, `not readable (${cause.code ?? cause.message})`)
    },
  )
  if (file === null) return null
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw unsafeFolder(relative, 'not a plain file')
    if (stat.size > MAX_FILE) throw unsafeFolder(relative, `larger than ${MAX_FILE / 1024} KB`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
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
    await makeFolders(root, relative)
    temporary = await writeAside(aside, text)
    try {
      await link(temporary, path)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST') return false
      if (code === undefined || !NO_LINKS.has(code)) throw error
      if (!(await createInPlace(path, text))) return false
    }
    await syncFolder(dirname(path))
    return true
  } catch (cause) {
    throw isHandoffError(cause) ? cause : writeFailed(relative, cause)
  } finally {
    if (temporary !== null) await unlink(temporary).catch(() => undefined)
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
    await makeFolders(root, relative)
    const stat = await lstat(path).catch(() => null)
    if (stat !== null && !stat.isFile()) throw unsafeFolder(relative, 'not a plain file')
    const written = await writeNew(temporary, text, age)
    await rename(temporary, path)
    return written
  } catch (cause) {
    await unlink(temporary).catch(() => undefined)
    throw isHandoffError(cause) ? cause : writeFailed(relative, cause)
  }
}

/** Refuses a path whose folders are not plain folders; folders that do not exist are fine. */
export async function checkFolders(root: string, relative: string): Promise<void> {
  let path = root
  for (const part of dirname(relative).split('/')) {
    path = join(path, part)
    const stat = await lstat(path).catch(() => null)
    if (stat === null) return
    if (stat.isSymbolicLink()) throw unsafeFolder(path.slice(root.length + 1), 'a symbolic link')
    if (!stat.isDirectory())
      throw unsafeFolder(path.slice(root.length + 1), 'a file where a folder is needed')
  }
}

/** One folder after the other: a recursive `mkdir` says ENOENT where the disk is read-only. */
async function makeFolders(root: string, relative: string): Promise<void> {
  await checkFolders(root, relative)
  let path = root
  for (const part of dirname(relative).split('/')) {
    path = join(path, part)
    await mkdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

async function writeAside(aside: string, text: string): Promise<string> {
  await mkdir(aside, { recursive: true })
  const path = join(aside, `file.${process.pid}.${counter++}`)
  await writeNew(path, text).catch(async (error: unknown) => {
    await unlink(path).catch(() => undefined)
    throw error
  })
  return path
}

let counter = 0

async function writeNew(path: string, text: string, age = 0): Promise<BigIntStats> {
  const file = await open(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o644,
  )
  try {
    await file.writeFile(text)
    if (age > 0) {
      const time = Date.now() / 1000 - age
      await file.utimes(time, time)
    }
    await file.sync()
    return await file.stat({ bigint: true })
  } finally {
    await file.close()
  }
}

async function createInPlace(path: string, text: string): Promise<boolean> {
  try {
    await writeNew(path, text)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    await unlink(path).catch(() => undefined)
    throw error
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
