import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from './open-repo.ts'
import { type Ref, readRefs } from './read-refs.ts'

/** Full names of the branches that hold briefs beside the work, local and fetched ones. Throws `gitFailed`. */
export async function listApartRefs(repo: Repo): Promise<string[]> {
  if (!mayHaveAny(repo.commonDir)) return []
  return apartAmong(await readRefs(repo, ['refs/heads/handoff/', 'refs/remotes/*/handoff/**']))
}

/** The same among refs that are known already. */
export const apartAmong = (refs: readonly Ref[]): string[] =>
  refs.map(({ name }) => name).filter((name) => /^refs\/(?:heads|remotes\/[^/]+)\/handoff\//.test(name))

/** Most repositories have none, and a look at the files of git tells that sooner than a process. */
function mayHaveAny(commonDir: string): boolean {
  const has = (path: string) => existsSync(join(commonDir, path))
  if (has('reftable') || has('refs/heads/handoff')) return true
  const remotes = has('refs/remotes') ? readdirSync(join(commonDir, 'refs/remotes')) : []
  if (remotes.some((remote) => has(`refs/remotes/${remote}/handoff`))) return true
  return has('packed-refs') && readFileSync(join(commonDir, 'packed-refs')).includes('/handoff/')
}
