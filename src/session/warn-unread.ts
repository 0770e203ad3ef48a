import type { Repo } from '../git/open-repo.ts'
import { maskSecrets } from '../workspace/mask.ts'
import type { Invocation } from '../command.ts'

/** Paths that are named before the rest of them is only counted. */
const NAMED = 3

/** Says what git could not read and went on without: folders whose changes are missing in the brief, and files and refs that may be told wrong. */
export async function warnUnread({ out, place }: Invocation, repo: Repo | null): Promise<void> {
  if (repo === null || repo.missed.size === 0) return
  const all = await maskSecrets([...repo.missed].sort(), place.env)
  const folders = all.filter((path) => path.endsWith('/'))
  const others = all.filter((path) => !path.endsWith('/'))
  if (folders.length > 0)
    out.warn(`git could not look into ${listed(folders)}: changes in there are left out`)
  if (others.length > 0)
    out.warn(`git could not read ${listed(others)}: what hangs on that may be missing or wrong`)
}

function listed(paths: readonly string[]): string {
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : ''
  return `${paths.slice(0, NAMED).join(', ')}${more}`
}
