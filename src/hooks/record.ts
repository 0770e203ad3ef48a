import { createHash } from 'node:crypto'
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

/** Reads what `renderRecord` wrote; null for another shape, as of a later version. */
export function parseRecord(text: string | null): SetupRecord | null {
  if (text === null) return { files: {}, marks: [] }
  try {
    const value = JSON.parse(text) as {
      schemaVersion: number
      marks: string[]
      files: Record<string, Omit<FileRecord, 'before'> & { before: string | null }>
    }
    if (value.schemaVersion !== 1 || !isWhole(value)) return null
    // What cannot be written again would be lost at the next word of ours.
    JSON.stringify(value)
    const files = Object.entries(value.files).map(([path, { before, ...rest }]) => [
      path,
      { ...rest, before: before === null ? null : Buffer.from(before, 'base64') },
    ])
    return {
      files: Object.fromEntries(files) as Record<string, FileRecord>,
      marks: [...value.marks],
    }
  } catch {
    return null // Damaged by hand or disk: then our parts are known by their shape alone.
  }
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isTextOrNull = (value: unknown): boolean => value === null || isText(value)
const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What each kind of edit has besides its path: a text, or a place in a document. */
const isEdit = ({ type, path, at, content, text, comment }: Record<string, unknown>): boolean => {
  if (!isText(type) || !isText(path)) return false
  if (type === 'file' || type === 'hook') return isText(content)
  if (type === 'block') return isText(text) && (comment === '#' || comment === '<!--')
  return isTexts(at)
}

/** Everything that is looked at without a further question has its shape. */
function isWhole({ marks, files }: Record<string, unknown>): boolean {
  if (!isTexts(marks) || !isMapping(files)) return false
  return Object.values(files).every(
    (file) =>
      isMapping(file) &&
      [file.before, file.after].every(isTextOrNull) &&
      (file.folders === null || isTexts(file.folders)) &&
      Array.isArray(file.edits) &&
      file.edits.every(
        (one) => isMapping(one) && isTexts(one.owners) && isMapping(one.edit) && isEdit(one.edit),
      ),
  )
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
