import { appendPrivate, readPrivate, writePrivate } from './private.ts'

/** Briefs this clone created, blobs the user trusted, and where origin was: `<path>\t<blob id>`, `<blob id>` and `remote:origin\t<url>` lines. */
const CREATED = 'created'
const TRUSTED = 'trusted'
const ORIGIN = 'remote:origin\t'
const OFFERED = 'offered:origin'

export interface Ledger {
  /** `path\tblob` of every brief created here. */
  created: ReadonlySet<string>
  /** Blob ids the user trusts. */
  trusted: ReadonlySet<string>
  /** Where origin was when the user trusted what it carries; null when that was never said. */
  origin: string | null
  /** The user was asked whether to trust origin. */
  isOffered: boolean
}

export async function readLedger(commonDir: string): Promise<Ledger> {
  const [created, trusted] = await Promise.all([
    readPrivate(commonDir, CREATED),
    readPrivate(commonDir, TRUSTED),
  ])
  const entries = [...lines(trusted)]
  const origin = entries.findLast((entry) => entry.startsWith(ORIGIN))
  return {
    created: lines(created),
    trusted: new Set(entries.filter((entry) => !entry.includes(':'))),
    origin: origin === undefined ? null : origin.slice(ORIGIN.length),
    isOffered: origin !== undefined || entries.includes(OFFERED),
  }
}

export const recordCreated = (commonDir: string, path: string, oid: string): Promise<void> =>
  appendPrivate(commonDir, CREATED, `${path}\t${oid}`)

export const recordTrusted = (commonDir: string, oid: string): Promise<void> =>
  appendPrivate(commonDir, TRUSTED, oid)

/** Trusts what origin carries for as long as it is at this address. */
export const recordOrigin = (commonDir: string, url: string): Promise<void> =>
  appendPrivate(commonDir, TRUSTED, `${ORIGIN}${url}`)

/** Remembers that the user was asked whether to trust origin, and did not. */
export const recordOffered = (commonDir: string): Promise<void> => appendPrivate(commonDir, TRUSTED, OFFERED)

/** Forgets a blob; false when it was not there. */
export const revokeTrusted = (commonDir: string, oid: string): Promise<boolean> =>
  forget(commonDir, (entry) => entry === oid)

/** Forgets that origin was trusted, wherever it was; false when it was not. */
export const revokeOrigin = (commonDir: string): Promise<boolean> =>
  forget(commonDir, (entry) => entry.startsWith(ORIGIN.trimEnd()))

async function forget(commonDir: string, isMeant: (entry: string) => boolean): Promise<boolean> {
  const entries = [...lines(await readPrivate(commonDir, TRUSTED))]
  const rest = entries.filter((entry) => !isMeant(entry))
  if (rest.length === entries.length) return false
  await writePrivate(commonDir, TRUSTED, rest.map((line) => `${line}\n`).join(''))
  return true
}

const lines = (text: string | null): Set<string> =>
  new Set((text ?? '').split('\n').filter((line) => line !== ''))

const SESSION_PATHS = 'behind'

/** Keeps the absolute path of the session file that a brief was made of, for what nothing else leads back to. Throws `writeFailed`. */
export const recordSessionPath = (commonDir: string, briefId: string, path: string): Promise<string> =>
  writePrivate(commonDir, `${SESSION_PATHS}/${briefId}`, path, { flush: false })

/** The path that was kept for a brief made in this clone; null without one. */
export const readSessionPath = (commonDir: string, briefId: string): Promise<string | null> =>
  readPrivate(commonDir, `${SESSION_PATHS}/${briefId}`)

/** `<id>\t<digest>` of every brief made here and of what it was made of. */
const INPUTS = 'inputs'

/** Without it the same command makes a second brief. Throws `writeFailed`. */
export const recordInput = (commonDir: string, briefId: string, digest: string): Promise<void> =>
  appendPrivate(commonDir, INPUTS, `${briefId}\t${digest}`)

/** The digest of what a brief was made of; null for one that was not made in this clone. */
export async function readInput(commonDir: string, briefId: string): Promise<string | null> {
  const entries = [...lines(await readPrivate(commonDir, INPUTS))]
  return entries.findLast((entry) => entry.startsWith(`${briefId}\t`))?.split('\t')[1] ?? null
}
