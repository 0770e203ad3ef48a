import { closeSync, openSync, readdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import { makePrivate, privateFolder as privateIn } from '../private-folder.ts'

/** The folder itself, or something below it; both absolute. */
export function isIn(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** A branch can change it: it lies in the work tree, and not in a git directory there. */
export const isInWorkTree = (
  { root, commonDir, gitDir }: Readonly<Record<'root' | 'commonDir' | 'gitDir', string>>,
  path: string,
): boolean => isIn(root, path) && !isIn(commonDir, path) && !isIn(gitDir, path)

/** Removes a file unless it is gone already. `rmSync` would load a module of Node that removes folders. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** The same for a private file of ours at the end of what it was for: a failure changes nothing of that, and a later sweep takes it. */
export function forgetFile(path: string): void {
  orNull(() => removeFile(path))
}

/** Writes a file that must not exist yet; when that fails half-way (disk full), nothing of it stays. Throws the error. */
export function writeNew(path: string, content: string | Buffer): void {
  const file = openSync(path, 'wx')
  try {
    writeFileSync(file, content)
  } catch (error) {
    removeFile(path)
    throw error
  } finally {
    closeSync(file)
  }
}

/** Absolute path of the private folder of this worktree, for nobody else to read; made when absent. */
export function privateFolder(repo: { gitDir: string }): string {
  const folder = privateIn(repo.gitDir)
  makePrivate(repo.gitDir, folder)
  return folder
}

/** Ms after which such a file is one of a process that was killed. */
const LEFT_AFTER = 60 * 60_000

/** Removes files written aside that killed handoffs left in the private folders. */
export function sweepPrivate({ gitDir, commonDir }: { gitDir: string; commonDir: string }): void {
  for (const folder of new Set([gitDir, commonDir].map((dir) => join(dir, 'handoff'))))
    for (const name of orNull(() => readdirSync(folder)) ?? []) {
      const path = join(folder, name)
      if (!/^aside\.\d+\./.test(name)) continue
      const found = orNull(() => statSync(path))
      if (found !== null && Date.now() - found.mtimeMs > LEFT_AFTER) forgetFile(path)
    }
}
