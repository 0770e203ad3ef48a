import { createHash } from 'node:crypto'
import type { Repo } from './open-repo.ts'

/** The id git gives these bytes as a blob. */
export function blobId(repo: Pick<Repo, 'objectFormat'>, content: Buffer | string): string {
  const bytes = Buffer.from(content)
  return createHash(repo.objectFormat).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
