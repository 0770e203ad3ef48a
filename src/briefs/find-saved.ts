import type { Invocation } from '../command.ts'
import { isHandoffError, reasonOf } from '../errors/handoff-error.ts'
import { blobId } from '../git/files.ts'
import type { Repo } from '../git/open-repo.ts'
import { listBriefsAtHead } from '../git/read-briefs.ts'
import { readRefs } from '../git/refs.ts'
import type { RepoSnapshot } from '../git/snapshot.ts'
import { listBriefFiles, removeBriefFile } from '../store/folder.ts'
import { readInput, readLedger, recordInput } from '../store/ledger.ts'
import { readPlain } from '../store/plain-file.ts'
import { openRecords } from '../store/private.ts'
import type { FrontMatter } from '../types/brief.ts'
import type { CurrentBrief } from './current.ts'
import { readFileBrief } from './find-brief.ts'

/**
 * Briefs of the work tree that HEAD's tree lacks: a reset, a stash or a commit that failed left them. `isParked`: a ref keeps it until its branch
 * is free. Throws `gitFailed`.
 */
export async function listUncommitted(
  repo: Repo,
  reading: RepoSnapshot | null = null,
): Promise<{ id: string; path: string; isParked: boolean }[]> {
  const files = await listBriefFiles(repo.root)
  const held = new Set(files.length === 0 ? [] : (await listBriefsAtHead(repo, reading)).map(({ id }) => id))
  const left = files.filter(({ id }) => !held.has(id))
  if (left.length === 0) return []
  const refs = await (reading?.refs ?? readRefs(repo, ['refs/handoff']))
  const parked = new Set(refs.map(({ name }) => name.replace('refs/handoff/', '')))
  return left.map((file) => ({ ...file, isParked: parked.has(file.id) }))
}

/**
 * A brief of this clone whose input has this digest and that stands in the work tree and in no commit: an earlier run could not commit it, or was killed
 * before it did.
 */
export async function findSaved(
  repo: Repo,
  digest: string,
  reading: RepoSnapshot | null,
): Promise<CurrentBrief | null> {
  const [waiting, ledger] = await Promise.all([listUncommitted(repo, reading), readLedger(repo.commonDir)])
  for (const { id, path, isParked } of waiting.reverse()) {
    if (isParked || (await readInput(repo.commonDir, id)) !== digest) continue
    // A rebase or switch may take a file away between the listing and the reading.
    const saved = await readFileBrief(repo, `${repo.root}/${path}`).catch((error: unknown) => {
      if (isHandoffError(error) && error.code === 'E_UNKNOWN_ID') return null
      throw error
    })
    if (saved !== null && ledger.created.has(`${path}\t${saved.oid}`)) return saved
  }
  return null
}

/** Keeps what a brief is made of, so that the same command makes no second one. Gives what to warn of where it cannot be kept. */
export const noteInput = ({ commonDir }: Repo, id: string, digest: string): Promise<string | null> =>
  recordInput(commonDir, id, digest).then(
    () => null,
    (error) =>
      `the same command may make a second brief: ${reasonOf(error).replace(/^Handoff failed: /, '')}`,
  )

/**
 * Takes away the drafts of the MCP server that a newer brief of the same branch replaces. One that was committed meanwhile, by hand or
 * as this brief, stays; one that somebody changed stays too, which is said.
 */
export async function dropDrafts(
  { out }: Pick<Invocation, 'out'>,
  repo: Repo,
  { id, branch }: Pick<FrontMatter, 'id' | 'branch'>,
): Promise<void> {
  for (const draft of await listDrafts(repo.commonDir)) {
    if (draft.root !== repo.root || draft.branch !== branch) continue
    await forgetDraft(repo.commonDir, draft)
    const text = draft.id === id ? null : await readPlain(repo.root, draft.path)
    if (text === null || (await repo.git(['ls-files', '-z', '--', draft.path])) !== '') continue
    if (blobId(repo, text) === draft.oid) await removeBriefFile(repo.root, draft.path)
    else out.warn(`the draft ${draft.path} was changed since it was made, so it stays; it is not committed`)
  }
}

/** A brief that an agent drafted through the MCP server and that nobody has committed. */
export interface Draft {
  id: string
  /** Top of the worktree that it stands in. */
  root: string
  path: string
  /** Blob id of its text as it was written. */
  oid: string
  branch: string | null
}

const drafts = openRecords<Draft>(
  'mcp-drafts',
  ({ path, oid }) => typeof path === 'string' && typeof oid === 'string',
)

/** Throws `writeFailed`. */
export const recordDraft = (commonDir: string, draft: Draft): Promise<string> =>
  drafts.write(commonDir, draft.id, draft, { flush: false })

/** Oldest first. */
export const listDrafts = drafts.list

export const forgetDraft = (commonDir: string, { id }: Draft): Promise<boolean> =>
  drafts.remove(commonDir, id)
