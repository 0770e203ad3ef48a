import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { sessionUnreadable } from '../../errors/session.ts'
import type { Place } from '../../types/place.ts'
import type { SessionRef } from '../../types/session.ts'
import { type Fields, fieldsOf, recordOf, textOf, timeOf } from '../fields.ts'
import { GROWTH, LONGEST_START, namesIn } from '../session-files.ts'
import { readSettings } from '../setup.ts'

/** Bytes read from the end of a session: several records, or one of common size. */
const TAIL = 16 * 1024
/** Bytes read from its beginning at first; 2.1.330 may open with 115 KB of tool schemas, a person with a log. */
const HEAD = 8 * 1024

/**
 * What a session's first and last records tell about it; null when it holds no conversation, or `isWanted` says no to
 * its directory. Throws `sessionUnreadable`.
 */
export async function readClaudeRef(
  path: string,
  isWanted: (cwd: string | null) => boolean = () => true,
): Promise<SessionRef | null> {
  return withFile(path, (file, size, mtime) => {
    const talk = atStart(file, size, firstTalk)
    if (!talk || !isWanted(talk.cwd)) return null
    const last = lastFacts(linesAt(file, Math.max(0, size - TAIL), size, size))
    const stem = basename(path, '.jsonl')
    return {
      agent: 'claude-code',
      id: UUID.test(stem) ? stem : talk.id || stem,
      path,
      cwd: talk.cwd,
      startedAt: talk.startedAt,
      updatedAt: last.time ?? mtime.toISOString(),
      bytes: size,
      ...(last.branch !== '' && last.branch !== 'HEAD' ? { branch: last.branch } : {}),
      ...(last.title !== '' ? { title: last.title } : {}),
    }
  })
}

/** The first record of a subagent's transcript, or null. Throws `sessionUnreadable`. */
const readFirstSidechain = async (path: string): Promise<Fields | null> =>
  withFile(path, (file, size) =>
    atStart(file, size, (lines) => lines.map(recordOf).find((record) => record.isSidechain === true) ?? null),
  )

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function firstTalk(lines: string[]): { id: string; cwd: string | null; startedAt: string | null } | null {
  let startedAt: string | null = null
  for (const line of lines) {
    const record = recordOf(line)
    startedAt ??= timeOf(record.timestamp)
    if (isTalk(record)) return { id: textOf(record.sessionId), cwd: textOf(record.cwd) || null, startedAt }
  }
  return null
}

/** A record that only a conversation of Claude Code has. */
const isTalk = (record: Fields): boolean =>
  (record.type === 'user' || record.type === 'assistant') &&
  typeof record.uuid === 'string' &&
  typeof record.message === 'object' &&
  // Qwen Code 0.15 has the same envelope around messages of another shape.
  !('parts' in fieldsOf(record.message))

/** Time, branch and title as they stand at the end; a name the person gave goes before a generated one. */
function lastFacts(lines: string[]): { time: string | null; branch: string; title: string } {
  let time: string | null = null
  let branch = ''
  let given = ''
  let generated = ''
  for (const line of lines.reverse()) {
    if (time !== null && branch !== '' && !line.includes('Title":')) continue
    const record = recordOf(line)
    time ??= timeOf(record.timestamp)
    branch ||= textOf(record.gitBranch)
    given ||= textOf(record.customTitle)
    generated ||= textOf(record.aiTitle)
  }
  return { time, branch, title: given || generated }
}

function withFile<T>(path: string, use: (file: number, size: number, mtime: Date) => T): T {
  try {
    const file = openSync(path, 'r')
    try {
      const { size, mtime } = fstatSync(file)
      return use(file, size, mtime)
    } finally {
      closeSync(file)
    }
  } catch (cause) {
    throw sessionUnreadable(path, cause)
  }
}

/** What `look` finds in the first lines; more of the file is read only when they do not tell. */
function atStart<T>(file: number, size: number, look: (lines: string[]) => T | null): T | null {
  for (let end = HEAD; ; end *= GROWTH) {
    const found = look(linesAt(file, 0, Math.min(size, end), size))
    if (found !== null || size <= end || end >= LONGEST_START) return found
  }
}

/** Lines of a part of a file, without those cut at its ends. */
function linesAt(file: number, from: number, to: number, size: number): string[] {
  const buffer = Buffer.allocUnsafe(to - from)
  const bytesRead = readSync(file, buffer, 0, to - from, from)
  const lines = buffer.toString('utf8', 0, bytesRead).split('\n')
  return lines.slice(from === 0 ? 0 : 1, to === size ? undefined : -1)
}

interface SubagentFile {
  /** The client's id of the subagent. */
  id: string
  path: string
  /** ISO time of its first record. */
  startedAt: string
}

/**
 * Transcripts of a session's subagents: in `<session>/subagents/` since 2.1, beside the session in 2.0, where files of
 * other sessions and warm-up requests lie among them.
 */
export async function findSubagents(ref: SessionRef): Promise<SubagentFile[]> {
  const inside = agentFiles(join(ref.path.replace(/\.jsonl$/, ''), 'subagents'), true)
  const beside = agentFiles(dirname(ref.path), false)
  const found = await Promise.all([...inside, ...beside].map((path) => readSubagent(path, ref)))
  return found.filter((file) => file !== null)
}

const agentFiles = (folder: string, deep: boolean): string[] =>
  namesIn(folder, deep)
    .filter((name) => /^agent-[^/\\]*\.jsonl$/.test(basename(name)))
    .map((name) => join(folder, name))

async function readSubagent(path: string, ref: SessionRef): Promise<SubagentFile | null> {
  if (path === ref.path) return null
  const first = await readFirstSidechain(path)
  const startedAt = timeOf(first?.timestamp)
  if (!first || startedAt === null || textOf(first.sessionId) !== ref.id) return null
  // 2.0 sends one-message requests ahead to warm the cache.
  if (fieldsOf(first.message).content === 'Warmup') return null
  return { id: textOf(first.agentId) || basename(path, '.jsonl').slice('agent-'.length), path, startedAt }
}

/**
 * The session that Claude Code holds now, from the record that it keeps of each of its processes (2.1.330): `/clear` and `--continue`
 * change it under a server that was started before. Null where `process` is none of its own.
 */
export async function claudeLiveSession(
  { home, env }: Pick<Place, 'home' | 'env'>,
  process: number,
): Promise<string | null> {
  const path = join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'sessions', `${process}.json`)
  return textOf(fieldsOf(readSettings(path)).sessionId) || null
}
