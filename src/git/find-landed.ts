import { blobId } from './blob-id.ts'
import type { CommitOutcome, CommitRequest } from './commit-files.ts'
import { readInHead } from './in-head.ts'
import { heedless, type Repo } from './open-repo.ts'
import { readHead } from './read-head.ts'

/** What is committed although something failed afterwards: the branch that is checked out holds every file as it was wanted. Throws `gitFailed`. */
export async function findLanded(repo: Repo, { ref, files }: CommitRequest): Promise<CommitOutcome | null> {
  if (ref !== undefined) return null
  const paths = files.map(({ path }) => path)
  const { commit, held } = await readInHead(heedless(repo), paths)
  const isThere = files.every(
    ({ content }, at) => held[at] === (content === null ? null : blobId(repo, content)),
  )
  if (commit === null || !isThere) return null
  const head = await readHead(repo)
  return { state: 'committed', commit, ref: head.ref, operation: null, identity: null }
}
