import type { Repo } from '../git/open-repo.ts'
import { trustFacts } from '../git/trust-facts.ts'
import { readLedger } from '../store/ledger.ts'
import { judgeTrust, type Verdict } from '../trust.ts'
import type { CurrentBrief } from './current.ts'

/** The ledger's word for "what origin carries is trusted here". */
export const TRUST_ORIGIN = 'remote:origin'

/** Signature letters of git that mean good and by an allowed signer (git-log, `%G?`). */
const GOOD = new Set(['G'])

/**
 * May this brief be put before an agent unasked? Reads the facts, the cheap ones first. `inHead`: what HEAD has at its path,
 * when that is known.
 */
export async function verdictOn(
  repo: Repo,
  brief: Pick<CurrentBrief, 'path' | 'oid' | 'committed' | 'apart'> & { text?: string },
  inHead: { mode: string; oid: string } | null = null,
): Promise<Verdict> {
  const ledger = await readLedger(repo.commonDir)
  const createdHere = ledger.created.has(`${brief.path}\t${brief.oid}`)
  // What HEAD does not hold can only be known from the ledger.
  if (!brief.committed) {
    const isApart = brief.apart !== undefined
    return judgeTrust({
      ...NOTHING,
      isPlain: true,
      matchesHead: createdHere || isApart,
      createdHere,
      blobTrusted: isApart && ledger.trusted.has(brief.oid),
    })
  }
  const facts = await trustFacts(repo, brief.path, brief.oid, inHead, brief.text ?? null)
  const known = {
    ...NOTHING,
    isPlain: facts.mode === '100644',
    matchesHead: facts.inHead && facts.workTreeEqualsHead,
    createdHere,
    blobTrusted: ledger.trusted.has(brief.oid),
    remoteTrusted: ledger.trusted.has(TRUST_ORIGIN) || repo.env.HANDOFF_TRUST === 'origin',
  }
  const cheap = judgeTrust(known)
  if (cheap.trusted || !known.isPlain || !known.matchesHead) return cheap
  if (known.remoteTrusted && (await facts.remoteBranch()) !== null)
    return judgeTrust({ ...known, onRemote: true })
  return judgeTrust({ ...known, signedWell: GOOD.has(await facts.signature()) })
}

const NOTHING = {
  isPlain: false,
  matchesHead: false,
  createdHere: false,
  blobTrusted: false,
  onRemote: false,
  remoteTrusted: false,
  signedWell: false,
}
