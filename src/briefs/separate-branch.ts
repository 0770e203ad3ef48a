import type { BriefBlob } from '../git/brief-path.ts'
import { withObjects } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { listSeparateRefs, readSeparateBriefs, workBranch } from '../git/separate-branch.ts'

/**
 * The briefs that are kept beside a branch, here or on origin, each path once, newest id first. `apart`: the full name of
 * the ref. Throws `gitFailed`.
 */
export async function apartOfBranch(
  repo: Repo,
  branch: string | null,
): Promise<(BriefBlob & { apart: string })[]> {
  const refs = (await listSeparateRefs(repo)).filter(
    (ref) => branch !== null && workBranch(ref) === branch && /^refs\/(?:heads|remotes\/origin)\//.test(ref),
  )
  if (refs.length === 0) return []
  const found = await withObjects(repo, null, (objects) => readSeparateBriefs(objects, refs.sort()))
  const seen = new Set<string>()
  return found.filter(({ path }) => !seen.has(path) && seen.add(path))
}
