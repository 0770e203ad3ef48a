import { blobId } from './blob-id.ts'
import type { CommitOutcome, CommitRequest } from './commit-files.ts'
import { checkObjects } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { readHead } from './read-head.ts'

/** What is committed although something failed afterwards: the branch that is checked out holds every file as it was wanted. */
export async function findLanded(repo: Repo, { ref, files }: CommitRequest): Promise<CommitOutcome | null> {
  if (ref !== undefined) return null
  const [commit, ...held] = await checkObjects(
    repo,
    ['HEAD^{commit}', ...files.map(({ path }) => `HEAD:${path}`)],
    { signal: undefined },
  )
  const isThere = files.every(
    ({ content }, at) => (held[at]?.oid ?? null) === (content === null ? null : blobId(repo, content)),
  )
  if (!commit || !isThere) return null
  const head = await readHead(repo)
  return { state: 'committed', commit: commit.oid, ref: head.ref, operation: null, identity: null }
}
