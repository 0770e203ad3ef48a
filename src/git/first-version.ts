import { readBlobs } from './objects.ts'
import type { Repo } from './open-repo.ts'

/** A file as the commit had it that brought it last; null for one that no commit brought. Throws `gitFailed`. */
export async function firstVersion(repo: Repo, path: string): Promise<Buffer | null> {
  const log = ['log', '-1', '--diff-filter=A', '--no-renames', '--raw', '--no-abbrev', '--format=']
  // Without a commit there is no log.
  const told = await repo.git([...log, 'HEAD', '--', path]).catch(() => '')
  const [, oid = ''] = /^:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) A\t/.exec(told) ?? []
  return (await readBlobs(repo, [oid])).get(oid) ?? null
}
