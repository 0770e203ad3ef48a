import { writeFileSync } from 'node:fs'
import { chmod, lstat, mkdir, readFile, rename, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isHandoffError, nullIfMissing } from '../errors/handoff-error.ts'
import { settingsChanged } from '../errors/usage.ts'
import { writeFailed } from '../errors/writing.ts'
import type { Change } from './plan.ts'
import { type Bytes, equalBytes } from './text-file.ts'

/**
 * Writes what was planned, each file in one step, once every file is what it was when it was planned. Where one cannot be written, those before
 * it stay: the next run goes on from there. Throws `settingsChanged`, `writeFailed`.
 */
export async function applyChanges(changes: readonly Change[]): Promise<void> {
  for (const change of changes) await checkUnchanged(change)
  for (const change of changes) {
    // Two paths may lead to one file.
    await checkUnchanged(change)
    await applyChange(change).catch((cause: unknown) => {
      throw isHandoffError(cause) ? cause : writeFailed(change.path, cause)
    })
  }
}

async function checkUnchanged({ path, target, now, moved }: Change): Promise<void> {
  if (!equalBytes(await readOrNull(target, moved), now)) throw settingsChanged(path)
}

async function applyChange({ target, next, mode, folders, moved }: Change): Promise<void> {
  if (moved !== undefined && 'from' in moved) {
    await unlink(target).catch(nullIfMissing)
    return move(moved.from, target)
  }
  if (next === null) {
    await unlink(target)
    for (const folder of folders) if (!(await removeEmpty(folder))) return
    return
  }
  for (const folder of folders)
    await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  if (moved !== undefined) await move(target, moved.to)
  await put(target, next, mode)
}

/** Beside the target, so that the rename never crosses a file system. What a killed run has left there goes first. */
async function put(path: string, bytes: Uint8Array, mode: number | null): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.handoff.tmp`)
  await unlink(temporary).catch(nullIfMissing)
  try {
    writeFileSync(temporary, bytes, { flag: 'wx', mode: mode ?? 0o666, flush: true })
    // Not what the process takes away from new files: the mode that the old one had.
    if (mode !== null) await chmod(temporary, mode)
    await rename(temporary, path)
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw error
  }
}

/** Never over something that is there. */
async function move(from: string, to: string): Promise<void> {
  const isTaken = await lstat(to).then(
    () => true,
    () => false,
  )
  if (isTaken) throw settingsChanged(to)
  await rename(from, to)
}

/** False when it holds something, or is no folder of ours any more. */
const removeEmpty = (path: string): Promise<boolean> =>
  rmdir(path).then(
    () => true,
    () => false,
  )

/** A hook that is kept may be a link, which is not followed. */
async function readOrNull(path: string, moved: Change['moved'] = undefined): Promise<Bytes> {
  if (moved !== undefined && !(await lstat(path).catch(() => null))?.isFile()) return null
  return readFile(path).catch(nullIfMissing)
}
