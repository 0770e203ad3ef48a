import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import { MAX_BLOB } from './objects.ts'
import type { Repo } from './open-repo.ts'

/** The id git gives these bytes as a blob. */
export function blobId(repo: Pick<Repo, 'objectFormat'>, content: Buffer | string): string {
  const bytes = Buffer.from(content)
  return createHash(repo.objectFormat).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** Blob id of a plain file's bytes; null for everything else, and for what cannot be read. */
export const hashPlainFile = (repo: Repo, path: string): string | null => orNull(() => hashFile(repo, path))

/** True when this is a plain file that holds a blob. Throws what the file system says of one that cannot be read, since nobody knows then. */
export const holdsBlob = (repo: Repo, path: string, oid: string): boolean =>
  orNull(() => lstatSync(join(repo.root, path)))?.isFile() === true && hashFile(repo, path) === oid

function hashFile(repo: Repo, path: string): string | null {
  const file = openSync(
    join(repo.root, path),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  )
  try {
    const found = fstatSync(file)
    return found.isFile() && found.size <= MAX_BLOB ? blobId(repo, readFileSync(file)) : null
  } finally {
    closeSync(file)
  }
}
