import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Place } from '../../types/place.ts'

/**
 * The one SQLite file in which OpenCode 1.18 keeps the sessions of all projects, absolute: `OPENCODE_DB`, or below
 * `XDG_DATA_HOME`.
 */
export const databasePath = ({ home, env }: Pick<Place, 'home' | 'env'>): string =>
  resolve(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'opencode', env.OPENCODE_DB || 'opencode.db')

/**
 * When something was last written into the database, in ms since 1970; null when there is none. Every write goes to the log
 * beside it first; the file itself also changes when OpenCode is merely started.
 */
export async function lastWrite(path: string): Promise<number | null> {
  const [file, log] = [sizeAndTime(path), sizeAndTime(`${path}-wal`)]
  if (file === null) return null
  return log !== null && log.size > 0 ? log.mtimeMs : file.mtimeMs
}

function sizeAndTime(path: string): { size: number; mtimeMs: number } | null {
  try {
    return statSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}

/** One session of many in a file: stands where other agents have the path of a transcript. */
export const sessionPath = (database: string, id: string): string => `${database}#${id}`

/** Null for the path of an export. */
export function splitSessionPath(path: string): { database: string; id: string } | null {
  const match = /^(.+)#(ses_\w+)$/s.exec(path)
  return match ? { database: match[1] ?? '', id: match[2] ?? '' } : null
}
