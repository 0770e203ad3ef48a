import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { sessionUnreadable } from '../../errors/session.ts'
import type { Adapter } from '../../types/agent.ts'
import type { Place } from '../../types/place.ts'
import type { AgentId, SessionRef } from '../../types/session.ts'
import { isAbsent } from '../absent.ts'
import { type Fields, fieldsOf, recordOf, textOf, timeOf } from '../fields.ts'
import { readHead } from '../head.ts'

/** Bytes read from each end of a session file to find its header, its last time and its name. */
const WINDOW = 16 * 1024

/**
 * Folders Pi keeps sessions in: one folder per working directory below the first kind, files side by side in the
 * second (`PI_CODING_AGENT_SESSION_DIR` and `sessionDir` of the user's settings; main.js of 0.74.2). A project's own
 * settings are not asked: a repository must not be able to bring a made-up session along.
 */
export async function piSessionFolders(
  place: Pick<Place, 'home' | 'env'>,
  roots: readonly string[],
): Promise<string[]> {
  const agent = fromHome(place.env.PI_CODING_AGENT_DIR || join(place.home, '.pi', 'agent'), place.home)
  const set = place.env.PI_CODING_AGENT_SESSION_DIR || sessionDirSetting(join(agent, 'settings.json'))
  if (!set) return [join(agent, 'sessions')]
  return [...new Set(roots.map((root) => resolve(root, fromHome(set, place.home))))]
}

/** How the names of Pi's folders begin for sessions in `roots`. */
export const piNames = (roots: readonly string[]): string[] =>
  roots.map((root) => `--${root.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}`)

export const fromHome = (path: string, home: string): string =>
  path === '~' ? home : path.startsWith('~/') ? join(home, path.slice(2)) : path

function sessionDirSetting(path: string): string {
  const text = settingsText(path)
  try {
    return textOf(fieldsOf(JSON.parse(text)).sessionDir)
  } catch {
    // Pi itself starts with its defaults when its settings are damaged.
    return ''
  }
}

function settingsText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (isAbsent(cause)) return '{}'
    throw cause
  }
}

/** Sessions of `agent` in `folder` whose header names a working directory inside one of `roots`, newest first. */
export async function findPiFiles(
  folder: string,
  roots: readonly string[],
  agent: AgentId = 'pi',
  names: readonly string[] = piNames(roots),
): Promise<SessionRef[]> {
  const refs = await Promise.all(candidates(folder, names).map(readPiRef))
  return (
    refs
      .filter((ref) => ref !== null)
      // Both may be told to use the same folder.
      .filter((ref) => ref.agent === agent)
      .filter(({ cwd }) => cwd !== null && roots.some((root) => isWithin(cwd, root)))
      .sort((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt) || (a.path < b.path ? -1 : 1))
  )
}

const isWithin = (cwd: string, root: string): boolean =>
  cwd === root || cwd.startsWith(root.endsWith(sep) ? root : root + sep)

/** The name of a folder is lossy, so it only narrows down which headers are read. */
function candidates(folder: string, names: readonly string[]): string[] {
  const files: string[] = []
  for (const entry of list(folder)) {
    const path = join(folder, entry.name)
    if (entry.isFile() && entry.name.endsWith('.jsonl')) files.push(path)
    if (!entry.isDirectory() || !names.some((name) => entry.name.startsWith(name))) continue
    for (const file of list(path))
      if (file.isFile() && file.name.endsWith('.jsonl')) files.push(join(path, file.name))
  }
  return files
}

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (cause) {
    if (isAbsent(cause)) return []
    throw sessionUnreadable(folder, cause)
  }
}

/** The reference of one session file; null when its head is no Pi header or the file is gone or not readable. */
export async function readPiRef(path: string): Promise<SessionRef | null> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    if (isAbsent(cause)) return null
    throw cause
  })
  if (!file) return null
  try {
    const { size, mtime } = await file.stat()
    const read = async (from: number): Promise<string> => {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(WINDOW), 0, WINDOW, from)
      return buffer.toString('utf8', 0, bytesRead)
    }
    const head = (await readHead(file, WINDOW)).toString('utf8')
    const found = piHeader(head)
    if (!found) return null
    const early = head.split('\n').map(recordOf)
    const late = size > WINDOW ? (await read(size - WINDOW)).split('\n').map(recordOf) : early
    const named = [...early, ...late].findLast((record) => record.type === 'session_info')
    const title = textOf(named?.name) || textOf(early[0]?.title) || textOf(found.header.title)
    const last = late.findLast((record) => timeOf(record.timestamp) !== null)
    return {
      agent: found.agent,
      id: textOf(found.header.id),
      path,
      cwd: textOf(found.header.cwd) || null,
      startedAt: timeOf(found.header.timestamp),
      updatedAt: (last && last.type !== 'session' && timeOf(last.timestamp)) || mtime.toISOString(),
      bytes: size,
      ...(title ? { title } : {}),
    }
  } finally {
    await file.close()
  }
}

/** Answers with the reference of a file when its head is one of `agent`. */
export function identifyAs(agent: AgentId): Adapter['identify'] {
  return async (path, head) => (piHeader(head)?.agent === agent ? readPiRef(path) : null)
}

/** The header in the first line, or in the second below oh-my-pi's `title` line (18.2.3). */
function piHeader(head: string): { agent: AgentId; header: Fields } | null {
  const [first, second] = head.split('\n', 2).map(recordOf)
  const titled = first?.type === 'title'
  const header = titled ? second : first
  if (header?.type !== 'session' || textOf(header.id) === '') return null
  return { agent: titled ? 'oh-my-pi' : 'pi', header }
}
