import { linkSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from './open-repo.ts'
import { orNull } from './or-null.ts'
import { isGone, ownName, parseOwner, privateFolder } from './private-folder.ts'
import { forgetFile, removeFile } from './remove-file.ts'
import { backOff } from './retry.ts'
import { writeNew } from './write-new.ts'

/** Milliseconds to wait for one of the others before going ahead without a place in the queue: it may hang. */
const PATIENCE = 20_000
/**
 * Milliseconds to wait for all of them. On a busy machine each of many takes seconds, and whoever went ahead would be in the way of the
 * others until its tries are over.
 */
const MOST = 180_000

/**
 * Runs `work` while no other handoff of this worktree writes. Advisory: it only spares retries (50 creators: 7 s with
 * it, 45 s without), nothing depends on it. `patience`: ms with one and the same before us. Throws what `work` throws, and file system
 * errors of the git directory.
 */
export async function inQueue<T>(repo: Repo, work: () => Promise<T>, patience = PATIENCE): Promise<T> {
  const folder = privateFolder(repo)
  const lock = join(folder, 'queue.lock')
  const own = join(folder, ownName('queue'))
  writeNew(own, own.slice(folder.length + 1))
  try {
    const mine = statSync(own)
    const held = await takePlace(repo, own, lock, patience)
    try {
      return await work()
    } finally {
      if (held && orNull(() => statSync(lock))?.ino === mine.ino) forgetFile(lock)
    }
  } finally {
    forgetFile(own)
  }
}

async function takePlace(repo: Repo, own: string, lock: string, patience: number): Promise<boolean> {
  const begun = performance.now()
  let first = { name: '', since: begun }
  for (let round = 0; ; round++) {
    try {
      linkSync(own, lock)
      return true
    } catch (error) {
      // A file system without hard links has no queue.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false
    }
    breakIfDead(lock)
    const now = performance.now()
    const name = orNull(() => readFileSync(lock, 'utf8')) ?? ''
    if (name !== first.name) first = { name, since: now }
    if (now - first.since > patience || now - begun > MOST) return false
    await backOff(Math.min(round, 3), repo.signal)
  }
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
