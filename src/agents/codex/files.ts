import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { OnUnread } from '../../types/agent.ts'
import type { Home } from '../../types/config.ts'
import { type Fields, fieldsOf, recordOf, textOf, timeOf } from '../fields.ts'
import {
  atEnd,
  pathsIn,
  readHead,
  type SessionFile,
  unlessAbsent,
  withFileIfThere,
} from '../session-files.ts'

export const codexFolder = ({ home, env }: Home): string => env.CODEX_HOME || join(home, '.codex')

/** What the first bytes of a rollout tell about its thread. */
export interface Rollout {
  path: string
  /** Id of the thread; after a rewind several files share it. */
  thread: string
  /** Id of this file: the last one in its name. UUIDv7, so later ones sort later. */
  id: string
  cwd: string | null
  startedAt: string | null
  /** Started by the program, not by a person: a subagent, a review, a memory job. */
  helper: boolean
  /** Thread that started it, for a subagent. */
  parent: string | null
  /** Name of a subagent: its path in the team, else its nickname. */
  label: string | null
}

/** Bytes that hold all of that in 0.118 … 0.169: the long texts (instructions, tool lists) stand after it. */
const HEAD = 4096
/** Bytes that hold the whole header of most rollouts: instructions and tool lists have up to 100 KB. */
const META_SIZE = 64 * 1024
/** Bytes of the end in which the last record's time is looked for, and the most of them for long records. */
const TAILS = [16 * 1024, 1024 * 1024] as const
/** Bytes of the end in which the last turn is looked for. */
const LAST_TURNS = 256 * 1024
/** `rollout-<local time>-<thread id>.jsonl`, after a rewind (0.169) `…-<thread id>_<file id>.jsonl`; old ones end with `.zst`. */
const NAME = /^rollout-.*?-([\da-f]{8}-[\da-f-]{27})(?:_([\da-f]{8}-[\da-f-]{27}))?\.jsonl(?:\.zst)?$/
const META = /^\{"timestamp":"([^"]*)",(?:"ordinal":\d+,)?"type":"session_meta","payload":\{/

/** The thread a file's first bytes belong to; null when it is no rollout. */
export function rolloutOf(path: string, start: string): Rollout | null {
  const name = NAME.exec(basename(path))
  const meta = META.exec(start)
  if (!meta) return null
  // Nested texts are JSON in JSON, so their quotes are escaped: the first plain `"key":` is the header's own.
  const long = start.search(/"(?:base_instructions|dynamic_tools|instructions)":/)
  const head = long === -1 ? start : start.slice(0, long)
  const field = (key: string): string | null => {
    const found = new RegExp(`[{,]"${key}":"((?:[^"\\\\]|\\\\.)*)"`).exec(head)
    // Damaged, it is no string of JSON.
    return found ? textOf(recordOf(`{"text":"${found[1]}"}`).text) || null : null
  }
  const source = field('thread_source')
  const thread = field('id') ?? name?.[1] ?? ''
  return {
    path,
    thread,
    id: name?.[2] ?? name?.[1] ?? thread,
    cwd: field('cwd'),
    startedAt: timeOf(/"timestamp":"([^"]*)"/.exec(head.slice(meta[0].length))?.[1]) ?? timeOf(meta[1]),
    helper: (source !== null && source !== 'user') || head.includes('"source":{"subagent"'),
    parent: field('parent_thread_id'),
    label: field('agent_path') ?? field('agent_nickname'),
  }
}

const startOf = (file: SessionFile): string => file.at(0, HEAD).toString('utf8')
export const readStart = (path: string): string | null => withFileIfThere(path, startOf)

/** The first bytes of a file and, where wanted, the directory that its end tells; null for an empty file. */
export const readStartAndCwd = (
  path: string,
  isCwdWanted: boolean,
): { start: string; last: string | null } | null =>
  withFileIfThere(path, (file) => {
    const start = startOf(file)
    return start === '' ? null : { start, last: isCwdWanted ? lastCwd(file) : null }
  })

/** Payload of a file's `session_meta`, empty when its first line is something else: torn or foreign, it is read for what it holds. */
export function readMeta(path: string): Fields {
  const head = withFileIfThere(path, (file) => readHead(file, META_SIZE).toString('utf8'))
  const record = recordOf(head?.split('\n', 1)[0] ?? '')
  return record.type === 'session_meta' ? fieldsOf(record.payload) : {}
}

/** Time of the last record and size of a file; the time of its last change when no record tells one. */
export const readEnd = (path: string): { updatedAt: string; bytes: number } | null =>
  withFileIfThere(path, (file) => {
    const time = atEnd(file, TAILS, (bytes, isAll) => {
      const text = `${isAll ? '\n' : ''}${bytes.toString('latin1')}`
      const last = text.lastIndexOf('\n{"timestamp":"')
      return last === -1 ? null : (/"timestamp":"([^"]*)"/.exec(text.slice(last))?.[1] ?? null)
    })
    return { updatedAt: timeOf(time) ?? file.mtime.toISOString(), bytes: file.size }
  })

/** A thread may move to another directory. */
function lastCwd(file: SessionFile): string | null {
  const end = file.at(Math.max(0, file.size - LAST_TURNS), file.size)
  const at = end.lastIndexOf(TURN)
  if (at === -1) return null
  const cwd = /"cwd":"(?:[^"\\]|\\.)*"/.exec(end.toString('utf8', at, at + HEAD))?.[0] ?? ''
  return textOf(recordOf(`{${cwd}}`).cwd) || null
}
const TURN = '"type":"turn_context","payload":{'

export const rolloutsIn = (folder: string, onUnread?: OnUnread): string[] =>
  pathsIn(folder, onUnread).filter((path) => NAME.test(basename(path)))

/** Folders of a Codex home that hold rollouts: one per day, newest first, then the archive. */
export function rolloutFolders(home: string, onUnread?: OnUnread): string[] {
  const below = (folder: string): string[] =>
    pathsIn(folder, onUnread)
      .filter((path) => /\d$/.test(path))
      .reverse()
  return [...below(join(home, 'sessions')).flatMap(below).flatMap(below), join(home, 'archived_sessions')]
}

/** The file whose own id is `id`: beside `near`, else anywhere in the same Codex home. */
export function findRollout(near: string, id: string): string | null {
  const own = (path: string): boolean => fileId(path) === id
  const beside = rolloutsIn(dirname(near)).find(own)
  if (beside) return beside
  const home = homeOf(near)
  for (const folder of home === null ? [] : rolloutFolders(home)) {
    const found = rolloutsIn(folder).find(own)
    if (found) return found
  }
  return null
}

/** Codex home that a rollout lies in, told by the names of its folders; null when it lies somewhere else. */
export function homeOf(path: string): string | null {
  const archive = dirname(path)
  if (basename(archive) === 'archived_sessions') return dirname(archive)
  const sessions = dirname(dirname(dirname(archive)))
  return basename(sessions) === 'sessions' ? dirname(sessions) : null
}

/** Id in a file's name that is its own; empty when it is not named like a rollout. */
export function fileId(path: string): string {
  const name = NAME.exec(basename(path))
  return name?.[2] ?? name?.[1] ?? ''
}

/** Time of the last change in ms; 0 when the file is gone. */
export const changedAt = (path: string): number => unlessAbsent(() => statSync(path).mtimeMs) ?? 0
