import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { sessionUnreadable } from '../errors.ts'
import type { SessionRef } from '../types.ts'
import { type Fields, fieldsOf, textOf, timeOf } from './fields.ts'

/** Bytes read from the end of a session: several records, or one of common size. */
const TAIL = 32 * 1024
/** Bytes read from its beginning at first, and at most: 2.1.330 may open with 115 KB of tool schemas. */
const HEAD = 16 * 1024
const LONG_HEAD = 512 * 1024

/** Whole records within the first `bytes` of a file. Throws `sessionUnreadable`. */
export const readHead = async (path: string, bytes: number): Promise<Fields[]> =>
  recordsIn(await readPart(path, (size) => [0, Math.min(size, bytes)]))

/** What a session's first and last records tell about it; null when it holds no conversation. Throws `sessionUnreadable`. */
export async function readClaudeRef(path: string): Promise<SessionRef | null> {
  let head = await readPart(path, (size) => [0, Math.min(size, HEAD)])
  if (head.size > HEAD && !recordsIn(head).some(isTalk))
    head = await readPart(path, (size) => [0, Math.min(size, LONG_HEAD)])
  const records = recordsIn(head)
  const talk = records.find(isTalk)
  if (!talk) return null
  const tail = await readPart(path, (size) => [Math.max(0, size - TAIL), size])
  const last = recordsIn(tail)
  const stem = basename(path, '.jsonl')
  const branch = textOf(last.findLast((record) => record.gitBranch)?.gitBranch)
  const title =
    textOf(last.findLast((record) => record.customTitle)?.customTitle) ||
    textOf(last.findLast((record) => record.aiTitle)?.aiTitle)
  return {
    agent: 'claude-code',
    id: UUID.test(stem) ? stem : textOf(talk.sessionId) || stem,
    path,
    cwd: textOf(records.find((record) => record.cwd)?.cwd) || null,
    startedAt: timeOf(records.find((record) => record.timestamp)?.timestamp),
    updatedAt: latest(last) ?? tail.mtime,
    bytes: tail.size,
    ...(branch !== '' && branch !== 'HEAD' ? { branch } : {}),
    ...(title !== '' ? { title } : {}),
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A record that only a conversation of Claude Code has. */
const isTalk = (record: Fields): boolean =>
  (record.type === 'user' || record.type === 'assistant') &&
  typeof record.uuid === 'string' &&
  typeof record.message === 'object'

function latest(records: Fields[]): string | null {
  // Snapshots repeat an older time, so the last record is not always the latest.
  const times = records.map((record) => timeOf(record.timestamp)).filter((time) => time !== null)
  return times.reduce<string | null>((best, time) => (best === null || time > best ? time : best), null)
}

interface Part {
  text: string
  size: number
  /** ISO time. */
  mtime: string
  whole: boolean
  fromStart: boolean
}

async function readPart(path: string, range: (size: number) => [number, number]): Promise<Part> {
  try {
    const file = await open(path, 'r')
    try {
      const { size, mtime } = await file.stat()
      const [from, to] = range(size)
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(to - from), 0, to - from, from)
      const text = buffer.toString('utf8', 0, bytesRead)
      return { text, size, mtime: mtime.toISOString(), whole: to === size, fromStart: from === 0 }
    } finally {
      await file.close()
    }
  } catch (cause) {
    throw sessionUnreadable(path, cause)
  }
}

function recordsIn(part: Part): Fields[] {
  const lines = part.text.split('\n')
  const whole = lines.slice(part.fromStart ? 0 : 1, part.whole ? undefined : -1)
  return whole.flatMap((line) => {
    try {
      return line.trim() === '' ? [] : [fieldsOf(JSON.parse(line))]
    } catch {
      // A line in the middle of being written, or of another format: the caller sees no record.
      return []
    }
  })
}
