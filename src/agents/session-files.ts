import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
} from 'node:fs'
import { dirname, sep } from 'node:path'
import { isHandoffError, isMissing } from '../errors/handoff-error.ts'
import { sessionEmpty, sessionNotUnderstood, sessionUnreadable } from '../errors/session.ts'
import type { OnUnread } from '../types/agent.ts'
import type { AgentId, SessionRef } from '../types/session.ts'
import { type Fields, recordOf, textOf, timeOf } from './fields.ts'
import { isPacked, unpackFile, unpackStart } from './packed.ts'

const codeOf = (cause: unknown): unknown => (cause instanceof Error && 'code' in cause ? cause.code : '')

/** What is not there or not ours to read is no session of this person. */
const isAbsent = (cause: unknown): boolean =>
  isMissing(cause) || codeOf(cause) === 'EACCES' || codeOf(cause) === 'EPERM'

/** Sorted names in a folder, with `deep` paths of all below; none when it is absent, or closed (`onUnread`). Throws `sessionUnreadable`. */
export const namesIn = (folder: string, onUnread?: OnUnread, deep = false): string[] =>
  listed(folder, onUnread, () => readdirSync(folder, { recursive: deep, encoding: 'utf8' }).sort())

/** The folder is a normal path, so that thousands of names need no normalising. */
export const pathsIn = (...where: Parameters<typeof namesIn>): string[] =>
  namesIn(...where).map((name) => where[0] + sep + name)

export const entriesIn = (folder: string, onUnread?: OnUnread): Dirent[] =>
  listed(folder, onUnread, () => readdirSync(folder, { withFileTypes: true }))

function listed<T>(folder: string, onUnread: OnUnread | undefined, list: () => T[]): T[] {
  try {
    return list()
  } catch (cause) {
    if (isMissing(cause)) return []
    const error = sessionUnreadable(folder, cause)
    if (!isAbsent(cause)) throw error
    tellUnread(error, folder, onUnread)
    return []
  }
}

/** Nothing is told of what is not there. What lies in a closed folder changed when that folder did, as far as we can see. */
export function tellUnread(error: Error, path: string, onUnread: OnUnread | undefined): void {
  if (isMissing(error.cause)) return
  const changed = (at: string): number | null =>
    unlessAbsent(() => statSync(at, { throwIfNoEntry: false })?.mtimeMs) ?? null
  const changedAt = changed(path) ?? changed(dirname(path))
  if (changedAt !== null) onUnread?.(error, changedAt)
}

export const isWithin = (cwd: string | null, roots: readonly string[]): boolean =>
  cwd !== null && roots.some((root) => isBelow(withDrive(cwd), withDrive(root)))

const isBelow = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

/** Editors write the drive of Windows in either case. */
const withDrive = (path: string): string =>
  path.charAt(1) === ':' ? path.charAt(0).toUpperCase() + path.slice(1) : path

/** A directory as Claude Code and Qwen Code name the folder of its sessions. */
export const dashed = (directory: string): string => directory.replace(/[^a-zA-Z0-9]/g, '-')

/** Times are compared as instants, since agents write them with and without milliseconds or with an offset. */
export const newestFirst = (a: SessionRef, b: SessionRef): number =>
  Date.parse(b.updatedAt) - Date.parse(a.updatedAt) || (keyOf(a) < keyOf(b) ? -1 : 1)

const keyOf = ({ agent, id, path }: SessionRef): string => [agent, id, path].join('\0')

export const sessionsIn = (found: readonly (SessionRef | null)[], roots: readonly string[]): SessionRef[] =>
  found
    .filter((ref) => ref !== null)
    .filter(({ cwd }) => isWithin(cwd, roots))
    .sort(newestFirst)

/** What `read` makes of a file; null where it is no session. `onUnread` hears of one that is unreadable, empty, or unknown to `isKnown`. */
export function refAt<T>(
  path: string,
  read: (path: string) => T | null,
  onUnread: OnUnread | undefined,
  isKnown: (head: string) => boolean = () => false,
): T | null {
  try {
    const ref = read(path)
    if (ref !== null) return ref
    const [head, at] = withFile(path, (file) => [
      readHead(file, WINDOW).toString('utf8'),
      file.mtime.getTime(),
    ])
    if (!isKnown(head)) onUnread?.(head.trim() === '' ? sessionEmpty(path) : sessionNotUnderstood(path), at)
  } catch (error) {
    if (!isHandoffError(error)) throw error
    tellUnread(error, path, onUnread)
  }
  return null
}

/** Whether the start of a file holds only notes of a client: at least one known record, and no other with `words`, the field of speech. */
export const onlyNotes =
  (isKnown: (record: Fields) => boolean, words: string) =>
  (head: string): boolean => {
    const records = head.split('\n').map(recordOf)
    return records.some(isKnown) && !records.some((record) => words in record && !isKnown(record))
  }

/** The sessions among the files at these paths that belong to `roots`, newest first; the others as `refAt` says. */
export const sessionsAt = (
  paths: readonly string[],
  roots: readonly string[],
  onUnread: OnUnread | undefined,
  read: (path: string) => SessionRef | null,
  isKnown?: (head: string) => boolean,
): SessionRef[] =>
  sessionsIn(
    paths.map((path) => refAt(path, read, onUnread, isKnown)),
    roots,
  )

/** What a file says of its session; what is empty, or neither a text nor a time, says nothing. */
type Told = { id: string } & { [K in 'cwd' | 'from' | 'to' | 'title' | 'branch']?: unknown }

/** A session that is one file: where nothing tells its last time, that of the last change counts. */
export function fileRef(
  agent: AgentId,
  path: string,
  { size, mtime }: Pick<SessionFile, 'size' | 'mtime'>,
  { id, cwd, from, to, ...names }: Told,
): SessionRef {
  const [title, branch] = [textOf(names.title), textOf(names.branch)]
  return {
    agent,
    id,
    path,
    cwd: textOf(cwd) || null,
    startedAt: timeOf(from),
    updatedAt: timeOf(to) ?? mtime.toISOString(),
    bytes: size,
    ...(title && { title }),
    ...(branch && { branch }),
  }
}

/** An open file of a session, one that is packed as it was before. */
export interface SessionFile {
  size: number
  mtime: Date
  at(from: number, to: number): Buffer
}

export function withFile<T>(path: string, use: (file: SessionFile) => T): T {
  try {
    // A pipe that nobody writes to is not waited for.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stat = fstatSync(file)
      // A pipe has no end to read from.
      const [size, mtime] = [stat.isFile() ? stat.size : 0, stat.mtime]
      const at: SessionFile['at'] = (from, to) => {
        const bytes = Buffer.allocUnsafe(Math.max(0, to - from))
        return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from))
      }
      return use(isPacked(path) ? packedFile(path, mtime, at) : { size, mtime, at })
    } finally {
      closeSync(file)
    }
  } catch (cause) {
    throw isHandoffError(cause) ? cause : sessionUnreadable(path, cause)
  }
}

function packedFile(path: string, mtime: Date, packed: SessionFile['at']): SessionFile {
  let all: Buffer | null = null
  const whole = (): Buffer => {
    all ??= unpackFile(path)
    return all
  }
  return {
    mtime,
    get size() {
      return whole().length
    },
    at: (from, to) =>
      from === 0 && all === null
        ? unpackStart(path, (size) => packed(0, size), to)
        : whole().subarray(from, to),
  }
}

/** Null for what is not there or not ours to read: that is no session of this person. */
export function unlessAbsent<T>(use: () => T): T | null {
  try {
    return use()
  } catch (error) {
    if (isAbsent(isHandoffError(error) ? error.cause : error)) return null
    throw error
  }
}

export const withFileIfThere = <T>(path: string, use: (file: SessionFile) => T): T | null =>
  unlessAbsent(() => withFile(path, use))

/** The whole text of a small file; null when it is absent. Throws `sessionUnreadable`. */
export const textIfThere = (path: string): string | null =>
  withFileIfThere(path, (file) => file.at(0, file.size).toString('utf8'))

/** The one value of a small JSON file; empty when it is absent. Throws `sessionUnreadable`. */
export const recordAt = (path: string): Fields => recordOf(textIfThere(path) ?? '')

/** Longest record that is waited for, in bytes: a prompt may hold a log that was pasted. No string of more than 512 MB can be had. */
export const LONGEST_LINE = 256 * 1024 * 1024
const GROWTH = 8

/** What `look` finds in the first bytes of a file, of which more are read while it finds nothing; `isAll`: there are no more. */
export function atStart<T>(
  file: SessionFile,
  least: number,
  look: (bytes: Buffer, isAll: boolean) => T | null,
): T | null {
  for (let size = least; ; size *= GROWTH) {
    const bytes = file.at(0, size)
    const isAll = bytes.length < size || size >= LONGEST_LINE
    const found = look(bytes, isAll)
    if (found !== null || isAll) return found
  }
}

/** The first `least` bytes of a file, or more until its first line is whole; a binary file has no lines. */
export const readHead = (file: SessionFile, least: number): Buffer =>
  atStart(file, least, (bytes, isAll) =>
    isAll || bytes.includes('\n') || bytes.includes(0) ? bytes : null,
  ) ?? Buffer.alloc(0)

/** The same at the end of a file, where at most `most` bytes are read. */
export function atEnd<T>(
  file: SessionFile,
  [least, most]: readonly [number, number],
  look: (bytes: Buffer, isAll: boolean) => T | null,
): T | null {
  for (let size = least; ; size *= GROWTH) {
    const from = Math.max(0, file.size - Math.min(size, most))
    const found = look(file.at(from, file.size), from === 0)
    if (found !== null || from === 0 || size >= most) return found
  }
}

/** Bytes read from each end of a session: its header, its last time and its title stand there. */
const WINDOW = 16 * 1024

/** Both ends of a file; null when it is absent. `isOneValue`: a JSON value of one line, whose first bytes do. Throws `sessionUnreadable`. */
export const readEnds = (
  path: string,
  isOneValue = false,
): { head: string; tail: string; size: number; mtime: Date } | null =>
  withFileIfThere(path, (file) => {
    const { size, mtime } = file
    const head = (isOneValue ? file.at(0, WINDOW) : readHead(file, WINDOW)).toString('utf8')
    const tail = size <= WINDOW ? head : file.at(size - WINDOW, size).toString('utf8')
    return { head, tail, size, mtime }
  })

/** The record on the first line of a file whose ends were read. */
export const firstRecord = (ends: { head: string } | null): Fields =>
  recordOf(ends?.head.split('\n', 1)[0] ?? '')

/** The times of the records in a part of a file, in its order. */
export const timesIn = (part: string, key = 'timestamp'): string[] =>
  part.split('\n').flatMap((line) => timeOf(recordOf(line)[key]) ?? [])

/** Bytes at the start of a session in which paths are looked for. */
const LOOKED_AT = 512 * 1024
/** An absolute path that is a whole value of JSON, or of JSON within a text. */
const PATH = /"(?:file:\/\/)?(\/[^"\\\n]+)\\?"/g
/** The folder in a home that an agent keeps its own files in, at the beginning of a path. */
const OWN = /^.*?\/\.[^/]+\//

/**
 * The one of `roots` that holds most of the paths a session names, for formats that do not tell their directory; null where most lie
 * elsewhere, since a session may read one file of another repository. What begins like no folder of this machine, `/api/users`, is no path,
 * and the agent's own files are nowhere.
 */
export function rootTouched(path: string, roots: readonly string[]): string | null {
  const text = withFileIfThere(path, (file) => file.at(0, LOOKED_AT).toString('utf8')) ?? ''
  // Most files name none of them, and a look at every path takes far longer.
  if (!roots.some((root) => text.includes(root))) return null
  const own = OWN.exec(path)?.[0]
  const first = new Map<string, boolean>()
  const isThere = (found: string): boolean => {
    const name = `/${found.split('/', 2)[1]}`
    if (!first.has(name)) first.set(name, existsSync(name))
    return first.get(name) === true
  }
  const paths = [...text.matchAll(PATH)]
    .map(([, found = '']) => found)
    .filter(
      (found) => isThere(found) && (own === undefined || !found.startsWith(own) || isWithin(found, roots)),
    )
  const inside = roots.map((root) => paths.filter((found) => isWithin(found, [root])).length)
  const most = Math.max(0, ...inside)
  return most * 2 > paths.length ? (roots[inside.indexOf(most)] ?? null) : null
}
