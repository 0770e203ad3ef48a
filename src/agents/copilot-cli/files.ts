import { type Dirent, readdirSync } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { sessionUnreadable } from '../../errors/session.ts'
import type { Place } from '../../types/place.ts'
import type { SessionRef } from '../../types/session.ts'
import { isAbsent } from '../absent.ts'
import { type Fields, fieldsOf, recordOf, textOf, timeOf } from '../fields.ts'
import { readHead } from '../head.ts'

/** Bytes read from each end of a session file: its first record, and the time of its last one. */
const WINDOW = 16 * 1024

/** Folder of all sessions, one folder each; `COPILOT_HOME` relocates the client's whole home. */
export const copilotSessions = ({ home, env }: Pick<Place, 'home' | 'env'>): string =>
  join(env.COPILOT_HOME || join(home, '.copilot'), 'session-state')

/** Sessions whose working directory lies in one of `roots`, newest first. */
export async function findCopilotFiles(folder: string, roots: readonly string[]): Promise<SessionRef[]> {
  const refs = await Promise.all(
    entriesIn(folder)
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) => {
        const facts = await workspaceOf(join(folder, name))
        // Most sessions belong elsewhere and need no closer look.
        if (facts.cwd !== '' && !isWithin(facts.cwd, roots)) return null
        return readCopilotRef(join(folder, name, 'events.jsonl'))
      }),
  )
  return refs
    .filter((ref) => ref !== null)
    .filter(({ cwd }) => cwd !== null && isWithin(cwd, roots))
    .sort((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt) || (a.path < b.path ? -1 : 1))
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (cause) {
    if (isAbsent(cause)) return []
    throw sessionUnreadable(folder, cause)
  }
}

const isWithin = (cwd: string, roots: readonly string[]): boolean =>
  roots.some((root) => cwd === root || cwd.startsWith(root.endsWith(sep) ? root : root + sep))

/** What `workspace.yaml` beside the events says, which follows the session as it moves; empty texts without it. */
async function workspaceOf(folder: string): Promise<{ cwd: string; branch: string; name: string }> {
  const text = await readFile(join(folder, 'workspace.yaml'), 'utf8').catch((cause: unknown) => {
    if (isAbsent(cause)) return ''
    throw sessionUnreadable(folder, cause)
  })
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

/** The reference of one file of events; null when it is none, is gone, or is a helper the client started by itself. */
export async function readCopilotRef(path: string): Promise<SessionRef | null> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    if (isAbsent(cause)) return null
    throw sessionUnreadable(path, cause)
  })
  if (!file) return null
  try {
    const { size, mtime } = await stat(path)
    const read = async (from: number): Promise<string> => {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(WINDOW), 0, WINDOW, from)
      return buffer.toString('utf8', 0, bytesRead)
    }
    const start = copilotStart((await readHead(file, WINDOW)).toString('utf8'))
    if (!start || textOf(start.detachedFromSpawningParentSessionId) !== '') return null
    const end = await read(Math.max(0, size - WINDOW))
    // The time stands behind what may be a long text, so a line whose beginning was cut off tells it as well.
    const last = [...end.matchAll(/"timestamp":"([^"]+)"(?:,"parentId":(?:null|"[^"]*"))?\}$/gm)].at(-1)?.[1]
    const { cwd, branch, name } = await workspaceOf(dirname(path))
    const context = fieldsOf(start.context)
    const at = branch || textOf(context.branch)
    return {
      agent: 'copilot-cli',
      id: textOf(start.sessionId),
      path,
      cwd: cwd || textOf(context.cwd) || null,
      startedAt: timeOf(start.startTime),
      updatedAt: timeOf(last) ?? mtime.toISOString(),
      bytes: size,
      ...(name ? { title: name } : {}),
      ...(at ? { branch: at } : {}),
    }
  } finally {
    await file.close()
  }
}
