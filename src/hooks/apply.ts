import { writeFileSync } from 'node:fs'
import { chmod, lstat, mkdir, readFile, rename, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isHandoffError, nullIfMissing } from '../errors/handoff-error.ts'
import { settingsChanged } from '../errors/usage.ts'
import { writeFailed } from '../errors/writing.ts'
import type { Change } from './plan.ts'
import { type Bytes, equalBytes } from './text-file.ts'

/**
 * Writes what was planned, each file in one step. All or nothing: when one cannot be written, those before it get their
 * bytes back. Throws `settingsChanged` for a file that is not what it was when it was planned, `writeFailed`.
 */
export async function applyChanges(changes: readonly Change[]): Promise<void> {
  const undo: (() => Promise<void>)[] = []
  for (const change of changes) {
    try {
      await applyChange(change, undo)
    } catch (cause) {
      for (const step of undo.reverse()) await step()
      throw isHandoffError(cause) ? cause : writeFailed(change.path, cause)
    }
  }
}

async function applyChange(change: Change, undo: (() => Promise<void>)[]): Promise<void> {
  const { path, target, now, next, mode, folders, moved } = change
  if (!equalBytes(await readOrNull(target, moved), now)) throw settingsChanged(path)
  if (moved !== undefined && 'from' in moved) {
    await unlink(target).catch(nullIfMissing)
    if (now !== null) undo.push(() => put(target, now, 0o755))
    await move(moved.from, target)
    undo.push(() => move(target, moved.from))
    return
  }
  if (next === null) {
    await unlink(target)
    undo.push(() => put(target, now as Uint8Array, mode))
    for (const folder of folders) {
      if (!(await removeEmpty(folder))) break
      undo.push(async () => void (await mkdir(folder)))
    }
    return
  }
  for (const folder of folders) {
    if (await makeFolder(folder)) undo.push(async () => void (await removeEmpty(folder)))
  }
  if (moved !== undefined) {
    await move(target, moved.to)
    undo.push(() => move(moved.to, target))
    await put(target, next, mode)
    undo.push(() => unlink(target))
    return
  }
  await put(target, next, mode)
  undo.push(() => (now === null ? unlink(target) : put(target, now, mode)))
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

const makeFolder = (path: string): Promise<boolean> => isDone(mkdir(path), ['EEXIST'])

/** False when it holds something, or is no folder of ours any more. */
const removeEmpty = (path: string): Promise<boolean> =>
  isDone(rmdir(path), ['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EBUSY'])

/** False for an error that says that there is nothing to do. */
const isDone = (work: Promise<unknown>, codes: readonly string[]): Promise<boolean> =>
  work.then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (codes.includes(error.code ?? '')) return false
      throw error
    },
  )

/** A hook that is kept may be a link, which is not followed. */
async function readOrNull(path: string, moved: Change['moved'] = undefined): Promise<Bytes> {
  if (moved !== undefined && !(await lstat(path).catch(() => null))?.isFile()) return null
  return readFile(path).catch(nullIfMissing)
}
