import { join } from 'node:path'
import { openRecords, privateFolder, writePrivate } from './private.ts'

/** Uncommitted work that was sent from this clone beside a brief, or is taken here. */
export interface WorkRecord {
  version: 1
  /** Of the brief. */
  id: string
  /** ISO. */
  at: string
  branch: string
  commit: string
  /** `kept`: under a ref of this clone; `sent`: a remote has it; `gone`: somebody picked it up. `taking`, `taken`: here, of somebody else. `said`: a conversation. */
  state: 'kept' | 'sent' | 'gone' | 'taking' | 'taken' | 'said'
  /** Where it was sent to, or comes from; null for what was never sent. */
  remote: string | null
  /** Full name of its ref there. */
  ref: string | null
}

const records = openRecords<WorkRecord>(
  'work',
  ({ version, id, at, commit, state }) =>
    version === 1 && [id, at, commit, state].every((one) => typeof one === 'string'),
)

/** Throws `writeFailed`. */
export const recordWork = async (
  commonDir: string,
  record: Omit<WorkRecord, 'version'>,
): Promise<WorkRecord> => {
  const whole = { version: 1, ...record } as const
  await records.write(commonDir, record.id, whole)
  return whole
}

export const readWorkRecord = (commonDir: string, id: string): Promise<WorkRecord | null> =>
  records.read(commonDir, id)

/** Oldest id first. */
export const listWorkRecords = (commonDir: string): Promise<WorkRecord[]> => records.list(commonDir)

export const forgetWork = (commonDir: string, id: string): Promise<boolean> => records.remove(commonDir, id)

/** Where the conversation behind a brief lies that came from a remote. */
export const saidPath = (commonDir: string, id: string): string =>
  join(privateFolder(commonDir), 'said', `${id}.json`)

/** Throws `writeFailed`. */
export const writeSaid = (commonDir: string, id: string, text: string): Promise<string> =>
  writePrivate(commonDir, `said/${id}.json`, text, { flush: false })
