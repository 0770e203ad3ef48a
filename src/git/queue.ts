import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import { forgetFile, privateFolder } from './files.ts'
import type { Repo } from './open-repo.ts'
import { backOff } from './retry.ts'

/** Ms after which a place in the queue is that of a process that was killed: a commit takes a tenth. */
const STALE = 2000

/**
 * Runs `work` while no other handoff of this worktree writes. Advisory: it only spares retries (50 creators: 7 s with it, 45 s without),
 * nothing depends on it. Throws what `work` throws, and file system errors of the git directory.
 */
export async function inQueue<T>(repo: Repo, work: () => Promise<T>): Promise<T> {
  const lock = join(privateFolder(repo), 'queue.lock')
  for (let round = 0; !take(lock); round++) {
    const made = orNull(() => statSync(lock).mtimeMs)
    // A time to come is one of a clock that was set back since.
    if (made !== null && Math.abs(Date.now() - made) > STALE) forgetFile(lock)
    else await backOff(Math.min(round, 3), repo.signal)
  }
  try {
    return await work()
  } finally {
    forgetFile(lock)
  }
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, '', { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
