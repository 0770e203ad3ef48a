import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { orNull } from '../../errors/handoff-error.ts'
import type { Adapter, OnUnread } from '../../types/agent.ts'
import type { Home } from '../../types/place.ts'
import type { SessionRef } from '../../types/session.ts'
import { copilotStart, lastTimeIn } from '../copilot-cli/files.ts'
import { fieldsOf, numberOf, recordOf, textOf, timeOf } from '../fields.ts'
import { rootTouched } from '../root-touched.ts'
import {
  entriesIn,
  fileRef,
  isWithin,
  namesIn,
  pathsIn,
  readEnds,
  refAt,
  sessionsIn,
  textIfThere,
  withFileIfThere,
} from '../session-files.ts'

/** Products that keep the sessions of Copilot Chat, by the folder of their user's data. */
const PRODUCTS = ['Code', 'Code - Insiders', 'VSCodium']
/** Where the part of VS Code that runs on another machine keeps them. */
const SERVERS = ['.vscode-server', '.vscode-server-insiders', '.vscodium-server', '.vscode-remote']

/** The folders of the user's data, of every system that VS Code runs on. */
export const userFolders = ({ home, env }: Home): string[] => [
  ...[
    env.XDG_CONFIG_HOME || join(home, '.config'),
    join(home, 'Library', 'Application Support'),
    env.APPDATA || join(home, 'AppData', 'Roaming'),
  ].flatMap((base) => PRODUCTS.map((product) => join(base, product, 'User'))),
  ...SERVERS.map((server) => join(home, server, 'data', 'User')),
]

/** Sessions of the workspaces inside one of `roots`, newest first. */
export const findVscodeSessions: Adapter['find'] = async (place, roots, onUnread) => {
  const storages = userFolders(place).flatMap((folder) => pathsIn(join(folder, 'workspaceStorage'), onUnread))
  return sessionsIn(
    storages.flatMap((storage) => sessionsOf(storage, roots, onUnread)),
    roots,
  )
}

function sessionsOf(
  storage: string,
  roots: readonly string[],
  onUnread: OnUnread | undefined,
): (SessionRef | null)[] {
  const cwd = folderOf(storage)
  // Most workspaces lie elsewhere and need no closer look.
  if (cwd !== null && !isWithin(cwd, roots)) return []
  return entriesIn(storage, onUnread)
    .filter(({ name }) => name.toLowerCase() === 'github.copilot-chat')
    .flatMap(({ name }) => pathsIn(join(storage, name, 'transcripts'), onUnread))
    .filter((path) => path.endsWith('.jsonl'))
    .map((path) => refAt(path, (one) => readVscodeRef(one, cwd ?? rootTouched(one, roots)), onUnread))
}

/** The folder of a workspace; null where it has several, or none on file: a server of another machine does not write it. */
function folderOf(storage: string): string | null {
  const path = join(storage, 'workspace.json')
  const text = textIfThere(path) ?? ''
  const uri = textOf(recordOf(text).folder)
  return orNull(() =>
    uri.startsWith('file:') ? fileURLToPath(uri) : decodeURIComponent(new URL(uri).pathname) || null,
  )
}

/** A file of VS Code begins like one of Copilot CLI, with the version of the editor besides. */
export function readVscodeRef(path: string, folder: string | null): SessionRef | null {
  const ends = readEnds(path)
  const start = ends && copilotStart(ends.head)
  if (!start || textOf(start.vscodeVersion) === '') return null
  return fileRef('copilot-vscode', path, ends, {
    id: textOf(start.sessionId),
    cwd: folder ?? fieldsOf(start.context).cwd,
    from: start.startTime,
    to: lastTimeIn(ends.tail),
  })
}

/** Where a transcript lies, its workspace is named three folders above. */
export const vscodeFolderOf = (path: string): string | null =>
  basename(dirname(path)) === 'transcripts' ? folderOf(dirname(dirname(dirname(path)))) : null

/** Sessions that name files inside one of `roots`, newest first: no record of JetBrains tells the directory. */
export const findJetbrainsSessions: Adapter['find'] = async ({ home, env }, roots, onUnread) => {
  const folder = join(env.COPILOT_HOME || join(home, '.copilot'), 'jb')
  const found = namesIn(folder, onUnread).map((name) => {
    const path = join(folder, name, 'partition-1.jsonl')
    const first = partitionsOf(path)[0] ?? path
    return refAt(first, (one) => readJetbrainsRef(one, rootTouched(one, roots)), onUnread)
  })
  return sessionsIn(found, roots)
}

const PARTITION = /^partition-(\d+)\.jsonl$/
const numberIn = (path: string): number => Number(PARTITION.exec(basename(path))?.[1])

/** The files of one session that hold anything, in their order; a file of another name is one of its own. */
export function partitionsOf(path: string): string[] {
  if (!PARTITION.test(basename(path))) return [path]
  return pathsIn(dirname(path))
    .filter((one) => PARTITION.test(basename(one)))
    .filter((one) => (withFileIfThere(one, ({ size }) => size) ?? 0) > 0)
    .sort((a, b) => numberIn(a) - numberIn(b))
}

/** A file without its first record is told by its name (a report of June 2026). */
export function readJetbrainsRef(path: string, cwd: string | null = null): SessionRef | null {
  const ends = readEnds(path)
  const { type, data, timestamp } = recordOf(ends?.head.split('\n', 1)[0] ?? '')
  const isHere = PARTITION.test(basename(path)) && textOf(type).startsWith('user.message')
  if (!ends || (type !== 'partition.created' && !isHere)) return null
  const { conversationId, createdAt } = fieldsOf(data)
  const all = partitionsOf(path).map((one) => readEnds(one))
  const { tail, mtime } = all.at(-1) ?? ends
  const size = all.reduce((sum, one) => sum + (one?.size ?? 0), 0)
  return fileRef(
    'copilot-jetbrains',
    path,
    { size, mtime },
    {
      id: textOf(conversationId) || basename(dirname(path)),
      cwd,
      from: timeOf(numberOf(createdAt)) ?? timestamp,
      to: lastTimeIn(tail),
    },
  )
}
