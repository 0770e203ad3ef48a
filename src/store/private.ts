import { createHash } from 'node:crypto'
import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFailed } from '../errors.ts'

/** The private folder of a repository, shared by its worktrees, never committed. */
export const privateFolder = (commonDir: string): string => join(commonDir, 'handoff')

/** Writes of this process, so that two at a time never share a temporary name. */
let writes = 0

/** Writes a private text in one step (0600) and returns its path. Throws `writeFailed`. */
export async function writePrivate(commonDir: string, relative: string, text: string): Promise<string> {
  const path = join(privateFolder(commonDir), relative)
  try {
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
    const temporary = `${path}.${process.pid}-${writes++}.tmp`
    await writeFile(temporary, text, { mode: 0o600, flush: true })
    await rename(temporary, path)
    return path
  } catch (cause) {
    throw writeFailed(path, cause)
  }
}

/** A private text, or null when there is none. */
export async function readPrivate(commonDir: string, relative: string): Promise<string | null> {
  return readFile(join(privateFolder(commonDir), relative), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })
}

/** Names in a private subfolder, sorted. */
export async function listPrivate(commonDir: string, relative: string): Promise<string[]> {
  const names = await readdir(join(privateFolder(commonDir), relative)).catch(() => [] as string[])
  return names.filter((name) => !name.endsWith('.tmp')).sort()
}

/** Removes a private file if it is there. */
export const removePrivate = (commonDir: string, relative: string): Promise<void> =>
  rm(join(privateFolder(commonDir), relative), { force: true })

/** Adds one line; short appends are atomic, so concurrent writers never mix. Throws `writeFailed`. */
export async function appendPrivate(commonDir: string, relative: string, line: string): Promise<void> {
  const path = join(privateFolder(commonDir), relative)
  try {
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
    await appendFile(path, `${line}\n`, { mode: 0o600 })
  } catch (cause) {
    throw writeFailed(path, cause)
  }
}

/** A word from outside as part of a file name: itself when it is harmless, else its digest. */
export const fileWord = (word: string): string =>
  /^[\w-]{1,100}$/.test(word) ? word : createHash('sha256').update(word).digest('hex').slice(0, 32)
