/**
 * May the text of this brief be put before an agent without being asked for? Pure over facts.
 * A brief can inform an agent; it can never grant permissions, and author e-mail is never a criterion.
 */
export interface TrustFacts {
  /** A plain file, mode 100644, in the tree it is read from. */
  isPlain: boolean
  /** The work tree holds the same bytes as HEAD. */
  matchesHead: boolean
  /** The ledger of this clone holds this path with this blob. */
  createdHere: boolean
  /** The user trusted this very blob. */
  blobTrusted: boolean
  /** The same blob stands at this path on a branch of a remote, pull request refs left out. */
  onRemote: boolean
  /** The user trusts what that remote carries (`handoff trust --origin`, HANDOFF_TRUST=origin). */
  remoteTrusted: boolean
  /** The user trusted that remote while it was at another address. */
  remoteMoved: boolean
  /** The commit that added it has a good signature of an allowed signer, or by the key that the user signs with. */
  signedWell: boolean
  /** It was made here with another text; the commit that changed it, short. */
  editedBy: string | null
}

export interface Verdict {
  trusted: boolean
  /** One clause for the provenance line. */
  because: string
}

/** The verdict and its reason; the first reason that holds is told. */
export function judgeTrust(facts: TrustFacts): Verdict {
  if (!facts.isPlain) return { trusted: false, because: 'it is not a plain file' }
  if (!facts.matchesHead) return { trusted: false, because: 'the file differs from the commit' }
  if (facts.createdHere) return { trusted: true, because: 'it was created in this clone' }
  if (facts.blobTrusted) return { trusted: true, because: 'you trusted it' }
  if (facts.onRemote && facts.remoteTrusted)
    return { trusted: true, because: 'it is on a branch of a trusted remote' }
  if (facts.signedWell) return { trusted: true, because: 'its commit is well signed' }
  if (facts.onRemote && facts.remoteMoved)
    return {
      trusted: false,
      because:
        'origin has another address than when you trusted it; `git handoff trust --origin` trusts the new one',
    }
  if (facts.editedBy !== null)
    return { trusted: false, because: `it was edited after its commit, by ${facts.editedBy}` }
  return { trusted: false, because: 'it was not made in this clone' }
}
