import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { orNull } from '../../errors/handoff-error.ts'
import { sessionsRemote } from '../../errors/session.ts'
import type { Adapter, OnUnread } from '../../types/agent.ts'
import type { Home } from '../../types/config.ts'
import type { SessionRef } from '../../types/session.ts'
import { copilotStart, lastTimeIn } from '../copilot-cli/index.ts'
import { fieldsOf, jsonOf, numberOf, recordOf, textOf, timeOf } from '../fields.ts'
import {
  entriesIn,
  fileRef,
  firstRecord,
  isWithin,
  namesIn,
  pathsIn,
  readEnds,
  recordAt,
  refAt,
  rootTouched,
  sessionsIn,
  tellUnread,
  withFileIfThere,
} from '../session-files.ts'

/** Products that keep the sessions of Copilot Chat, by the folder of their user's data. */
const PRODUCTS = ['Code', 'Code - Insiders', 'VSCodium']
/** Where the part of VS Code that runs on another machine keeps them. */
const SERVERS = ['.vscode-server', '.vscode-server-insiders', '.vscodium-server', '.vscode-remote']

/** Where desktop programs keep their data, on every system. */
export const appFolders = ({ home, env }: Home): string[] => [
  env.XDG_CONFIG_HOME || join(home, '.config'),
  join(home, 'Library', 'Application Support'),
  env.APPDATA || join(home, 'AppData', 'Roaming'),
]

/** The folders of the user's data, of every system that VS Code runs on. */
export const userFolders = (place: Home): string[] => [
  ...appFolders(place).flatMap((base) => PRODUCTS.map((product) => join(base, product, 'User'))),
  ...SERVERS.map((server) => join(place.home, server, 'data', 'User')),
]

/** Sessions of the workspaces inside one of `roots`, newest first, and of windows without a folder that worked there. */
export const findVscodeSessions: Adapter['find'] = async (place, roots, onUnread) => {
  const found = userFolders(place).flatMap((folder) => {
    const storages = pathsIn(join(folder, 'workspaceStorage'), onUnread)
    const windows = pathsIn(join(folder, 'globalStorage', 'emptyWindowChatSessions'), onUnread)
    const all = [
      ...storages.flatMap((storage) => sessionsOf(storage, roots, onUnread)),
      ...chatsIn(windows, (path) => rootTouched(path, roots), onUnread),
    ]
    return oneOfEach(sessionsIn(all, roots))
  })
  return sessionsIn(found, roots)
}

/** Ms within which VS Code saves a chat that is under way: it does each minute. */
const SAVED = 120_000

/**
 * Of files with one id, the one that tells most. A chat tells more than a transcript unless VS Code did not save its last turns;
 * a chat that moved to another workspace left a copy.
 */
function oneOfEach(refs: readonly SessionRef[]): SessionRef[] {
  const byId = new Map<string, SessionRef>()
  const savedAt = ({ path }: SessionRef): number =>
    (withFileIfThere(path, ({ mtime }) => mtime.getTime()) ?? 0) + (isTranscript(path) ? 0 : SAVED)
  for (const ref of refs) {
    const other = byId.get(ref.id)
    if (other === undefined || savedAt(ref) > savedAt(other)) byId.set(ref.id, ref)
  }
  return [...byId.values()]
}

const isTranscript = (path: string): boolean => basename(dirname(path)) === 'transcripts'

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
  const folderFor = (path: string): string | null => cwd ?? rootTouched(path, roots)
  return entriesIn(storage, onUnread).flatMap(({ name }) => {
    const folder = join(storage, name)
    if (name === 'chatSessions') return chatsIn(pathsIn(folder, onUnread), folderFor, onUnread)
    if (name.toLowerCase() !== 'github.copilot-chat') return []
    return pathsIn(join(folder, 'transcripts'), onUnread)
      .filter((path) => path.endsWith('.jsonl'))
      .map((path) => refAt(path, (one) => readVscodeRef(one, folderFor(one)), onUnread))
  })
}

const chatsIn = (
  paths: readonly string[],
  folderFor: (path: string) => string | null,
  onUnread: OnUnread | undefined,
): (SessionRef | null)[] =>
  paths
    .filter((path) => /\.jsonl?$/.test(path))
    .map((path) => refAt(path, (one) => readChatRef(one, folderFor(one)), onUnread, isChat))

/** The URI of a workspace, of several folders by their file on another machine; empty where nothing tells it, as on a server. */
function uriOf(storage: string): string {
  const { folder, workspace } = recordAt(join(storage, 'workspace.json'))
  const file = textOf(workspace)
  return textOf(folder) || (file.startsWith('file:') ? '' : file.replace(/\/[^/]*$/, ''))
}

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

/** A workspace is named three folders above a transcript, and two above a chat. */
export function vscodeFolderOf(path: string): string | null {
  const above = dirname(dirname(path))
  if (isTranscript(path)) return folderOf(uriOf(dirname(above)))
  return basename(dirname(path)) === 'chatSessions' ? folderOf(uriOf(above)) : null
}

/** How a journal of a chat begins, with the whole of it, and how a chat that is one object (VS Code before 1.109). */
const JOURNAL = '{"kind":0,"v":{"'
const WHOLE =
  /^\s*\{\s*"(?:version|responderUsername|requesterUsername|initialLocation|sessionId|creationDate)":[^[\]]*"requests":\s*\[/

export const isChat = (head: string): boolean =>
  (head.startsWith(JOURNAL) && /"(?:creationDate|requests)":/.test(head)) || WHOLE.test(head)

const headOf = (path: string): string =>
  withFileIfThere(path, (file) => file.at(0, 16 * 1024).toString('utf8')) ?? ''
export const isChatFile = (path: string): boolean => isChat(headOf(path))
export const isJournal = (path: string): boolean => headOf(path).startsWith(JOURNAL)

/** A chat, which may be one line of many megabytes; null for one in which nothing was said. One of the window for agents names its folder. */
export function readChatRef(path: string, cwd: string | null): SessionRef | null {
  const ends = readEnds(path, true)
  if (!ends || !isChat(ends.head)) return null
  const { head, tail } = ends
  if (head === tail && !/"requests"\]|"requests":\s*\[\s*\{/.test(head)) return null
  const isWhole = !head.startsWith(JOURNAL)
  // Its own fields stand before its requests; VS Code writes those of one object behind them.
  const before = head.split('"requests"', 1)[0] ?? ''
  const told = (key: string): unknown => lastOf(before, key) ?? (isWhole ? lastOf(tail, key) : null)
  const renamed = isWhole ? null : (lastOf(tail, 'customTitle') ?? lastOf(head, 'customTitle'))
  return fileRef('copilot-vscode', path, ends, {
    id: textOf(told('sessionId')) || basename(path).replace(/\.jsonl?$/, ''),
    cwd: folderOf(textOf(told('workingDirectory'))) ?? cwd,
    from: told('creationDate'),
    to: told('lastMessageDate'),
    title: renamed ?? told('customTitle') ?? told('computedTitle'),
  })
}

/** The last value of a name in a piece of JSON, also where an entry of a journal sets it; null where there is none. */
const lastOf = (json: string, key: string): unknown =>
  jsonOf(
    [...json.matchAll(new RegExp(`"${key}"(?:\\],"v")?:\\s*("(?:[^"\\\\]|\\\\.)*"|\\d+)`, 'g'))].at(
      -1,
    )?.[1] ?? 'null',
  )

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
  const { type, data, timestamp } = firstRecord(ends)
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
