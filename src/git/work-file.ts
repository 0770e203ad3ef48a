import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { blobId } from './blob-id.ts'
import type { Repo } from './open-repo.ts'

/** Files above this size in bytes are not read (RELIABILITY §4). */
const MAX_BYTES = 256 * 1024

/** Blob id of a plain file's bytes; null for everything else: links, pipes, folders, absent and oversized files. */
export async function hashPlainFile(repo: Repo, path: string): Promise<string | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(join(repo.root, path), flags).catch(() => null)
  if (!file) return null
  try {
    const found = await file.stat()
    if (!found.isFile() || found.size > MAX_BYTES) return null
    return blobId(repo, await file.readFile())
  } finally {
    await file.close()
  }
}
