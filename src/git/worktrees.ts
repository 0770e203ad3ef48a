import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from './open-repo.ts'

/** Absolute tops of all worktrees of the repository, this one first; bare and prunable entries are left out. */
export async function listWorktrees(repo: Repo): Promise<string[]> {
  // The usual case needs no process: `.git` stands in the only worktree there is.
  const isOnly = repo.gitDir === join(repo.root, '.git') && repo.commonDir === repo.gitDir
  if (isOnly && !existsSync(join(repo.gitDir, 'worktrees'))) return [repo.root]
  return parseWorktrees(await repo.git(['worktree', 'list', '--porcelain']), repo.root)
}

/** The output of `git worktree list --porcelain`. */
function parseWorktrees(text: string, root: string): string[] {
  const others = text
    .split('\n\n')
    .map((block) => block.split('\n'))
    .filter((lines) => !lines.some((line) => line === 'bare' || line.startsWith('prunable')))
    .map((lines) => lines[0]?.replace(/^worktree /, '') ?? '')
    .filter((path) => path !== '' && path !== root)
  return [root, ...others]
}
