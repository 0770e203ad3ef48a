import { gitFailed } from '../errors.ts'
import type { Repo } from './open-repo.ts'
import { hasCommits, readHead } from './read-head.ts'
import { spawnGit } from './spawn.ts'
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

/** What git says of a folder that it leaves out, before it ends with 0 (git 2.39). */
const NOT_OPENED = /^warning: could not open directory '(.*)': /gm

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
    const unread = [...stderr.matchAll(NOT_OPENED)].map(([, folder = '']) => folder)
    return { ...parseStatus(stdout.toString('utf8')), ...(unread.length === 0 ? {} : { unread }) }
  } catch (error) {
    const name =
      error instanceof Error ? /clean filter '([^'=\n]+)' failed/.exec(error.message)?.[1] : undefined
    if (name === undefined || withoutFilters.includes(name)) throw error
    return statusOf(repo, [...withoutFilters, name], paths)
  }
}
