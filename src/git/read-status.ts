import type { Repo } from './open-repo.ts'
import { spawnGitOk } from './spawn.ts'
import { parseStatus, type Status } from './status.ts'

/**
 * The status with every untracked file, or of these paths alone, byte for byte. Where a filter's program is missing (LFS not
 * installed), git itself gives up; then the files are compared as they are. Throws `gitFailed`.
 */
export async function readStatus(
  repo: Repo,
  withoutFilters: readonly string[] = [],
  paths: readonly string[] = [],
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
    return readStatus(repo, [...withoutFilters, name], paths)
  }
}
