import { unlinkSync } from 'node:fs'

/** Removes a file unless it is gone already. `rmSync` would load a module of Node that removes folders. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** The same for a private file of ours at the end of what it was for: a failure changes nothing of that, and `heal` sweeps it. */
export function forgetFile(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Gone, or the disk refuses; the next heal tries again.
  }
}
