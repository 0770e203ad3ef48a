import { commitMessage } from '../brief/goal.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import {
  branchInTheWay,
  briefsCheckedOut,
  detachedApart,
  notCommitted,
  whyNotCommitted,
} from '../errors/writing.ts'
import { type CommitOutcome, type CommitRequest, commitFiles } from '../git/commit-files.ts'
import { blobId } from '../git/files.ts'
import type { Repo } from '../git/open-repo.ts'
import type { Named } from '../git/operation.ts'
import { readRefs, readWorktrees } from '../git/refs.ts'
import { baseOfSeparate, separateRef, separateRefsHere } from '../git/separate-branch.ts'
import type { RepoSnapshot } from '../git/snapshot.ts'
import { recordCreated } from '../store/ledger.ts'
import { writePrivate } from '../store/private.ts'
import type { FrontMatter } from '../types/brief.ts'
import type { Config } from '../types/config.ts'

export interface SaveRequest {
  meta: FrontMatter
  path: string
  text: string
  /** The branch and commit that it is about, as git names them: the front matter masks a key in a name. */
  of: Named
  config: Config
  /** What this person vouches for by making it; words of an untrusted brief are as untrusted here as they were there. */
  isOwn: boolean
  /** The file stands on disk already: an earlier run could not commit it. */
  isSaved: boolean
  /** What was asked of git before. */
  reading?: RepoSnapshot | null
}

/**
 * Commits the brief on a branch of its own, `handoff/<branch>`; work tree, index and the checked-out branch stay as they are.
 * `constant`: the files that every branch of briefs has. When it fails, the brief is kept privately. Throws `detachedApart`,
 * `branchInTheWay`, `briefsCheckedOut`, `notCommitted`.
 */
export async function saveApart(
  repo: Repo,
  { path, text, meta, isOwn, reading = null }: Omit<SaveRequest, 'config' | 'isSaved' | 'of'>,
  constant: readonly { path: string; content: string }[],
): Promise<CommitOutcome> {
  if (meta.branch === null) throw detachedApart()
  const ref = separateRef(meta.branch)
  await checkRef(repo, ref)
  const here = await separateRefsHere(repo)
  return commitBeside(repo, { path, text, meta, isOwn, reading }, constant, {
    ref,
    onto: (tip) => baseOfSeparate(repo, here, tip, meta.parents),
  })
}

/** Commits without a file in the work tree; when that fails, the brief is kept privately. Throws `notCommitted`. */
export async function commitBeside(
  repo: Repo,
  {
    path,
    text,
    meta,
    isOwn,
    reading = null,
  }: Pick<SaveRequest, 'path' | 'text' | 'meta' | 'isOwn' | 'reading'>,
  constant: readonly { path: string; content: string }[],
  where: Pick<CommitRequest, 'ref' | 'onto' | 'of'>,
): Promise<CommitOutcome> {
  if (isOwn) await recordCreated(repo.commonDir, path, blobId(repo, text))
  try {
    const files = [{ path, content: text }, ...constant]
    return await commitFiles(repo, { id: meta.id, files, message: commitMessage(meta), reading, ...where })
  } catch (error) {
    if (!isHandoffError(error) || error.code !== 'E_NOT_COMMITTED') throw error
    const kept = await writePrivate(repo.commonDir, `drafts/${meta.id}.md`, text)
    throw notCommitted(kept, whyNotCommitted(error), error)
  }
}

/** The name must be free, and no worktree may stand on it: its files and index would be old all at once. */
async function checkRef(repo: Repo, ref: string): Promise<void> {
  const [refs, worktrees] = await Promise.all([readRefs(repo, ['refs/heads/handoff']), readWorktrees(repo)])
  const other = refs.find(({ name }) => ref.startsWith(`${name}/`) || name.startsWith(`${ref}/`))
  const short = (name: string): string => name.slice('refs/heads/'.length)
  if (other !== undefined) throw branchInTheWay(short(other.name), short(ref))
  const worktree = worktrees.find(({ branch }) => branch === short(ref))
  if (worktree !== undefined) throw briefsCheckedOut(short(ref), worktree.path)
}
