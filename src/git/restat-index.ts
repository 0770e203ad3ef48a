import { createHash } from 'node:crypto'
import {
  type BigIntStats,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { entriesOf, idBytes, parseIndex } from './index-file.ts'
import type { Repo } from './open-repo.ts'
import { forgetFile, orNull, ownName, privateFolder } from './files.ts'
import { ageLike, swap } from './rewrite-index.ts'

/** Bytes of an entry before its mode, of owner and size behind it, and of the mode. */
const [BEFORE_MODE, BEHIND_MODE, MODE] = [24, 12, 4]
/** Bytes before the time of the last change. */
const MTIME = 8

/** A file just written, and what git makes of it. */
export interface WrittenFile {
  path: string
  stat: BigIntStats
  /** Blob id of its content behind the filters. */
  oid: string
}

/**
 * True when the index has another size for a file than the disk: git takes it for changed without a look. `withTime`: also when it has another
 * time, after which git looks, or when only git can read the index.
 */
export function isStale(repo: Repo, path: string, withTime = false): boolean {
  const content = orNull(() => readFileSync(repo.indexPath))
  const table = content && parseIndex(content, idBytes(repo))
  const now = orNull(() => lstatSync(join(repo.root, path)))
  if (!content || !table) return withTime
  const entry = entriesOf(table, path)[0]
  if (!entry || !now?.isFile()) return false
  if (entry.size !== now.size) return true
  return withTime && content.readUInt32BE(entry.at + MTIME) !== Math.floor(now.mtimeMs / 1000)
}

/** Nobody wrote to it since it was written. */
export function isStill(repo: Repo, { path, stat }: WrittenFile): boolean {
  const now = orNull(() => lstatSync(join(repo.root, path), { bigint: true }))
  return now !== null && isSame(now, stat)
}

/**
 * Puts times, inode and size of a work-tree file into its index entry, without a process. True when done; false when only
 * git can do it, when the entry holds another blob, and when somebody wrote to the file since. Throws `Busy` when the
 * index is locked or was changed meanwhile.
 */
export function restatEntry(repo: Repo, file: WrittenFile): boolean {
  const index = orNull(() => realpathSync(repo.indexPath))
  const before = index === null ? null : orNull(() => lstatSync(index, { bigint: true }))
  if (index === null || before === null) return false
  const copy = join(privateFolder(repo), ownName('index'))
  try {
    copyFileSync(index, copy, constants.COPYFILE_FICLONE)
    const done = restat(repo, copy, file, before.mtimeNs)
    if (done === null) return false
    if (done.isDoubted) ageLike(copy, before)
    swap(copy, index, before)
    return true
  } finally {
    forgetFile(copy)
  }
}

/** `isDoubted`: other entries are as young as the index, which must not look younger then, so that git goes on doubting them. */
function restat(
  repo: Repo,
  copy: string,
  { path, stat, oid }: WrittenFile,
  indexTime: bigint,
): { isDoubted: boolean } | null {
  const content = readFileSync(copy)
  const end = content.length - idBytes(repo)
  const table = parseIndex(content, idBytes(repo))
  if (table === null) return null
  const [entry] = entriesOf(table, path)
  if (entry?.mode !== '100644' || entry.oid !== oid || !entry.isPlain) return null
  // With `index.skipHash` there are zeros in place of a checksum; git then writes the index.
  if (!checksum(repo, content, end).equals(content.subarray(end))) return null
  const now = orNull(() => lstatSync(join(repo.root, path), { bigint: true }))
  if (now === null || !isSame(now, stat) || (now.mode & 0o111n) !== 0n) return null
  const words = (values: bigint[]) => {
    const bytes = Buffer.alloc(values.length * 4)
    for (const [at, value] of values.entries()) bytes.writeUInt32BE(Number(value & 0xffffffffn), at * 4)
    return bytes
  }
  const times = [now.ctimeNs, now.mtimeNs].flatMap((ns) => [ns / 1_000_000_000n, ns % 1_000_000_000n])
  words([...times, now.dev, now.ino]).copy(content, entry.at)
  words([now.uid, now.gid, now.size]).copy(content, entry.at + BEFORE_MODE + MODE)
  checksum(repo, content, end).copy(content, end)
  const file = openSync(copy, 'r+')
  try {
    writeSync(file, content, entry.at, BEFORE_MODE + MODE + BEHIND_MODE, entry.at)
    writeSync(file, content, end, content.length - end, end)
    // As git does with our configuration (`core.fsync`).
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  const mtime = (at: number) =>
    BigInt(content.readUInt32BE(at + 8)) * 1_000_000_000n + BigInt(content.readUInt32BE(at + 12))
  return { isDoubted: table.entries.some((at) => at !== entry.at && mtime(at) >= indexTime) }
}

const checksum = (repo: Repo, content: Buffer, end: number): Buffer =>
  createHash(repo.objectFormat).update(content.subarray(0, end)).digest()

/** Nobody wrote to it since; a rename changes the time of the inode alone. */
const isSame = (a: BigIntStats, b: BigIntStats): boolean =>
  a.isFile() && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs
