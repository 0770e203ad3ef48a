import { link, readFile, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repo } from './open-repo.ts'
import { isGone, ownName, parseOwner, privateFolder } from './private-folder.ts'
import { backOff } from './retry.ts'
import { writeNew } from './write-new.ts'

/** Milliseconds to wait for the others before going ahead without a place in the queue. */
const PATIENCE = 20_000

/**
 * Runs `work` while no other handoff of this worktree writes. Advisory: it only spares retries (50 creators: 7 s with
 * it, 45 s without), nothing depends on it. Throws what `work` throws, and file system errors of the git directory.
 */
export async function inQueue<T>(repo: Repo, work: () => Promise<T>): Promise<T> {
  const folder = await privateFolder(repo)
  const lock = join(folder, 'queue.lock')
  const own = join(folder, ownName('queue'))
  await writeNew(own, own.slice(folder.length + 1))
  try {
    const mine = await stat(own)
    const held = await takePlace(repo, own, lock)
    try {
      return await work()
    } finally {
      if (held) await removeIfSame(lock, mine.ino)
    }
  } finally {
    await unlink(own)
  }
}

async function takePlace(repo: Repo, own: string, lock: string): Promise<boolean> {
  const end = Date.now() + PATIENCE
  for (let round = 0; Date.now() < end; round++) {
    try {
      await link(own, lock)
      return true
    } catch (error) {
      // A file system without hard links has no queue.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false
    }
    await breakIfDead(lock)
    await backOff(Math.min(round, 3), repo.signal)
  }
  return false
}

async function breakIfDead(lock: string): Promise<void> {
  const found = await Promise.all([readFile(lock, 'utf8'), stat(lock)]).catch(() => null)
  if (!found) return
  const [text, { ino, mtimeMs }] = found
  const owner = parseOwner(text.trim())
  if (!owner || isGone(owner, Date.now() - mtimeMs)) await removeIfSame(lock, ino)
}

async function removeIfSame(path: string, ino: number): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (found?.ino === ino) await unlink(path).catch(ignoreAbsent)
}

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
