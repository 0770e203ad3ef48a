import { dirname, join } from 'node:path'
import type { OnUnread } from '../../types/agent.ts'
import type { Place } from '../../types/place.ts'
import type { SessionRef } from '../../types/session.ts'
import { type Fields, fieldsOf, recordOf, textOf, timeOf } from '../fields.ts'
import { entriesIn, isWithin, readEnds, refAt, sessionsIn, textIfThere } from '../session-files.ts'

/**
 * Sessions whose working directory lies in one of `roots`, newest first. Each has a folder of its own; `COPILOT_HOME` relocates the
 * client's whole home.
 */
export async function findCopilotFiles(
  { home, env }: Pick<Place, 'home' | 'env'>,
  roots: readonly string[],
  onUnread?: OnUnread,
): Promise<SessionRef[]> {
  const folder = join(env.COPILOT_HOME || join(home, '.copilot'), 'session-state')
  const found = entriesIn(folder, onUnread)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const { cwd } = workspaceOf(join(folder, name))
      // Most sessions belong elsewhere and need no closer look.
      const path = join(folder, name, 'events.jsonl')
      return cwd === '' || isWithin(cwd, roots)
        ? refAt(path, readCopilotRef, onUnread, (head) => copilotStart(head) !== null)
        : null
    })
  return sessionsIn(found, roots)
}

/** What `workspace.yaml` beside the events says, which follows the session as it moves; empty texts without it. */
function workspaceOf(folder: string): { cwd: string; branch: string; name: string } {
  const path = join(folder, 'workspace.yaml')
  const text = textIfThere(path) ?? ''
  const value = (key: string): string => plain(new RegExp(`^${key}: +(.*)$`, 'm').exec(text)?.[1] ?? '')
  return { cwd: value('cwd'), branch: value('branch'), name: value('name') }
}

/** A YAML scalar of one line; empty for one that goes on below. */
function plain(scalar: string): string {
  if (/^[|>]/.test(scalar)) return ''
  if (/^'.*'$/.test(scalar)) return scalar.slice(1, -1).replaceAll("''", "'")
  if (!scalar.startsWith('"')) return scalar.trim()
  try {
    return textOf(JSON.parse(scalar))
  } catch {
    return '' // An escape of YAML that JSON does not have.
  }
}

/** The record a session begins with, or null when a text is not the start of one. */
export function copilotStart(head: string): Fields | null {
  const line = head.split('\n', 1)[0] ?? ''
  if (!line.startsWith('{"type":"session.start"')) return null
  const data = fieldsOf(recordOf(line).data)
  return textOf(data.sessionId) === '' ? null : data
}

/** The time stands behind what may be a long text, so a line whose beginning was cut off tells it as well. */
export const lastTimeIn = (tail: string): string | null =>
  timeOf([...tail.matchAll(/"timestamp":"([^"]+)"(?:,"parentId":(?:null|"[^"]*"))?\}$/gm)].at(-1)?.[1])

/** The reference of one file of events; null when it is none, is gone, or is a helper the client started by itself. */
export function readCopilotRef(path: string): SessionRef | null {
  const ends = readEnds(path)
  const start = ends && copilotStart(ends.head)
  if (!start || textOf(start.detachedFromSpawningParentSessionId) !== '') return null
  const { cwd, branch, name } = workspaceOf(dirname(path))
  const context = fieldsOf(start.context)
  const at = branch || textOf(context.branch)
  return {
    agent: 'copilot-cli',
    id: textOf(start.sessionId),
    path,
    cwd: cwd || textOf(context.cwd) || null,
    startedAt: timeOf(start.startTime),
    updatedAt: lastTimeIn(ends.tail) ?? ends.mtime.toISOString(),
    bytes: ends.size,
    ...(name ? { title: name } : {}),
    ...(at ? { branch: at } : {}),
  }
}
