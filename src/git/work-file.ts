import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blobId } from './blob-id.ts'
import type { Repo } from './open-repo.ts'
import { orNull } from './or-null.ts'

/** Files above this size in bytes are not read (RELIABILITY §4). */
const MAX_BYTES = 256 * 1024

/**
 * Blob id of a plain file's bytes; null for everything else: links, pipes, folders, absent and oversized files. `known`: a blob and its text, for
 * a file that holds just that; digests are dear to load.
 */
export function hashPlainFile(
  repo: Repo,
  path: string,
  known: { oid: string; text: string } | null = null,
): string | null {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = orNull(() => openSync(join(repo.root, path), flags))
  if (file === null) return null
  try {
    const found = fstatSync(file)
    if (!found.isFile() || found.size > MAX_BYTES) return null
    const bytes = readFileSync(file)
    return known !== null && bytes.equals(Buffer.from(known.text)) ? known.oid : blobId(repo, bytes)
  } finally {
    closeSync(file)
  }
}
