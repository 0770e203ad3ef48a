import type { Repo } from './open-repo.ts'
import { isPartial, readChanged } from './read-named.ts'
import { readSince } from './read-since.ts'
import { spawnGit } from './spawn.ts'

/** How HEAD stands to the commit a brief was made at; handoff's own files count for nothing. */
export interface Drift {
  /** Commits that HEAD has more, and those it lacks and that were not rewritten; at most 1,000 of both are counted. */
  commits: number
  lacking: number
  /** Files that differ between the two, relative to the root, in code-unit order; `gone` are not in HEAD any more. */
  changed: string[]
  gone: string[]
  /** Old path → new path. */
  renamed: ReadonlyMap<string, string>
}

/** Counting further would tell nothing more. */
const MOST = 1000
/** Files on one side whose contents are compared to find renames; a session's start does not wait for more. */
const RENAMES = 50
/** Elsewhere paths are taken as they are; here one is a pattern of ours. */
const ENV = { env: { GIT_LITERAL_PATHSPECS: '0' } }
const OURS = ['--', '.', ':(exclude).handoff']

/** What HEAD lacks and has not as another commit either. */
async function countLacking(repo: Repo, head: string): Promise<number> {
  const since = await readSince(repo, head, 'HEAD')
  return since?.lacking.filter(({ isRewritten }) => !isRewritten).length ?? 0
}

/** Null when the commit `head` (a full object id) is not in this clone, or nothing is committed here. Rejects on abort. */
export async function readDrift(repo: Repo, head: string): Promise<Drift | null> {
  const range = ['--end-of-options', `${head}...HEAD`]
  const [counted, differing] = await Promise.all([
    spawnGit(
      ['rev-list', '--count', '--left-right', `--max-count=${MOST}`, ...range, ...OURS],
      repo.child(ENV),
    ),
    readChanged(repo, head, 'HEAD', isPartial(repo) ? 'exact' : RENAMES),
  ])
  if (counted.code !== 0 || differing === null) return null
  const [behind = 0, commits = 0] = counted.stdout.toString('utf8').trim().split('\t').map(Number)
  const lacking = behind === 0 ? 0 : await countLacking(repo, head)
  const { changed, added, gone, renamed } = differing
  return { commits, lacking, changed: [...changed, ...added], gone, renamed }
}
