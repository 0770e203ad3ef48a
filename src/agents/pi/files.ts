import { join, resolve } from 'node:path'
import type { Adapter, OnUnread } from '../../types/agent.ts'
import type { Home } from '../../types/config.ts'
import type { AgentId, SessionRef } from '../../types/session.ts'
import { type Fields, fieldsOf, recordOf, textOf, timeOf } from '../fields.ts'
import { entriesIn, fileRef, readEnds, refAt, sessionsIn } from '../session-files.ts'
import { readSettings } from '../setup.ts'

export const piFolder = ({ home, env }: Home): string => env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent')

/**
 * A folder per working directory, or `PI_CODING_AGENT_SESSION_DIR` and the user's `sessionDir` with files side by side (main.js of 0.74.2).
 * A project's settings are not asked: a repository must not bring a made-up session.
 */
export function piSessionFolders(place: Home, roots: readonly string[]): string[] {
  const agent = fromHome(piFolder(place), place.home)
  const set =
    place.env.PI_CODING_AGENT_SESSION_DIR ||
    // Pi itself starts with its defaults when its settings are damaged.
    textOf(fieldsOf(readSettings(join(agent, 'settings.json'))).sessionDir)
  if (!set) return [join(agent, 'sessions')]
  return [...new Set(roots.map((root) => resolve(root, fromHome(set, place.home))))]
}

export const piNames = (roots: readonly string[]): string[] =>
  roots.map((root) => `--${root.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}`)

export const fromHome = (path: string, home: string): string =>
  path === '~' ? home : path.startsWith('~/') ? join(home, path.slice(2)) : path

/** Sessions of `agent` in `folders` whose header names a working directory inside one of `roots`, newest first. */
export const findPiFiles = (
  folders: readonly string[],
  roots: readonly string[],
  agent: AgentId,
  names: readonly string[],
  onUnread?: OnUnread,
): SessionRef[] => {
  const found = folders
    .flatMap((folder) => candidates(folder, names, onUnread))
    .map((path) => refAt(path, readPiRef, onUnread))
  // Both agents may be told to use the same folder.
  return sessionsIn(
    found.filter((ref) => ref?.agent === agent),
    roots,
  )
}

/** The name of a folder is lossy, so it only narrows down which headers are read. */
function candidates(folder: string, names: readonly string[], onUnread: OnUnread | undefined): string[] {
  const files: string[] = []
  for (const entry of entriesIn(folder, onUnread)) {
    const path = join(folder, entry.name)
    if (entry.isFile() && entry.name.endsWith('.jsonl')) files.push(path)
    if (!entry.isDirectory() || !names.some((name) => entry.name.startsWith(name))) continue
    for (const file of entriesIn(path, onUnread))
      if (file.isFile() && file.name.endsWith('.jsonl')) files.push(join(path, file.name))
  }
  return files
}

/** The reference of one session file; null when its head is no Pi header or the file is gone or not readable. */
export function readPiRef(path: string): SessionRef | null {
  const ends = readEnds(path)
  const found = ends && piHeader(path, ends.head)
  if (!found) return null
  const early = ends.head.split('\n').map(recordOf)
  const late = ends.tail.split('\n').map(recordOf)
  const named = [...early, ...late].findLast((record) => record.type === 'session_info')
  const last = late.findLast((record) => timeOf(record.timestamp) !== null)
  const { agent, header } = found
  return fileRef(agent, path, ends, {
    id: textOf(header.id),
    cwd: header.cwd,
    from: header.timestamp,
    to: last?.type === 'session' ? null : last?.timestamp,
    title: textOf(named?.name) || textOf(early[0]?.title) || header.title,
  })
}

export function identifyAs(agent: AgentId): Adapter['identify'] {
  return async (path, head) => (piHeader(path, head)?.agent === agent ? readPiRef(path) : null)
}

/** A folder of oh-my-pi. */
const OMP = /[/\\]\.?omp[/\\]/

/** The header in the first line, or in the second below a `title` line of oh-my-pi: 17.4 writes none, 18.2.3 does. */
function piHeader(path: string, head: string): { agent: AgentId; header: Fields } | null {
  const [first, second] = head.split('\n', 2).map(recordOf)
  const titled = first?.type === 'title'
  const header = titled ? second : first
  if (header?.type !== 'session' || textOf(header.id) === '') return null
  return { agent: titled || OMP.test(path) ? 'oh-my-pi' : 'pi', header }
}
