import { createHash } from 'node:crypto'
import type { SetupEdit } from '../types/agent.ts'
import { putEdit, type TextEdit, takeEdit } from './edits.ts'
import type { FileRecord } from './record.ts'
import { type Bytes, equalJson } from './text-file.ts'

export interface FilePlan {
  /** What is there now, and what shall be. */
  now: Bytes
  next: Bytes
  /** Edits that something foreign keeps out, and why. */
  left: { edit: SetupEdit; reason: string }[]
  /** What stood here before handoff came; for the record. */
  before: Bytes
}

/**
 * What becomes of one file that shall hold the edits `wanted`, and no others that the record or `known` names. A file
 * that is still what we wrote goes back to what stood there before, byte for byte; in one that was changed since, only
 * our parts are touched. Without a record, what the file held as it was `brought` stays, empty as it may be then. Throws `badSettings`.
 */
export function planFile(
  now: Bytes,
  record: FileRecord | null,
  wanted: readonly SetupEdit[],
  known: readonly SetupEdit[],
  brought: Bytes = null,
): FilePlan {
  const recorded = record?.edits.map(({ edit }) => edit) ?? []
  const ours = [...recorded, ...known].filter(isText)
  const gone = unique(ours).filter((edit) => !isAmong(edit, wanted) && !isReplaced(edit, wanted))
  const without = (text: Bytes, edits: readonly TextEdit[], stood: Bytes | undefined): Bytes =>
    edits.reduceRight<Bytes>((bytes, edit) => takeEdit(bytes, edit, stood), text)
  const first = record === null ? without(brought, ours, undefined) : record.before
  const take = (edits: readonly TextEdit[]): Bytes => without(now, edits, first)
  const isUntouched = record !== null && record.after === digestOf(now)
  const before = isUntouched ? record.before : take(unique([...ours, ...wanted.filter(isText)]))
  if (wanted.length === 0) return { now, next: isUntouched ? record.before : take(gone), left: [], before }
  let next = gone.length === 0 ? now : isUntouched ? record.before : take(gone)
  const left: FilePlan['left'] = []
  for (const edit of wanted.filter(isText)) {
    const put = putEdit(next, edit)
    if (put.reason === null) next = put.bytes
    else left.push({ edit, reason: put.reason })
  }
  return { now, next, left, before }
}

/** Sha-256 in hex; null for no file. */
export const digestOf = (bytes: Bytes): string | null =>
  bytes === null ? null : createHash('sha256').update(bytes).digest('hex')

export const isAmong = (edit: SetupEdit, edits: readonly SetupEdit[]): boolean =>
  edits.some((other) => equalJson(other, edit))

/** Edits of what stands in a file; the other kind has a plan of its own. */
const isText = (edit: SetupEdit): edit is TextEdit => edit.type !== 'hook'

const unique = (edits: readonly TextEdit[]): TextEdit[] =>
  edits.filter((edit, at) => !isAmong(edit, edits.slice(0, at)))

/** A block is exchanged where it stands. */
const isReplaced = (edit: SetupEdit, wanted: readonly SetupEdit[]): boolean =>
  edit.type === 'block' && wanted.some(({ type }) => type === 'block')
