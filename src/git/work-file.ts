import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import type { Repo } from './open-repo.ts'

/** The id git gives these bytes as a blob. */
export function blobId(repo: Pick<Repo, 'objectFormat'>, content: Buffer | string): string {
  const bytes = Buffer.from(content)
  return createHash(repo.objectFormat).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** Files above this size in bytes are not read: no brief is that large, and a planted file must not fill the memory. */
const MAX_BYTES = 256 * 1024

/** Blob id of a plain file's bytes; null for everything else. `known`: a blob and its text, as digests take time to load. */
export function hashPlainFile(
  repo: Repo,
  path: string,
  known: { oid: string; text: string } | null = null,
): string | null {
  const file = orNull(() => openPlain(repo, path))
  return file === null ? null : hashOpen(repo, file, known)
}

/** True when this is a plain file that holds a blob. Throws what the file system says of one that cannot be read, since nobody knows then. */
export function holdsBlob(repo: Repo, path: string, oid: string): boolean {
  if (orNull(() => lstatSync(join(repo.root, path)))?.isFile() !== true) return false
  return hashOpen(repo, openPlain(repo, path), null) === oid
}

const openPlain = (repo: Repo, path: string): number =>
  openSync(join(repo.root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)

function hashOpen(repo: Repo, file: number, known: { oid: string; text: string } | null): string | null {
  try {
    const found = fstatSync(file)
    if (!found.isFile() || found.size > MAX_BYTES) return null
    const bytes = readFileSync(file)
    return known !== null && bytes.equals(Buffer.from(known.text)) ? known.oid : blobId(repo, bytes)
  } finally {
    closeSync(file)
  }
}
