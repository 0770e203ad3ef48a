import { CLEAN_FILTER, ensureFilter } from '../git/latest-filter.ts'
import type { Repo } from '../git/open-repo.ts'
import { originUrl, readSettings } from '../git/settings.ts'
import type { SetupRecord } from '../hooks/record.ts'
import { readLedger, recordOrigin } from '../store/ledger.ts'
import { addRefspec, hasRefspec } from './init-refspecs.ts'

/**
 * What `init` sets besides files, each by its mark, and what a run that was killed had begun to set: it may be there already, and is
 * ours to take back. Kept in the record before anything is set. `isFetching`: fetch shall bring the branches of briefs;
 * `trustsOrigin`: the person said so, for a clone may be of a stranger's repository.
 */
export async function settingsToMake(
  repo: Repo,
  { marks, begun = [] }: SetupRecord,
  { isFetching, trustsOrigin }: { isFetching: boolean; trustsOrigin: boolean },
): Promise<string[]> {
  const [{ filter }, isFetched, origin, ledger] = await Promise.all([
    readSettings(repo),
    hasRefspec(repo),
    originUrl(repo),
    readLedger(repo.commonDir),
  ])
  const wasBegun = (mark: string): boolean => begun.includes(mark)
  // Once: whoever has taken it back since is not overruled.
  const isTrusting =
    origin !== null &&
    !marks.includes('trust-origin') &&
    (ledger.origin === null ? trustsOrigin : ledger.origin === origin && wasBegun('trust-origin'))
  return [
    ...(filter.local !== CLEAN_FILTER || wasBegun('filter') ? ['filter'] : []),
    ...(isFetching || (isFetched && wasBegun('refspec')) ? ['refspec'] : []),
    ...(isTrusting ? ['trust-origin'] : []),
  ]
}

/** The address of an origin that nobody here has trusted, nor taken the trust in back. */
export async function untrustedOrigin(repo: Repo, { marks }: SetupRecord): Promise<string | null> {
  const isOpen = !marks.includes('trust-origin') && (await readLedger(repo.commonDir)).origin === null
  return isOpen ? originUrl(repo) : null
}

/** Sets them, those that are not there yet. Throws `writeFailed`. */
export async function makeSettings(repo: Repo, marks: readonly string[]): Promise<void> {
  if (marks.includes('filter')) await ensureFilter(repo)
  if (marks.includes('refspec') && !(await hasRefspec(repo))) await addRefspec(repo)
  const origin = marks.includes('trust-origin') ? await originUrl(repo) : null
  if (origin !== null && (await readLedger(repo.commonDir)).origin === null)
    await recordOrigin(repo.commonDir, origin)
}
