import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from './open-repo.ts'

export interface Worktree {
  /** Absolute top. */
  path: string
  /** Short name of its branch; null when HEAD is detached. */
  branch: string | null
}

/** Absolute tops of all worktrees of the repository, this one first; bare and prunable entries are left out. */
export async function listWorktrees(repo: Repo): Promise<string[]> {
  // The usual case needs no process: `.git` stands in the only worktree there is.
  const isOnly = repo.gitDir === join(repo.root, '.git') && repo.commonDir === repo.gitDir
  if (isOnly && !existsSync(join(repo.gitDir, 'worktrees'))) return [repo.root]
  const others = (await readWorktrees(repo)).map(({ path }) => path).filter((path) => path !== repo.root)
  return [repo.root, ...others]
}

/** All worktrees and what they have checked out; bare and prunable entries are left out. Throws `gitFailed`. */
export async function readWorktrees(repo: Repo): Promise<Worktree[]> {
  const text = await repo.git(['worktree', 'list', '--porcelain'])
  return text.split('\n\n').flatMap((block) => {
    const path = /^worktree (.+)$/m.exec(block)?.[1]
    const branch = /^branch refs\/heads\/(.+)$/m.exec(block)?.[1] ?? null
    return path === undefined || /^(?:bare$|prunable)/m.test(block) ? [] : [{ path, branch }]
  })
}
