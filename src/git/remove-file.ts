import { unlinkSync } from 'node:fs'

/**
 * Removes a file unless it is gone already. What the disk refuses once it may allow the next time, and a lock that stays is worse than a
 * second try. `rmSync` would load a module of Node that removes folders.
 */
export function removeFile(path: string, tries = 2): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    if (tries === 1) throw error
    removeFile(path, tries - 1)
  }
}

/** The same for a private file of ours at the end of what it was for: a failure changes nothing of that, and `heal` sweeps it. */
export function forgetFile(path: string): void {
  try {
    removeFile(path)
  } catch {
    // The next heal tries again.
  }
}
