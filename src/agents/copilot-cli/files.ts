import { dirname, join } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import type { SessionRef } from '../../types/session.ts'
import { type Fields, fieldsOf, jsonOf, recordOf, textOf, timeOf } from '../fields.ts'
import { entriesIn, fileRef, isWithin, readEnds, refAt, sessionsIn, textIfThere } from '../session-files.ts'

/**
 * Sessions whose working directory lies in one of `roots`, newest first. Each has a folder of its own; `COPILOT_HOME` relocates the
 * client's whole home.
 */
export const findCopilotFiles: Adapter['find'] = async ({ home, env }, roots, onUnread) => {
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
  // YAML has escapes that JSON does not have.
  return textOf(jsonOf(scalar))
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
  return fileRef('copilot-cli', path, ends, {
    id: textOf(start.sessionId),
    cwd: cwd || context.cwd,
    from: start.startTime,
    to: lastTimeIn(ends.tail),
    title: name,
    branch: branch || context.branch,
  })
}
