import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gitFailed } from '../errors/git.ts'
import type { Repo } from './open-repo.ts'
import { spawnGit } from './spawn.ts'

/** What HEAD names: the full name of a branch, born or not, or `HEAD` itself when detached. */
export async function readHead(repo: Repo): Promise<{ ref: string; text: string }> {
  const { ref, text } = readHeadFile(repo)
  if (ref !== undefined) return { ref, text }
  const named = await repo.git(['symbolic-ref', '-q', 'HEAD'], { answers: [1] })
  return { ref: named.trim() || 'HEAD', text }
}

/** The same without asking git; no `ref` where HEAD is detached, or refs are stored otherwise. Throws what the file system says. */
export function readHeadFile({ gitDir }: Pick<Repo, 'gitDir'>): { ref?: string; text: string } {
  const text = readFileSync(join(gitDir, 'HEAD'), 'utf8')
  const ref = /^ref: (refs\/heads\/.+)\n$/.exec(text)?.[1]
  // Other ref storages keep a file there that only says so.
  return ref === undefined || ref === 'refs/heads/.invalid' ? { text } : { ref, text }
}

/** The name of a branch as people say it; null for `HEAD` and everything else that is no branch. */
export const branchName = (ref: string): string | null =>
  ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null

/** False before the first commit of the current branch. Throws `gitFailed` when git cannot tell; rejects with the signal's reason. */
export async function hasCommits(repo: Repo): Promise<boolean> {
  const args = ['rev-parse', '-q', '--verify', 'HEAD^{commit}']
  const { code, stderr } = await spawnGit(args, repo.child())
  // 1 means that there is none.
  if (code !== 0 && code !== 1) throw gitFailed(args, stderr || `exit ${code ?? 'by a signal'}`)
  return code === 0
}
