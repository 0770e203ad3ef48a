import { createHash } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { nullIfMissing, orNull } from '../errors/handoff-error.ts'
import {
  fileMode,
  isDenied,
  makePrivate,
  privateFolder,
  refused,
  share,
  withLock,
} from '../private-folder.ts'

export { privateFolder, withLock }

/** What every hook calls, in the private folder. */
export const RUNNER = 'hook'

/** The file in it that says that the person wants no hook to speak in this clone. */
export const OFF = 'off'
export const isOff = (commonDir: string): boolean => existsSync(join(privateFolder(commonDir), OFF))

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
    makePrivate(commonDir, dirname(path))
    // `sweepPrivate` knows files of this name.
    const temporary = join(privateFolder(commonDir), `aside.${process.pid}.p${writes++}`)
    writeFileSync(temporary, text, { mode: fileMode(commonDir), flush })
    share(commonDir, temporary)
    renameSync(temporary, path)
    return path
  } catch (cause) {
    throw refused(commonDir, path, cause)
  }
}

/** A private text; null when there is none, or it belongs to another user: `openWorkspace` says so. */
export async function readPrivate(commonDir: string, relative: string): Promise<string | null> {
  try {
    return readFileSync(join(privateFolder(commonDir), relative), 'utf8')
  } catch (error) {
    return isDenied(error) ? null : nullIfMissing(error)
  }
}

/** Names in a private subfolder, sorted; none when it is not there yet. */
export async function listPrivate(commonDir: string, relative: string): Promise<string[]> {
  return orNull(() => readdirSync(join(privateFolder(commonDir), relative)).sort()) ?? []
}

/** Removes a private file; false where it is not there. Of several processes that do, one gets true. */
export async function removePrivate(commonDir: string, relative: string): Promise<boolean> {
  try {
    unlinkSync(join(privateFolder(commonDir), relative))
    return true
  } catch (error) {
    return nullIfMissing(error) ?? false
  }
}

/** JSON records in a private subfolder, a file for each name. */
export interface Records<T> {
  /** Throws `writeFailed`. */
  write(commonDir: string, name: string, record: T, options?: { flush: boolean }): Promise<string>
  /** Null when there is none that can be read. */
  read(commonDir: string, name: string): Promise<T | null>
  /** By name; what another version wrote, or somebody who was killed, is passed over. */
  list(commonDir: string): Promise<T[]>
  /** False where it is not there. */
  remove(commonDir: string, name: string): Promise<boolean>
}

/** `isSound`: whether a value that was read is such a record. */
export function openRecords<T>(folder: string, isSound: (value: Partial<T>) => boolean): Records<T> {
  const pathOf = (name: string): string => `${folder}/${name}.json`
  const read = async (commonDir: string, path: string): Promise<T | null> => {
    const text = await readPrivate(commonDir, path)
    return orNull(() => {
      const value = JSON.parse(text ?? 'null') as Partial<T> | null
      return value !== null && isSound(value) ? (value as T) : null
    })
  }
  return {
    write: (commonDir, name, record, options) =>
      writePrivate(commonDir, pathOf(name), `${JSON.stringify(record)}\n`, options),
    read: (commonDir, name) => read(commonDir, pathOf(name)),
    async list(commonDir) {
      const names = await listPrivate(commonDir, folder)
      const records = await Promise.all(names.map((name) => read(commonDir, `${folder}/${name}`)))
      return records.filter((record) => record !== null)
    },
    remove: (commonDir, name) => removePrivate(commonDir, pathOf(name)),
  }
}

/** Adds one line; short appends are atomic, so concurrent writers never mix. Throws `writeFailed`. */
export async function appendPrivate(commonDir: string, relative: string, line: string): Promise<void> {
  const path = join(privateFolder(commonDir), relative)
  try {
    makePrivate(commonDir, dirname(path))
    appendFileSync(path, `${isTorn(path) ? '\n' : ''}${line}\n`, { mode: fileMode(commonDir) })
    share(commonDir, path)
  } catch (cause) {
    throw refused(commonDir, path, cause)
  }
}

/** Who was killed while it wrote a line has left half of one, which must not take the next along. */
function isTorn(path: string): boolean {
  const file = orNull(() => openSync(path, 'r'))
  // None yet, or not readable: appending says so.
  if (file === null) return false
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
