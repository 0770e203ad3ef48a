import { besideLine } from '../brief/prompt.ts'
import { unshownBrief } from '../errors/cycle.ts'
import type { Repo } from '../git/open-repo.ts'
import { originUrl } from '../git/settings.ts'
import { type TrustFacts as BlobFacts, separateFacts, trustFacts } from '../git/trust-facts.ts'
import { type Ledger, readLedger } from '../store/ledger.ts'
import { shortSha } from '../text/count.ts'
import { judgeTrust, type TrustFacts, type Verdict } from '../trust.ts'
import type { Place } from '../types/config.ts'
import { isAgent } from '../workspace/at-terminal.ts'
import { type CurrentBrief, inHeadOf } from './current.ts'

/**
 * May this brief be put before an agent unasked? Reads the facts, the cheap ones first. `inHead`: what HEAD has at its path,
 * when that is known; `dear`: answers to what costs more, for one who asks about many at once.
 */
export async function verdictOn(
  repo: Repo,
  brief: Pick<CurrentBrief, 'path' | 'oid' | 'committed' | 'apart'>,
  inHead: { mode: string; oid: string } | null = null,
  dear: DearFacts | null = null,
): Promise<Verdict> {
  const ledger = await readLedger(repo.commonDir)
  const known = knownOf(ledger, brief)
  const remote = remoteOf(repo, ledger)
  const { committed, apart, path, oid } = brief
  if (committed) {
    const facts = await trustFacts(repo, path, oid, inHead)
    const { isPlain, matchesHead } = facts
    return askFurther(repo, { ...known, isPlain, matchesHead }, remote, dear ?? facts)
  }
  // What no branch that concerns this checkout holds can only be known from the ledger.
  return apart === undefined
    ? judgeTrust({ ...known, matchesHead: known.createdHere, blobTrusted: false })
    : askFurther(repo, known, remote, dear ?? separateFacts(repo, brief, apart))
}

/** A line for each brief that is open here beside the open brief. */
export const tellBeside = async (
  repo: Repo,
  { beside = [] }: Pick<CurrentBrief, 'beside'>,
): Promise<string[]> =>
  Promise.all(
    beside.map(async (one) => {
      const { trusted } = await verdictOn(repo, one, inHeadOf(one))
      return besideLine(one.committed ? one.path : one.id, one.parsed.meta.goal, trusted)
    }),
  )

/**
 * May its words stand in another brief that is then trusted for having been made here? They are taken from git, so what the
 * work tree holds at its path does not matter, and neither does whether HEAD still has it.
 */
export async function verdictOnWords(repo: Repo, brief: CurrentBrief): Promise<Verdict> {
  const ledger = await readLedger(repo.commonDir)
  const known = knownOf(ledger, brief)
  const ref = refOf(brief)
  return ref === null
    ? judgeTrust(known)
    : askFurther(repo, known, remoteOf(repo, ledger), separateFacts(repo, brief, ref))
}

/** A branch of origin has it, so that trust in origin would cover it. */
export async function isOnOrigin(repo: Repo, brief: CurrentBrief): Promise<boolean> {
  const ref = refOf(brief)
  return ref !== null && (await separateFacts(repo, brief, ref).remoteBranch()) !== null
}

/** What holds it in git; null for one that no branch holds. */
export const refOf = ({ apart, committed }: CurrentBrief): string | null =>
  apart ?? (committed ? 'HEAD' : null)

/** Lets an agent read no word of a brief that is not trusted; a person reads everything. Throws `unshownBrief`. */
export async function refuseUntrusted(
  { env }: Pick<Place, 'env'>,
  repo: Repo,
  briefs: readonly CurrentBrief[],
): Promise<void> {
  for (const brief of isAgent(env) ? briefs : []) {
    const { trusted, because } = await verdictOn(repo, brief)
    if (!trusted) throw unshownBrief(brief.id, because)
  }
}

/** The letter of git for a good signature by an allowed signer (git-log, `%G?`). */
const GOOD = 'G'

type DearFacts = Pick<BlobFacts, 'remoteBranch' | 'lastChange'>

/** The remote is trusted by the environment, or while it is where it was when the user trusted it. */
interface Remote {
  isTrusted: boolean
  was: string | null
}

const remoteOf = ({ env }: Repo, { origin }: Ledger): Remote => ({
  isTrusted: env.HANDOFF_TRUST === 'origin',
  was: origin,
})

/** What costs more to know is asked only when it decides. */
async function askFurther(
  repo: Repo,
  { isMadeHere, ...cheap }: Known,
  remote: Remote,
  facts: DearFacts,
): Promise<Verdict> {
  const first = judgeTrust(cheap)
  if (first.trusted || !cheap.isPlain || !cheap.matchesHead) return first
  const known = { ...cheap }
  if (remote.isTrusted || remote.was !== null) {
    const [branch, isSame] = await Promise.all([
      facts.remoteBranch(),
      remote.isTrusted || originUrl(repo).then((url) => url === remote.was),
    ])
    known.onRemote = branch !== null
    known.remoteTrusted = isSame
    known.remoteMoved = !isSame
    if (known.onRemote && isSame) return judgeTrust(known)
  }
  const last = await facts.lastChange()
  known.signedWell = last?.letter === GOOD
  if (last !== null && !known.signedWell && isMadeHere) known.editedBy = shortSha(last.commit)
  return judgeTrust(known)
}

/** With whether a brief of that name was made here, with whatever text. */
type Known = TrustFacts & { isMadeHere: boolean }

/** What the ledger says of a brief that is a plain file, as HEAD has it. */
const knownOf = ({ created, trusted }: Ledger, { path, oid }: Pick<CurrentBrief, 'path' | 'oid'>): Known => ({
  isMadeHere: [...created].some((entry) => entry.startsWith(`${path}\t`)),
  isPlain: true,
  matchesHead: true,
  createdHere: created.has(`${path}\t${oid}`),
  blobTrusted: trusted.has(oid),
  onRemote: false,
  remoteTrusted: false,
  remoteMoved: false,
  signedWell: false,
  editedBy: null,
})
