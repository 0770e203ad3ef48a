import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Adapter, OnUnread } from '../../types/agent.ts'
import type { SessionRef } from '../../types/session.ts'
import { type Fields, fieldsOf, recordOf, textOf } from '../fields.ts'
import { type Side, sidesIn } from '../merge-by-time.ts'
import {
  fileRef,
  isWithin,
  namesIn,
  onlyNotes,
  pathsIn,
  readEnds,
  refAt,
  sessionsIn,
  unlessAbsent,
} from '../session-files.ts'

/**
 * Sessions inside one of `roots`, newest first. `.project_root` of a folder tells the directory (0.61.0), its hash in older clients.
 * The client deletes a session in which nothing was said.
 */
export const findGeminiFiles: Adapter['find'] = async ({ home, env }, roots, onUnread) => {
  const projects = join(env.GEMINI_CLI_HOME || home, '.gemini', 'tmp')
  const hashed = (name: string) =>
    roots.find((root) => name === createHash('sha256').update(root).digest('hex'))
  const found = namesIn(projects, onUnread).flatMap((name) => {
    const root = rootOf(join(projects, name)) ?? hashed(name)
    const chats = join(projects, name, 'chats')
    return root !== undefined && isWithin(root, roots) ? inFolder(chats, root, onUnread) : []
  })
  const largest = new Map<string, SessionRef>()
  for (const ref of found) {
    const other = largest.get(ref.id)
    // A resumed session has a second file with nothing but a header.
    if (!other || other.bytes < ref.bytes) largest.set(ref.id, ref)
  }
  return sessionsIn([...largest.values()], roots)
}

function inFolder(folder: string, root: string, onUnread: OnUnread | undefined): SessionRef[] {
  const files = pathsIn(folder, onUnread).filter((path) => /^session-.*\.jsonl$/.test(basename(path)))
  const spoken = (path: string) => {
    const found = readGemini(path)
    return found?.isSpoken ? { ...found.ref, cwd: root } : null
  }
  return files.flatMap((path) => refAt(path, spoken, onUnread, onlyNotes(isNote, 'content')) ?? [])
}

/** The start directory of a project's folder, in the client's own words. */
function rootOf(folder: string): string | undefined {
  const path = join(folder, '.project_root')
  return unlessAbsent(() => readFileSync(path, 'utf8').trim()) || undefined
}

/** The reference of one session file; null when its head is no header of Gemini CLI or the file is gone or not readable. */
export function readGeminiRef(path: string): SessionRef | null {
  const found = readGemini(path)
  if (!found) return null
  const cwd = rootOf(dirname(dirname(path))) ?? found.ref.cwd
  return { ...found.ref, cwd }
}

/** `isSpoken`: it holds more than what the client says by itself at a start. */
function readGemini(path: string): { ref: SessionRef; isSpoken: boolean } | null {
  const ends = readEnds(path)
  const header = ends && geminiHeader(ends.head)
  if (!ends || !header) return null
  const { head, tail } = ends
  const titled = `${head}\n${tail}`.match(/^\{"\$set":\{"summary":"(?:[^"\\]|\\.)*"\}\}$/gm)?.at(-1) ?? ''
  const last = [...tail.matchAll(/^\{"\$set":\{.*"lastUpdated":"([^"\\]+)"\}\}$/gm)].at(-1)?.[1]
  const ref = fileRef('gemini-cli', path, ends, {
    id: textOf(header.sessionId),
    cwd: workspaceIn(head),
    from: header.startTime,
    to: last,
    title: fieldsOf(recordOf(titled).$set).summary,
  })
  // Both are the same text where the file is short.
  return { ref, isSpoken: head !== tail || SPOKEN.test(head) }
}

/** The header, and what the client says by itself. */
const isNote = ({ sessionId, $set, type }: Fields): boolean =>
  sessionId !== undefined || $set !== undefined || /^(?:user|info|warning|error)$/.test(textOf(type))

/** A message that is neither the opening context nor the output of a hook alone. */
const SPOKEN =
  /^\{"id":"[^"]+","timestamp":"[^"]+","type":"(?:gemini|user","content":\[\{"text":"(?!<session_context>|<hook_context>(?:[^<]|<(?!\/hook_context>))*<\/hook_context>"\}\]))/m

export function geminiHeader(head: string): Fields | null {
  const [first = ''] = head.split('\n', 1)
  if (!first.startsWith('{"sessionId":')) return null
  const header = recordOf(first)
  return textOf(header.sessionId) !== '' && textOf(header.projectHash) !== '' ? header : null
}

/** The start directory as the client tells its model: the first one of the workspace. */
function workspaceIn(head: string): string | null {
  const told = /Workspace Directories:\*\*\\n {2}- ((?:[^"\\]|\\[^n])+)\\n/.exec(head)?.[1]
  const listed = /^\{"sessionId":.*"directories":\["((?:[^"\\]|\\.)+)"/.exec(head)?.[1]
  const path = told ?? listed
  return path === undefined ? null : textOf(recordOf(`{"path":"${path}"}`).path) || null
}

/** Files of the subagents of a session: a folder beside it with the session's id for a name. */
export function geminiSubagents({ path, id }: Pick<SessionRef, 'path' | 'id'>): Side[] {
  if (basename(id) !== id || id === '..' || id === '.') return []
  const begun = (file: string): string | null => {
    const found = readGemini(file)
    return found && (found.ref.startedAt ?? found.ref.updatedAt)
  }
  return sidesIn(join(dirname(path), id), /^(.*)\.jsonl$/, begun)
}

/** Tokens a model takes, as the client itself counts on it (core/tokenLimits.js of 0.61.0); null for models of others. */
export function geminiWindow(model: string): number | null {
  if (model.startsWith('gemma-4')) return 256_000
  return model.startsWith('gemini-') ? 1_048_576 : null
}
