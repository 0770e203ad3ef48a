import { gitFailed } from '../errors.ts'
import type { Repo } from './open-repo.ts'
import { hasCommits, readHead } from './read-head.ts'
import { spawnGitOk } from './spawn.ts'
import { parseStatus, type Status } from './status.ts'

/**
 * The status with every untracked file, or of these paths alone, byte for byte. Where a filter's program is missing (LFS not
 * installed), git itself gives up; then the files are compared as they are. Throws `gitFailed`, also when git could not read HEAD.
 */
export async function readStatus(
  repo: Repo,
  withoutFilters: readonly string[] = [],
  paths: readonly string[] = [],
): Promise<Status> {
  const status = await statusOf(repo, withoutFilters, paths)
  if (!(await isBlind(repo, status))) return status
  const again = await statusOf(repo, withoutFilters, paths)
  if (await isBlind(repo, again)) throw gitFailed(['status'], 'HEAD cannot be read')
  return again
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
    return parseStatus(
      withoutFilters.length === 0
        ? (await spawnGitOk(args, repo.child())).toString('utf8')
        : await repo.git(args, { withoutFilters }),
    )
  } catch (error) {
    const name =
      error instanceof Error ? /clean filter '([^'=\n]+)' failed/.exec(error.message)?.[1] : undefined
    if (name === undefined || withoutFilters.includes(name)) throw error
    return statusOf(repo, [...withoutFilters, name], paths)
  }
}
