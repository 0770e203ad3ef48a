import { appendPrivate, readPrivate, writePrivate } from './private.ts'

/** Briefs this clone created, and blobs the user trusted: `<path>\t<blob id>` and `<blob id>` lines. */
const CREATED = 'created'
const TRUSTED = 'trusted'

export interface Ledger {
  /** `path\tblob` of every brief created here. */
  created: ReadonlySet<string>
  /** Blob ids and `remote:<name>` entries the user trusts. */
  trusted: ReadonlySet<string>
}

export async function readLedger(commonDir: string): Promise<Ledger> {
  const [created, trusted] = await Promise.all([
    readPrivate(commonDir, CREATED),
    readPrivate(commonDir, TRUSTED),
  ])
  return { created: lines(created), trusted: lines(trusted) }
}

export const recordCreated = (commonDir: string, path: string, oid: string): Promise<void> =>
  appendPrivate(commonDir, CREATED, `${path}\t${oid}`)

export const recordTrusted = (commonDir: string, entry: string): Promise<void> =>
  appendPrivate(commonDir, TRUSTED, entry)

/** Forgets an entry; false when it was not there. */
export async function revokeTrusted(commonDir: string, entry: string): Promise<boolean> {
  const { trusted } = await readLedger(commonDir)
  if (!trusted.has(entry)) return false
  const rest = [...trusted].filter((line) => line !== entry)
  await writePrivate(commonDir, TRUSTED, rest.map((line) => `${line}\n`).join(''))
  return true
}

const lines = (text: string | null): Set<string> =>
  new Set((text ?? '').split('\n').filter((line) => line !== ''))
