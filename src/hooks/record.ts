import { createHash } from 'node:crypto'
import { orNull } from '../errors/handoff-error.ts'
import type { SetupEdit } from '../types/agent.ts'
import type { Bytes } from './text-file.ts'

/** Sha-256 in hex; null for no file. */
export const digestOf = (bytes: Bytes): string | null =>
  bytes === null ? null : createHash('sha256').update(bytes).digest('hex')

/** Name of the private file that holds the record. */
export const SETUP_RECORD = 'init.json'

/** What `init` keeps privately of one file, so that it can be put back byte for byte. */
export interface FileRecord {
  /** What stood there before. */
  before: Bytes
  /** Sha-256 of what was written; null when nothing was left to write. */
  after: string | null
  /** Folders that were made for it, absolute, outermost first; null when another clone made it and nobody knows. */
  folders: string[] | null
  edits: OwnedEdit[]
}

/** An edit and for whom it was made: agents by id, or `repository`. */
export interface OwnedEdit {
  owners: string[]
  edit: SetupEdit
}

/** Everything that `init` did in this clone and its worktrees. */
export interface SetupRecord {
  /** By absolute path. */
  files: Record<string, FileRecord>
  /** What was asked for and holds for later runs: `git-hooks=<manager>`. */
  marks: string[]
}

/** Reads what `renderRecord` wrote; null for what a later version wrote, or what is damaged: then our parts are known by their shape alone. */
export function parseRecord(text: string | null): SetupRecord | null {
  if (text === null) return { files: {}, marks: [] }
  return orNull(() => {
    const { schemaVersion, marks, files } = JSON.parse(text) as {
      schemaVersion: number
      marks: string[]
      files: Record<string, Omit<FileRecord, 'before'> & { before: string | null }>
    }
    if (schemaVersion !== 1) return null
    const read = Object.entries(files).map(([path, { before, ...rest }]) => [
      path,
      { ...rest, before: before === null ? null : Buffer.from(before, 'base64') },
    ])
    return { files: Object.fromEntries(read) as SetupRecord['files'], marks: [...marks] }
  })
}

export function renderRecord({ files, marks }: SetupRecord): string {
  const rows = Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { before, after, folders, edits }]) => [
      path,
      { before: before === null ? null : Buffer.from(before).toString('base64'), after, folders, edits },
    ])
  return `${JSON.stringify({ schemaVersion: 1, marks, files: Object.fromEntries(rows) }, null, 1)}\n`
}
