import { linkSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from './open-repo.ts'
import { orNull } from './or-null.ts'
import { isGone, ownName, parseOwner, privateFolder } from './private-folder.ts'
import { forgetFile, removeFile } from './remove-file.ts'
import { backOff } from './retry.ts'
import { writeNew } from './write-new.ts'

/** Milliseconds to wait for the others before going ahead without a place in the queue. */
const PATIENCE = 20_000

/**
 * Runs `work` while no other handoff of this worktree writes. Advisory: it only spares retries (50 creators: 7 s with
 * it, 45 s without), nothing depends on it. Throws what `work` throws, and file system errors of the git directory.
 */
export async function inQueue<T>(repo: Repo, work: () => Promise<T>): Promise<T> {
  const folder = privateFolder(repo)
  const lock = join(folder, 'queue.lock')
  const own = join(folder, ownName('queue'))
  writeNew(own, own.slice(folder.length + 1))
  try {
    const mine = statSync(own)
    const held = await takePlace(repo, own, lock)
    try {
      return await work()
    } finally {
      if (held && orNull(() => statSync(lock))?.ino === mine.ino) forgetFile(lock)
    }
  } finally {
    forgetFile(own)
  }
}

async function takePlace(repo: Repo, own: string, lock: string): Promise<boolean> {
  const end = performance.now() + PATIENCE
  for (let round = 0; performance.now() < end; round++) {
    try {
      linkSync(own, lock)
      return true
    } catch (error) {
      // A file system without hard links has no queue.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false
    }
    breakIfDead(lock)
    await backOff(Math.min(round, 3), repo.signal)
  }
  return false
}

/** Removes the lock of a queue whose holder is gone. Throws what the file system says. */
export function breakIfDead(lock: string): void {
  const found = orNull(() => ({ text: readFileSync(lock, 'utf8'), ...inodeOf(lock) }))
  if (!found) return
  const owner = parseOwner(found.text.trim())
  if (!owner || isGone(owner, Date.now() - found.mtimeMs)) removeIfSame(lock, found.ino)
}

function inodeOf(path: string): { ino: number; mtimeMs: number } {
  const { ino, mtimeMs } = statSync(path)
  return { ino, mtimeMs }
}

function removeIfSame(path: string, ino: number): void {
  if (orNull(() => statSync(path))?.ino === ino) removeFile(path)
}
