import type { Repo } from './open-repo.ts'
import { parseRaw } from './read-history.ts'
import { spawnGit } from './spawn.ts'

/** The commit that brought a file, and the bytes it brought. */
export interface FirstAdded {
  commit: string
  /** Empty where history begins there, or a shallow clone ends. */
  parents: string[]
  oid: string
}

/** The walk ends at the first commit that is older, and clocks of other machines are wrong: a week. */
const SLACK_MS = 7 * 86_400_000

/**
 * The commit of `tips` (full ids or refs, or `--all`) that added a file, or null. The walk ends at `after` when that is known,
 * else at commits well before `made` (ISO 8601), so that a long history is not read.
 */
export async function firstAdded(
  repo: Repo,
  path: string,
  { tips, after, made }: { tips: readonly string[]; after: string | null; made: string },
): Promise<FirstAdded | null> {
  const start = Date.parse(made)
  const args = [
    ...['log', '-1', '-z', '--diff-filter=A', '--raw', '--no-abbrev', '--no-renames', '--format=%H %P'],
    ...(Number.isNaN(start) ? [] : [`--since=${new Date(start - SLACK_MS).toISOString()}`]),
    ...tips,
    ...(after === null ? [] : [`^${after}`]),
  ]
  const { code, stdout } = await spawnGit([...args, '--', path], repo.child())
  if (code !== 0) return null
  const [told = '', raw = ''] = stdout.toString('utf8').split('\0')
  const [commit, ...parents] = told.trim().split(' ')
  const added = parseRaw(raw.trimStart())
  return commit === undefined || commit === '' || added === null ? null : { commit, parents, oid: added.oid }
}
