import { isHandoffError } from '../errors/handoff-error.ts'
import type { Repo } from '../git/open-repo.ts'
import { listBriefsAtHead } from '../git/read-briefs.ts'
import { readRefs } from '../git/refs.ts'
import type { RepoSnapshot } from '../git/snapshot.ts'
import { listBriefFiles } from '../store/briefs.ts'
import { readInput, readLedger } from '../store/ledger.ts'
import type { CurrentBrief } from './current.ts'
import { readFileBrief } from './find-brief.ts'

/**
 * A brief of this clone whose input has this digest and that stands in the work tree and in no commit: an earlier run could not commit it, or was killed
 * before it did.
 */
export async function findSaved(
  repo: Repo,
  digest: string,
  reading: RepoSnapshot | null,
): Promise<CurrentBrief | null> {
  const [files, briefs, ledger, refs] = await Promise.all([
    listBriefFiles(repo.root),
    listBriefsAtHead(repo, reading),
    readLedger(repo.commonDir),
    reading?.refs ?? readRefs(repo, ['refs/handoff']),
  ])
  const parked = refs.map(({ name }) => name.replace('refs/handoff/', ''))
  const known = new Set([...briefs.map(({ id }) => id), ...parked])
  const waiting = files.filter(({ id }) => !known.has(id))
  for (const { id, path } of waiting.reverse()) {
    if ((await readInput(repo.commonDir, id)) !== digest) continue
    // A rebase or switch may take a file away between the listing and the reading.
    const saved = await readFileBrief(repo, `${repo.root}/${path}`).catch((error: unknown) => {
      if (isHandoffError(error) && error.code === 'E_UNKNOWN_ID') return null
      throw error
    })
    if (saved !== null && ledger.created.has(`${path}\t${saved.oid}`)) return saved
  }
  return null
}
