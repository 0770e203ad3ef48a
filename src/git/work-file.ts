import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blobId } from './blob-id.ts'
import type { Repo } from './open-repo.ts'
import { orNull } from './or-null.ts'

/** Files above this size in bytes are not read (RELIABILITY §4). */
const MAX_BYTES = 256 * 1024

/** Blob id of a plain file's bytes; null for everything else: links, pipes, folders, absent and oversized files. */
export function hashPlainFile(repo: Repo, path: string): string | null {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = orNull(() => openSync(join(repo.root, path), flags))
  if (file === null) return null
  try {
    const found = fstatSync(file)
    if (!found.isFile() || found.size > MAX_BYTES) return null
    return blobId(repo, readFileSync(file))
  } finally {
    closeSync(file)
  }
}
