import { gitFailed } from '../errors/git.ts'
import { type IndexTable, readIndexFile } from './index-file.ts'
import { lookAgain } from './look-again.ts'
import type { Repo } from './open-repo.ts'
import { hasCommits, readHead } from './read-head.ts'
import { spawnGit } from './spawn.ts'
import { parseStatus, type Status } from './status.ts'

/**
 * The status with every untracked file, or of these paths alone, byte for byte. Where a filter's program is missing (LFS not
 * installed), git itself gives up; then the files are compared as they are. `index`: where it is read anyway. Git is asked
 * twice where it could not read HEAD or a file; one that nobody can read is noted in `repo.missed`. Throws `gitFailed`, also for HEAD.
 */
export async function readStatus(
  repo: Repo,
  withoutFilters: readonly string[] = [],
  paths: readonly string[] = [],
  index: () => Promise<IndexTable | null> = () => readIndexFile(repo),
): Promise<Status> {
  const ask = () => statusOf(repo, withoutFilters, paths)
  const look = async ({ compared }: Status) =>
    compared.length === 0 ? null : lookAgain(repo, compared, await index())
  const first = await ask()
  const isLost = await isBlind(repo, first)
  const seen = isLost ? null : await look(first)
  const isRight = !isLost && seen?.isAsInIndex !== true
  const status = isRight ? first : await ask()
  if (isLost && (await isBlind(repo, status))) throw gitFailed(['status'], 'HEAD cannot be read')
  for (const path of (isRight ? seen : await look(status))?.unread ?? []) repo.missed.add(path)
  return status
}

/** Of a HEAD that cannot be read git says that it is unknown, or that nothing was committed yet, and ends with 0. */
async function isBlind(repo: Repo, { head, branch }: Status): Promise<boolean> {
  if (branch === '(unknown)') return (await readHead(repo)).ref !== 'refs/heads/(unknown)'
  return head === null && (await hasCommits(repo))
}

async function statusOf(
  repo: Repo,
  withoutFilters: readonly string[],
  paths: readonly string[],
): Promise<Status> {
  const args = ['status', '--porcelain=v2', '-z', '--branch', '--untracked-files=all', '--find-renames']
  if (paths.length > 0) args.push('--', ...paths)
  try {
    if (withoutFilters.length > 0) return parseStatus(await repo.git(args, { withoutFilters }))
    const { code, stdout, stderr } = await spawnGit(args, repo.child())
    if (code !== 0) throw gitFailed(args, stderr || `exit ${code ?? 'by a signal'}`)
    return parseStatus(stdout.toString('utf8'))
  } catch (error) {
    const name =
      error instanceof Error ? /clean filter '([^'=\n]+)' failed/.exec(error.message)?.[1] : undefined
    if (name === undefined || withoutFilters.includes(name)) throw error
    return statusOf(repo, [...withoutFilters, name], paths)
  }
}
