import { createHash } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { writeFailed } from '../errors/writing.ts'

/** The private folder of a repository, shared by its worktrees, never committed. */
export const privateFolder = (commonDir: string): string => join(commonDir, 'handoff')

/** Writes of this process, so that two at a time never share a temporary name. */
let writes = 0

/**
 * Writes a private text in one step (0600) and returns its path. `flush: false` for what is worth nothing after a power cut. Throws
 * `writeFailed`.
 */
export async function writePrivate(
  commonDir: string,
  relative: string,
  text: string,
  { flush = true }: { flush?: boolean } = {},
): Promise<string> {
  const path = join(privateFolder(commonDir), relative)
  try {
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
    // `heal` knows files of this name.
    const temporary = join(privateFolder(commonDir), `aside.${process.pid}.p${writes++}`)
    writeFileSync(temporary, text, { mode: 0o600, flush })
    renameSync(temporary, path)
    return path
  } catch (cause) {
    throw writeFailed(path, cause)
  }
}

/** A private text, or null when there is none. */
export async function readPrivate(commonDir: string, relative: string): Promise<string | null> {
  try {
    return readFileSync(join(privateFolder(commonDir), relative), 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}

/** Names in a private subfolder, sorted. */
export async function listPrivate(commonDir: string, relative: string): Promise<string[]> {
  const names = namesIn(join(privateFolder(commonDir), relative))
  return names.filter((name) => !name.endsWith('.tmp')).sort()
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // None yet.
  }
}

/** Removes a private file if it is there. */
export async function removePrivate(commonDir: string, relative: string): Promise<void> {
  rmSync(join(privateFolder(commonDir), relative), { force: true })
}

/** Adds one line; short appends are atomic, so concurrent writers never mix. Throws `writeFailed`. */
export async function appendPrivate(commonDir: string, relative: string, line: string): Promise<void> {
  const path = join(privateFolder(commonDir), relative)
  try {
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
    appendFileSync(path, `${isTorn(path) ? '\n' : ''}${line}\n`, { mode: 0o600 })
  } catch (cause) {
    throw writeFailed(path, cause)
  }
}

/** Who was killed while it wrote a line has left half of one, which must not take the next along. */
function isTorn(path: string): boolean {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return false // None yet, or not readable: appending says so.
  }
  try {
    const { size } = fstatSync(file)
    const last = Buffer.alloc(1)
    return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a
  } finally {
    closeSync(file)
  }
}

/** A word from outside as part of a file name: itself when it is harmless, else its digest. */
export const fileWord = (word: string): string =>
  /^[\w-]{1,100}$/.test(word) ? word : createHash('sha256').update(word).digest('hex').slice(0, 32)
