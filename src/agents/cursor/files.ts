import { basename, dirname, join } from 'node:path'
import type { Adapter, OnUnread } from '../../types/agent.ts'
import type { SessionRef } from '../../types/session.ts'
import { partTexts } from '../content.ts'
import { fieldsOf, recordOf, textOf } from '../fields.ts'
import {
  fileRef,
  isWithin,
  namesIn,
  pathsIn,
  readEnds,
  refAt,
  sessionsIn,
  withFileIfThere,
} from '../session-files.ts'
import { promptTime } from './words.ts'

const TRANSCRIPTS = 'agent-transcripts'
/** Where the name of a project is cut off; a hash follows. */
const LONGEST = 84

/** A directory as Cursor names the folder of a project (the CLI of October 2026). Other directories may have the same name. */
const named = (directory: string): string =>
  ofDrive(directory.replace(/[^a-zA-Z0-9]+/g, '-').replace(/^-|-$/g, ''))
/** The drive of Windows stands in the name in either case. */
const ofDrive = (name: string): string => name.replace(/^[A-Z]-/, (drive) => drive.toLowerCase())

/** Sessions of the workspaces inside one of `roots`, newest first. */
export const findCursorSessions: Adapter['find'] = async ({ home, env }, roots, onUnread) => {
  const folder = join(env.CURSOR_DATA_DIR || join(home, '.cursor'), 'projects')
  const found = namesIn(folder, onUnread).flatMap((name) => {
    const near = roots.filter((root) => isNear(ofDrive(name), named(root)))
    return near.length === 0 ? [] : sessionsOf(join(folder, name), near, onUnread)
  })
  return sessionsIn(found, roots)
}

const isNear = (name: string, root: string): boolean =>
  name === root || name.startsWith(`${root.slice(0, LONGEST)}-`)

function sessionsOf(
  project: string,
  roots: readonly string[],
  onUnread: OnUnread | undefined,
): (SessionRef | null)[] {
  const stated = workspaceOf(project)
  if (stated !== null && !isWithin(stated, roots)) return []
  const alike = roots.find((root) => named(root) === ofDrive(basename(project))) ?? null
  const folder = join(project, TRANSCRIPTS)
  return namesIn(folder, onUnread).map((name) =>
    refAt(
      join(folder, name.endsWith('.jsonl') ? name : join(name, `${name}.jsonl`)),
      (path) => readCursorRef(path, stated, alike),
      onUnread,
    ),
  )
}

/** The workspace of a project, as the file of its trust or its log says; null where neither is there. */
function workspaceOf(project: string): string | null {
  const read = (name: string): string =>
    withFileIfThere(join(project, name), (file) => file.at(0, 64 * 1024).toString('utf8')) ?? ''
  const stated = textOf(recordOf(read('.workspace-trusted')).workspacePath)
  return stated || (/workspacePath=(.*)$/m.exec(read('worker.log'))?.[1]?.trim() ?? '') || null
}

const RAN_IN = /"working_directory":"(\/[^"\\]*)"/g

/**
 * The reference of one file; null when it is none, or is empty. `alike`: the directory it belongs to unless a command of it ran in
 * another one of the same name.
 */
export function readCursorRef(
  path: string,
  stated: string | null = null,
  alike: string | null = null,
): SessionRef | null {
  const ends = readEnds(path)
  const first = recordOf(ends?.head.split('\n', 1)[0] ?? '')
  const isOurs = /^(?:user|assistant)$/.test(textOf(first.role)) && 'content' in fieldsOf(first.message)
  if (!ends || !isOurs || 'type' in first || 'uuid' in first) return null
  const project = projectOf(path)
  const ran = [...ends.head.matchAll(RAN_IN)].map(([, directory = '']) => directory)
  const own = ran.find((directory) => project === null || named(directory) === ofDrive(basename(project)))
  return fileRef('cursor', path, ends, {
    id: basename(path, '.jsonl'),
    cwd: stated ?? (project && workspaceOf(project)) ?? own ?? alike ?? ran[0],
    from: promptTime(partTexts(fieldsOf(first.message).content).join('\n')),
  })
}

/** The folder of the project in which a transcript lies, in a folder of its own or not; null elsewhere. */
function projectOf(path: string): string | null {
  const folder = [dirname(path), dirname(dirname(path))].find((one) => basename(one) === TRANSCRIPTS)
  return folder === undefined ? null : dirname(folder)
}

/** The files of the subagents of a session, with the time of their last change: they tell no other. */
export function cursorSubagents(path: string): { path: string; label: string; startedAt: string }[] {
  const sides = basename(dirname(path)) === TRANSCRIPTS ? [] : pathsIn(join(dirname(path), 'subagents'))
  return sides
    .filter((side) => side.endsWith('.jsonl'))
    .flatMap((side) => {
      const changed = withFileIfThere(side, ({ mtime }) => mtime)
      return changed === null
        ? []
        : [{ path: side, label: basename(side, '.jsonl'), startedAt: changed.toISOString() }]
    })
}
