import { lookUp } from './build-tree.ts'
import { withObjects } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { readHeadView } from './reading.ts'

/**
 * HEAD and the ids of what it has at these paths, null for what is not there. Other than a question for the path itself, which git answers
 * with "missing" when it could not read, this throws `gitFailed` then: something may be taken away that HEAD does not hold.
 */
export async function readInHead(
  repo: Repo,
  paths: readonly string[],
): Promise<{ commit: string | null; held: (string | null)[] }> {
  const view = await withObjects(repo, null, (objects) => readHeadView(objects, paths))
  return { commit: view.commit, held: paths.map((path) => lookUp(view, path)?.oid ?? null) }
}
