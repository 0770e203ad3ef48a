import { closeSync, constants, lstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blobId } from './blob-id.ts'
import { entriesOf, type IndexTable } from './index-file.ts'
import type { Repo } from './open-repo.ts'
import { orNull } from './or-null.ts'
import type { Status } from './status.ts'

/** Files that are looked at: beyond that somebody changed what all of them are. */
const MOST = 500
/** Bytes of a file that are compared; a larger one is only opened. */
const MAX_BYTES = 1024 * 1024

/**
 * Git takes a file for changed when it could not read it, and says no word of it (2.39). So those that only their bytes tell from the index are
 * looked at: few, since git opens none of another size. `isAsInIndex`: one holds what the index says, so that git is to be asked again;
 * `unread`: those that cannot be read here either.
 */
export function lookAgain(
  repo: Pick<Repo, 'root' | 'objectFormat'>,
  compared: Status['compared'],
  index: IndexTable | null,
): { isAsInIndex: boolean; unread: string[] } {
  const seen = { isAsInIndex: false, unread: [] as string[] }
  for (const { path, oid } of compared.slice(0, MOST)) {
    const file = join(repo.root, path)
    const found = orNull(() => lstatSync(file))
    if (found?.isFile() !== true || !isOpened(sizeIn(index, path), found.size)) continue
    const bytes = contentOf(file, found.size)
    if (bytes === 'unread') seen.unread.push(path)
    // Line ends are a change where they were committed as they are and shall not be.
    else if (bytes !== null && !bytes.includes('\r\n') && blobId(repo, bytes) === oid) seen.isAsInIndex = true
  }
  return seen
}

const sizeIn = (index: IndexTable | null, path: string): number =>
  (index === null ? undefined : entriesOf(index, path).at(-1))?.size ?? 0

/** Git reads a file only when its size is no answer. */
const isOpened = (stored: number, size: number): boolean => stored === 0 || stored === size % 2 ** 32

/** Null: too large, or gone by now. */
function contentOf(path: string, size: number): Buffer | 'unread' | null {
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    return size > MAX_BYTES ? null : readFileSync(file)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'unread'
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
