import type { SetupEdit } from '../types.ts'
import type { Bytes } from './edits.ts'

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
  /** What else it did and shall undo: `trust-origin`, `filter`, `refspec`. */
  marks: string[]
  /** What it is about to do besides, told the same way: a run that was killed may or may not have done it. */
  begun?: string[]
}

/** Reads what `renderRecord` wrote; null for another shape, as of a later version. */
export function parseRecord(text: string | null): SetupRecord | null {
  if (text === null) return { files: {}, marks: [] }
  try {
    const value = JSON.parse(text) as {
      schemaVersion: number
      marks: string[]
      begun?: string[]
      files: Record<string, Omit<FileRecord, 'before'> & { before: string | null }>
    }
    if (value.schemaVersion !== 1) return null
    const files = Object.entries(value.files).map(([path, { before, ...rest }]) => [
      path,
      { ...rest, before: before === null ? null : Buffer.from(before, 'base64') },
    ])
    return {
      files: Object.fromEntries(files) as Record<string, FileRecord>,
      marks: [...value.marks],
      ...(value.begun === undefined ? {} : { begun: [...value.begun] }),
    }
  } catch {
    return null // Damaged by hand or disk: then our parts are known by their shape alone.
  }
}

export function renderRecord({ files, marks, begun = [] }: SetupRecord): string {
  const rows = Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { before, after, folders, edits }]) => [
      path,
      { before: before === null ? null : Buffer.from(before).toString('base64'), after, folders, edits },
    ])
  const all = {
    schemaVersion: 1,
    marks,
    ...(begun.length === 0 ? {} : { begun }),
    files: Object.fromEntries(rows),
  }
  return `${JSON.stringify(all, null, 1)}\n`
}
