import { chmodSync, mkdirSync, readdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { orNull } from './errors/handoff-error.ts'
import { privateDenied, writeFailed } from './errors/writing.ts'

/** The private folder in a git directory, never committed. */
export const privateFolder = (gitDir: string): string => join(gitDir, 'handoff')

/** `core.sharedRepository`: git lets the group write its folders, and new ones go to that group. */
const isShared = (gitDir: string): boolean =>
  ((orNull(() => statSync(gitDir))?.mode ?? 0) & 0o2020) === 0o2020

/** Mode of private files: for nobody else, or for the group that git shares the repository with. */
export const fileMode = (gitDir: string): number => (isShared(gitDir) ? 0o660 : 0o600)

/** Gives a private file or folder to that group, whatever the umask says. */
export function share(gitDir: string, path: string): void {
  if (!isShared(gitDir)) return
  // Another user of the group made it, and has done so.
  orNull(() => chmodSync(path, statSync(path).isDirectory() ? 0o2770 : 0o660))
}

/** Makes a folder in the private folder, or that one itself. Throws what `refused` gives, also where it is closed to us. */
export function makePrivate(gitDir: string, folder: string): void {
  try {
    // Not `recursive`, which calls a read-only disk a missing folder.
    mkdirSync(folder, 0o700)
    share(gitDir, folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') {
      const owner = ownerOfClosed(gitDir)
      if (owner !== null) throw privateDenied(privateFolder(gitDir), owner, error)
      return
    }
    if (code !== 'ENOENT' || folder === privateFolder(gitDir)) throw refused(gitDir, folder, error)
    makePrivate(gitDir, dirname(folder))
    makePrivate(gitDir, folder)
  }
}

/** The owner of a private folder that is closed to us, or null. */
export function ownerOfClosed(gitDir: string): string | null {
  const folder = privateFolder(gitDir)
  try {
    readdirSync(folder)
    return null
  } catch (error) {
    return isDenied(error) ? ownerOf(folder) : null
  }
}

export const isDenied = (error: unknown): boolean =>
  ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Why a private file could not be written. */
export function refused(gitDir: string, path: string, cause: unknown): Error {
  const folder = privateFolder(gitDir)
  const owner = isDenied(cause) ? ownerOf(folder) : null
  return owner === null ? writeFailed(path, cause) : privateDenied(folder, owner, cause)
}

/** Null where there is no such folder. */
function ownerOf(folder: string): string | null {
  const uid = orNull(() => statSync(folder).uid)
  if (uid === null) return null
  return uid === 0 ? 'root' : `user ${uid}`
}

/** Ms after which a file written aside is one of a process that was killed. */
const LEFT_AFTER = 60 * 60_000

/** Removes files written aside that killed handoffs left in the private folders. */
export function sweepPrivate({ gitDir, commonDir }: { gitDir: string; commonDir: string }): void {
  for (const folder of new Set([gitDir, commonDir].map(privateFolder)))
    for (const name of orNull(() => readdirSync(folder)) ?? []) {
      const path = join(folder, name)
      // What cannot be removed changes nothing, and a later sweep takes it.
      orNull(() => {
        if (name.startsWith('aside.') && Date.now() - statSync(path).mtimeMs > LEFT_AFTER) unlinkSync(path)
      })
    }
}

/** Ms after which a lock is that of a process that was killed: what is done under it takes a tenth. */
const STALE = 2000

/**
 * Runs `work` while no other process does the same under this name in the private folder. A hook must not wait for ever, so a stale lock is
 * taken over. Throws `writeFailed` when it cannot be, and the signal's reason.
 */
export async function withLock<T>(
  gitDir: string,
  name: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const path = join(privateFolder(gitDir), name)
  makePrivate(gitDir, dirname(path))
  for (let most = 8; !take(gitDir, path); most = Math.min(64, 2 * most)) {
    const made = orNull(() => statSync(path).mtimeMs)
    // A time to come is one of a clock that was set back since.
    if (made !== null && Math.abs(Date.now() - made) > STALE) takeOver(path)
    else await sleep(4 + Math.random() * (most - 4))
    signal?.throwIfAborted()
  }
  try {
    return await work()
  } finally {
    orNull(() => unlinkSync(path))
  }
}

function take(gitDir: string, path: string): boolean {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: fileMode(gitDir) })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Another may have taken it over. */
function takeOver(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw writeFailed(path, error)
  }
}
