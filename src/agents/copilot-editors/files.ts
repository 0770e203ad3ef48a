import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { orNull } from '../../errors/handoff-error.ts'
import { sessionsRemote } from '../../errors/session.ts'
import type { Adapter, OnUnread } from '../../types/agent.ts'
import type { Home } from '../../types/place.ts'
import type { SessionRef } from '../../types/session.ts'
import { copilotStart, lastTimeIn } from '../copilot-cli/files.ts'
import { fieldsOf, numberOf, recordOf, textOf, timeOf } from '../fields.ts'
import {
  entriesIn,
  fileRef,
  isWithin,
  namesIn,
  pathsIn,
  readEnds,
  refAt,
  rootTouched,
  sessionsIn,
  tellUnread,
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
  const uri = uriOf(storage)
  const cwd = folderOf(uri)
  // Most workspaces lie elsewhere and need no closer look.
  if (cwd !== null && !isWithin(cwd, roots)) {
    const isLike = !uri.startsWith('file:') && roots.some((root) => basename(root) === basename(cwd))
    if (isLike) tellUnread(sessionsRemote('GitHub Copilot in VS Code', uri), storage, onUnread)
    return []
  }
  return entriesIn(storage, onUnread)
    .filter(({ name }) => name.toLowerCase() === 'github.copilot-chat')
    .flatMap(({ name }) => pathsIn(join(storage, name, 'transcripts'), onUnread))
    .filter((path) => path.endsWith('.jsonl'))
    .map((path) => refAt(path, (one) => readVscodeRef(one, cwd ?? rootTouched(one, roots)), onUnread))
}

/** Where a workspace lies; empty where it has several folders, or none on file: a server of another machine does not write it. */
const uriOf = (storage: string): string =>
  textOf(recordOf(textIfThere(join(storage, 'workspace.json')) ?? '').folder)

/** The folder that it names, of a container the one outside of it; null where there is none. */
const folderOf = (uri: string): string | null =>
  orNull(() =>
    uri.startsWith('file:')
      ? fileURLToPath(uri)
      : (outsideOf(uri) ?? (decodeURIComponent(new URL(uri).pathname) || null)),
  )

/** Dev Containers write the folder outside in hexadecimal, alone or as `hostPath` of an object (vscli, 2026); with WSL as Windows names it. */
function outsideOf(uri: string): string | null {
  const hex = /^vscode-remote:\/\/dev-container(?:%2B|\+)([0-9a-f]+)\//i.exec(uri)?.[1]
  if (hex === undefined) return null
  const told = Buffer.from(hex, 'hex').toString('utf8')
  const path = told.startsWith('{') ? textOf(recordOf(told).hostPath) : told
  return path.replace(/^\\\\wsl[^\\]*\\[^\\]+/i, '').replaceAll('\\', '/') || null
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
  basename(dirname(path)) === 'transcripts' ? folderOf(uriOf(dirname(dirname(dirname(path))))) : null

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
