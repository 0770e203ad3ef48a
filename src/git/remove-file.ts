import { unlinkSync } from 'node:fs'

/** Removes a file unless it is gone already. `rmSync` would load a module of Node that removes folders. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
