import { constants, type Dirent, readdirSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { sep } from 'node:path'
import { sessionUnreadable } from '../errors/session.ts'
import type { SessionRef } from '../types/session.ts'
import { type Fields, recordOf } from './fields.ts'

/** What is not there or not ours to read is no session of this person. */
export function isAbsent(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : ''
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'EPERM'
}

/** Names in a folder, sorted, with `deep` as paths of all that lies below it; none when it is absent. Throws `sessionUnreadable`. */
export const namesIn = (folder: string, deep = false): string[] =>
  listed(folder, () => readdirSync(folder, { recursive: deep, encoding: 'utf8' }).sort())

/** The same with what each entry is. */
export const entriesIn = (folder: string): Dirent[] =>
  listed(folder, () => readdirSync(folder, { withFileTypes: true }))

function listed<T>(folder: string, list: () => T[]): T[] {
  try {
    return list()
  } catch (cause) {
    if (isAbsent(cause)) return []
    throw sessionUnreadable(folder, cause)
  }
}

/** Whether a directory is one of `roots` or lies below one. */
export const isWithin = (cwd: string | null, roots: readonly string[]): boolean =>
  cwd !== null && roots.some((root) => cwd === root || cwd.startsWith(root.endsWith(sep) ? root : root + sep))

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Times are compared as instants, since agents write them with and without milliseconds or with an offset. */
export const newestFirst = (a: SessionRef, b: SessionRef): number =>
  Date.parse(b.updatedAt) - Date.parse(a.updatedAt) ||
  order(a.agent, b.agent) ||
  order(a.id, b.id) ||
  order(a.path, b.path)

/** Longest first record that is waited for, in bytes: a prompt may hold a log that was pasted. */
export const LONGEST_START = 256 * 1024 * 1024
/** How much more is read each time that it does not do. */
export const GROWTH = 8

/** The first `least` bytes of a file, or more until its first line is whole. */
export async function readHead(file: FileHandle, least: number): Promise<Buffer> {
  for (let size = least; ; size *= GROWTH) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(size), 0, size, 0)
    const head = buffer.subarray(0, bytesRead)
    // A binary file has no lines.
    if (bytesRead < size || size >= LONGEST_START || head.includes('\n') || head.includes(0)) return head
  }
}

/** Bytes read from each end of a session: its header, its last time and its title stand there. */
const WINDOW = 16 * 1024

/** Both ends of a file, the same text where it is short; null when it is absent. Throws `sessionUnreadable`. */
export async function readEnds(
  path: string,
): Promise<{ head: string; tail: string; size: number; mtime: Date } | null> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    if (isAbsent(cause)) return null
    throw sessionUnreadable(path, cause)
  })
  if (!file) return null
  try {
    const { size, mtime } = await file.stat()
    const head = (await readHead(file, WINDOW)).toString('utf8')
    if (size <= WINDOW) return { head, tail: head, size, mtime }
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(WINDOW), 0, WINDOW, size - WINDOW)
    return { head, tail: buffer.toString('utf8', 0, bytesRead), size, mtime }
  } finally {
    await file.close()
  }
}

/** Bytes read at once, and at most, from the end of a file: what is asked for is among the last few records. */
const BLOCK = 256 * 1024
const MAX_BYTES = 4 * 1024 * 1024

/**
 * What `pick` makes of the last record it wants, read backwards from the end of a file of JSON lines. `mark` stands in every line
 * it could want, so that most lines are never parsed. Null when there is none, or no such file; a torn line is passed over.
 */
export async function lastRecord<T>(
  path: string,
  mark: string,
  pick: (record: Fields) => T | null,
): Promise<T | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      // A session whose agent has not written yet.
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
      throw error
    },
  )
  if (file === null) return null
  try {
    const stat = await file.stat()
    // Nothing to wait for: a pipe has no end to read from.
    const size = stat.isFile() ? stat.size : 0
    let rest: Buffer = Buffer.alloc(0)
    for (let end = size; end > Math.max(0, size - MAX_BYTES); ) {
      const start = Math.max(0, end - BLOCK)
      const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
      const block = Buffer.concat([buffer.subarray(0, bytesRead), rest])
      // The first line may have begun before this block.
      const from = start === 0 ? 0 : block.indexOf('\n') + 1
      const lines = block.toString('utf8', from).split('\n')
      for (const line of lines.reverse()) {
        const found = line.includes(mark) ? pick(recordOf(line)) : null
        if (found !== null) return found
      }
      rest = from === 0 && start > 0 ? block : block.subarray(0, from)
      end = start
    }
    return null
  } finally {
    await file.close()
  }
}
