import type { Repo } from './open-repo.ts'
import { spawnGitOk } from './spawn.ts'

export interface Ref {
  /** Full name. */
  name: string
  oid: string
  /** Full name of the ref that a symbolic one names; empty for all others. */
  target: string
}

/** The refs that fit one of the patterns, by name. Throws `gitFailed`. */
export async function readRefs(repo: Repo, patterns: readonly string[]): Promise<Ref[]> {
  const args = ['for-each-ref', '--format=%(refname) %(objectname) %(symref)', ...patterns]
  return parseRefs((await spawnGitOk(args, repo.child())).toString('utf8'))
}

/** Lines of `refname objectname symref`. */
export function parseRefs(listing: string): Ref[] {
  return listing
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', oid = '', target = ''] = line.split(' ')
      return { name, oid, target }
    })
}
