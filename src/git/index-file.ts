import { readFileSync, statSync } from 'node:fs'
import type { Repo } from './open-repo.ts'
import { orNull } from './or-null.ts'

/** One entry of an index file. */
export interface StoredEntry {
  path: string
  /** Octal, as `git ls-files -s` prints it. */
  mode: string
  oid: string
  /** Bytes of the file when git looked at it last, modulo 2^32; 0 also where it must look again. */
  size: number
  /** 0, or 1 to 3 in a conflict. */
  stage: number
  /** Offset in bytes where the entry begins. */
  at: number
  /** No bit says that git is to treat the entry in another way than by its file. */
  isPlain: boolean
}

/** Above this size in bytes git in another process is faster than a loop that was never compiled. */
const MAX_BYTES = 1024 * 1024
/** Bytes before the id: times, device, inode, mode, owner, size. */
const STAT = 40

/**
 * The entries of an index file (default: the user's), read without a process. Null when only git can tell: a large file,
 * version 4, a split or sparse index, anything unknown. An absent file holds nothing.
 */
export async function readIndexFile(
  repo: Pick<Repo, 'indexPath' | 'objectFormat'>,
  file: string = repo.indexPath,
): Promise<StoredEntry[] | null> {
  const found = orNull(() => statSync(file))
  if (!found) return []
  if (!found.isFile() || found.size > MAX_BYTES) return null
  return parseIndex(readFileSync(file), idBytes(repo))
}

/** Length in bytes of an object id, and of the checksum at the end of an index. */
export const idBytes = (repo: Pick<Repo, 'objectFormat'>): number =>
  repo.objectFormat === 'sha256' ? 32 : 20

/** Reads an index of version 2 or 3 without required extensions (gitformat-index, git 2.39); null for every other. */
export function parseIndex(content: Buffer, width: number): StoredEntry[] | null {
  if (content.length < 12 + width || content.toString('latin1', 0, 4) !== 'DIRC') return null
  const version = content.readUInt32BE(4)
  if (version !== 2 && version !== 3) return null
  const end = content.length - width
  const entries: StoredEntry[] = []
  let at = 12
  for (let left = content.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + STAT + width
    if (flagsAt + 4 > end) return null
    const flags = content.readUInt16BE(flagsAt)
    const isExtended = (flags & 0x4000) !== 0
    const start = flagsAt + (isExtended ? 4 : 2)
    const stop = content.indexOf(0, start)
    if (stop === -1 || stop >= end) return null
    entries.push({
      path: content.toString('utf8', start, stop),
      mode: content.readUInt32BE(at + 24).toString(8),
      oid: content.toString('hex', at + STAT, flagsAt),
      size: content.readUInt32BE(at + STAT - 4),
      stage: (flags >> 12) & 3,
      at,
      isPlain: flags >> 12 === 0,
    })
    // Padded with one to eight zeros to a multiple of eight.
    at += (stop - at + 8) & ~7
  }
  return hasOnlyOptional(content, at, end) ? entries : null
}

/** Extensions that begin with a capital may be passed over; the others change what the entries mean. */
function hasOnlyOptional(content: Buffer, start: number, end: number): boolean {
  let at = start
  while (at + 8 <= end) {
    const first = content[at] ?? 0
    if (first < 0x41 || first > 0x5a) return false
    at += 8 + content.readUInt32BE(at + 4)
  }
  return at === end
}
