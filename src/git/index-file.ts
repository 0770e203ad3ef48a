import { readFileSync, statSync } from 'node:fs'
import type { Repo } from './open-repo.ts'
import { orNull } from './files.ts'
import { firstFrom, pathAt, type PathTable } from './path-set.ts'

/** An index file laid out: its paths, and where the entry of each begins. What an entry says is read when it is asked for. */
export interface IndexTable extends PathTable {
  /** Offsets in bytes. */
  entries: Uint32Array
  /** Bytes of an object id. */
  width: number
}

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

/** Bytes; above it only git reads it. */
const MAX_BYTES = 512 * 1024 * 1024
/** Bytes before the id: times, device, inode, mode, owner, size. */
const STAT = 40
/** A path is as long as the flags say, unless they say so much or more. */
const LONG = 0xfff

/**
 * An index file (default: the user's), read without a process. Null when only git can tell: version 4, a split or sparse
 * index, anything unknown. An absent file holds nothing.
 */
export async function readIndexFile(
  repo: Pick<Repo, 'indexPath' | 'objectFormat'>,
  file: string = repo.indexPath,
): Promise<IndexTable | null> {
  const found = orNull(() => statSync(file))
  if (!found) return emptyTable(idBytes(repo))
  if (!found.isFile() || found.size > MAX_BYTES) return null
  return parseIndex(readFileSync(file), idBytes(repo))
}

/** Length in bytes of an object id, and of the checksum at the end of an index. */
export const idBytes = (repo: Pick<Repo, 'objectFormat'>): number =>
  repo.objectFormat === 'sha256' ? 32 : 20

/** Lays out an index of version 2 or 3 without required extensions (gitformat-index, git 2.39); null for every other. */
export function parseIndex(content: Buffer, width: number): IndexTable | null {
  if (content.length < 12 + width || content.toString('latin1', 0, 4) !== 'DIRC') return null
  const version = content.readUInt32BE(4)
  const count = content.readUInt32BE(8)
  if ((version !== 2 && version !== 3) || count > content.length / (STAT + width)) return null
  const end = content.length - width
  const [entries, starts, ends] = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)]
  let at = 12
  for (let number = 0; number < count; number++) {
    const flagsAt = at + STAT + width
    if (flagsAt + 4 > end) return null
    const flags = ((content[flagsAt] ?? 0) << 8) | (content[flagsAt + 1] ?? 0)
    const start = flagsAt + ((flags & 0x4000) === 0 ? 2 : 4)
    const length = flags & LONG
    const stop = length < LONG ? start + length : content.indexOf(0, start)
    if (stop >= end || content[stop] !== 0) return null
    entries[number] = at
    starts[number] = start
    ends[number] = stop
    // Padded with one to eight zeros to a multiple of eight.
    at += (stop - at + 8) & ~7
  }
  return hasOnlyOptional(content, at, end) ? { content, entries, starts, ends, width } : null
}

/** The entries of a path: mostly one, up to three in a conflict. */
export function entriesOf(table: IndexTable, path: string): StoredEntry[] {
  const found: StoredEntry[] = []
  for (let number = firstFrom(table, Buffer.from(path)); number < table.entries.length; number++) {
    const entry = entryAt(table, number)
    if (entry.path !== path) break
    found.push(entry)
  }
  return found
}

/** What the entry of this number says. */
export function entryAt(table: IndexTable, number: number): StoredEntry {
  const { content, width } = table
  const at = table.entries[number] ?? 0
  const flagsAt = at + STAT + width
  const flags = content.readUInt16BE(flagsAt)
  return {
    path: pathAt(table, number),
    mode: content.readUInt32BE(at + 24).toString(8),
    oid: content.toString('hex', at + STAT, flagsAt),
    size: content.readUInt32BE(at + STAT - 4),
    stage: (flags >> 12) & 3,
    at,
    isPlain: flags >> 12 === 0,
  }
}

const emptyTable = (width: number): IndexTable => {
  const none = new Uint32Array()
  return { content: Buffer.alloc(0), entries: none, starts: none, ends: none, width }
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
