import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { commitCommand, commitMessage } from '../brief/goal.ts'
import { attributesText, folderReadme, pointerText } from '../brief/latest.ts'
import type { Invocation } from '../command.ts'
import { ignoredFolder } from '../errors/briefs.ts'
import { isHandoffError, orNull, reasonOf } from '../errors/handoff-error.ts'
import {
  branchInTheWay,
  briefsCheckedOut,
  detachedApart,
  insideHook,
  notCommitted,
  whyNotCommitted,
  writeFailed,
} from '../errors/writing.ts'
import { lookUp } from '../git/build-tree.ts'
import { type CommitOutcome, type CommitRequest, commitFiles, readEntries } from '../git/commit-files.ts'
import { OURS } from '../git/environment.ts'
import { blobId } from '../git/files.ts'
import type { Repo } from '../git/open-repo.ts'
import { findElsewhere, isReplaying, type Named } from '../git/operation.ts'
import { adoptParked } from '../git/parked.ts'
import { heldByBranches } from '../git/read-briefs.ts'
import { readHead, readRefs, readWorktrees } from '../git/refs.ts'
import { baseOfSeparate, separateRef, separateRefsHere } from '../git/separate-branch.ts'
import { ensureFilter } from '../git/settings.ts'
import { type RepoSnapshot, readHeadView } from '../git/snapshot.ts'
import { isIgnored, SOME_BRIEF } from '../git/status.ts'
import { processChain } from '../process-chain.ts'
import { ATTRIBUTES, checkFolder, LATEST, README, removeBriefFile } from '../store/folder.ts'
import { recordCreated } from '../store/ledger.ts'
import { createPlain, readPlain } from '../store/plain-file.ts'
import { privateFolder, RUNNER, readPrivate, writePrivate } from '../store/private.ts'
import { plural } from '../text/count.ts'
import type { FrontMatter } from '../types/brief.ts'
import type { Config } from '../types/config.ts'
import { listUncommitted } from './find-saved.ts'
import { writeLatest } from './latest-file.ts'

/** Told where nobody set up this clone. */
export const NO_HOOKS = 'No hook runs in this clone; `git handoff init` installs them.'

/** It waits for its branch because another one was checked out meanwhile. */
export const isElsewhere = (outcome: CommitOutcome | null): boolean =>
  outcome?.state === 'parked' && outcome.operation === null

/** Why the branch was left alone, in words that go on. */
export const whyParked = ({ operation }: CommitOutcome, branch: string | null): string =>
  operation === null
    ? `${branch === null ? 'The detached HEAD that it is about' : `Branch ${branch}`} is not checked out any more`
    : `A ${operation} is in progress`

const FILTER_SET = 'set filter.handoff.clean in .git/config'

/** What the constant files of `.handoff/` hold in git. */
const CONSTANT: Readonly<Record<string, () => string>> = {
  [LATEST]: pointerText,
  [ATTRIBUTES]: attributesText,
  [README]: folderReadme,
}

/** Briefs are committed on a branch of their own: whatever `.handoff/` holds here is of no matter. */
export const isApart = ({ enabled, branch }: Config['commit']): boolean => enabled && branch === 'separate'

/**
 * Everything that can be wrong with the place, asked before anything is said or written; git answers last. Throws
 * `foreignFolder`, `unsafeFolder`, `ignoredFolder`, `insideHook`.
 */
export async function checkPlace(
  repo: Repo,
  commit: Config['commit'],
  reading: RepoSnapshot | null = null,
): Promise<void> {
  const hook = commit.enabled ? await insideUnfinished(repo.env, process.ppid) : null
  if (hook !== null) throw insideHook(hook)
  if (isApart(commit)) return
  await checkFolder(repo.root)
  // Node's library for digests takes some ms to load: now, while git answers.
  blobId(repo, '')
  const rule = await (reading?.ignored ?? isIgnored(repo, SOME_BRIEF))
  if (rule !== null) throw ignoredFolder(rule)
}

/** Briefs that waited for the end of a merge, rebase or the like get their own commits first. True when there were any. */
export async function adoptWaiting(
  invocation: Invocation,
  repo: Repo,
  reading: RepoSnapshot | null = null,
): Promise<boolean> {
  if (reading !== null && !(await reading.refs).some(({ name }) => name.startsWith('refs/handoff/')))
    return false
  const { adopted, left } = await adoptParked(repo, (path, content) =>
    createPlain(repo.root, path, content, privateFolder(repo.gitDir)),
  )
  for (const brief of adopted) invocation.out.say(`Adopted the parked brief ${brief.id}.`)
  for (const brief of left) invocation.out.warn(`the parked brief ${brief.id} stays parked: ${brief.why}`)
  return adopted.length + left.length > 0
}

/**
 * Writes the brief and what the first one in a repository needs, then commits exactly those paths (unless
 * `commit.enabled` is off). On cancel before the branch moved nothing stays; on failure the brief stays on disk.
 * Throws `notCommitted`, `writeFailed`; rejects with the signal's reason.
 */
export async function saveBrief(
  invocation: Invocation,
  repo: Repo,
  request: SaveRequest,
): Promise<CommitOutcome | null> {
  const { config } = request
  if (config.commit.enabled) {
    const constant = Object.entries(CONSTANT).map(([name, content]) => ({ path: name, content: content() }))
    if (isApart(config.commit)) return saveApart(repo, request, constant)
    // Nothing of it is written into the files of another branch.
    if ((await findElsewhere(repo, request.of)) !== null)
      return commitBeside(repo, request, constant, { of: request.of })
  }
  const found = await checkFolder(repo.root)
  const held = config.commit.enabled ? [] : await heldByBranches(repo, found.missing)
  const missing = isReplaying(repo.gitDir) ? [] : found.missing.filter((one) => !held.includes(one))
  return saveHere(invocation, repo, request, missing)
}

/** The same on the branch as it is checked out. `missing`: constant files that are not there yet. */
async function saveHere(
  invocation: Invocation,
  repo: Repo,
  request: SaveRequest,
  missing: readonly string[],
): Promise<CommitOutcome | null> {
  const { path, text, meta, config } = request
  const reading = request.reading ?? null
  const aside = privateFolder(repo.gitDir)
  const made: string[] = []
  // A disk that refused to write may refuse this as well.
  const takeBack = async (): Promise<void> => {
    for (const one of [...made, ...(request.isSaved ? [] : [path])])
      await removeBriefFile(repo.root, one).catch(() => undefined)
  }
  // First, so that no brief stands there, or is committed, without the ledger knowing who made it.
  if (request.isOwn) await recordCreated(repo.commonDir, path, blobId(repo, text))
  if (!request.isSaved && !(await createPlain(repo.root, path, text, aside)))
    throw writeFailed(path, new Error('that name is taken'))
  try {
    for (const one of missing) {
      const content = CONSTANT[one]
      // Asked anew: a rebase may have begun since.
      if (content === undefined || isReplaying(repo.gitDir)) continue
      if (await createPlain(repo.root, one, content(), aside)) made.push(one)
    }
    // A clone has the files and not yet the filter.
    const isSet = await ensureFilter(repo)
    if (made.length > 0 || isSet) {
      const did = [...(made.length > 0 ? [`wrote ${made.join(', ')}`] : []), ...(isSet ? [FILTER_SET] : [])]
      const when = meta.kind === 'done' ? 'In this clone' : 'First handoff here'
      const hasHooks = (await readPrivate(repo.commonDir, RUNNER)) !== null
      const hooks = hasHooks ? '' : ` ${NO_HOOKS}`
      invocation.out.say(`${when}: ${did.join(' and ')}.${hooks}`)
    }
    const isMade = missing.includes(LATEST) || (await readPlain(repo.root, LATEST)) !== null
    if (isMade || (config.commit.enabled && !isReplaying(repo.gitDir))) await writeLatest(invocation, repo)
    if (!config.commit.enabled) return null
    invocation.place.signal?.throwIfAborted()
    const outcome = await commitFiles(repo, {
      id: meta.id,
      files: [{ path, content: text }, ...(await constants(repo, reading))],
      message: commitMessage(meta),
      of: request.of,
    })
    // As a file that git does not know it would keep git from coming back to the branch that was left in that moment.
    const isLeft = outcome.state !== 'parked' && (await readHead(repo)).ref !== outcome.ref
    if (isElsewhere(outcome) || isLeft) await takeBack()
    // Another handoff may have adopted the brief meanwhile, and a rebase that was aborted takes a staged file out of the work tree.
    if (!existsSync(join(repo.root, path)) && lookUp(await readHeadView(repo, [path]), path) !== null)
      await createPlain(repo.root, path, text, aside).catch(() => false)
    await tellUncommitted(invocation, repo)
    return outcome
  } catch (error) {
    const isSaved = isHandoffError(error) && error.code === 'E_NOT_COMMITTED'
    // Half a handoff is none: only a brief that is whole and known to the ledger stays, for the next run to commit.
    if (invocation.place.signal?.aborted === true || !isSaved) {
      await takeBack()
      throw request.isSaved || !existsSync(join(repo.root, path))
        ? error
        : notCommitted(path, reasonOf(error), error)
    }
    // Files that git does not know would keep it from checking out a branch that has them.
    const staged = await readEntries(repo, made).catch(() => null)
    for (const one of made)
      if (staged?.has(one) === false) await removeBriefFile(repo.root, one).catch(() => undefined)
    throw notCommitted(path, whyNotCommitted(error), error)
  }
}

/** Names earlier briefs that a reset or stash left without a commit, and that nothing else would name. */
async function tellUncommitted({ out }: Invocation, repo: Repo): Promise<void> {
  const left = await listUncommitted(repo).catch(() => [])
  // What another process writes now it commits as well.
  const isOld = (path: string): boolean => {
    const found = orNull(() => statSync(join(repo.root, path)))
    return found !== null && Date.now() - found.mtimeMs > 60_000
  }
  const paths = left.flatMap(({ path, isParked }) => (isParked || !isOld(path) ? [] : path))
  if (paths.length > 0)
    out.warn(`${plural(paths.length, 'earlier brief')} not committed: \`${commitCommand(paths)}\``)
}

/** The constant files as git shall hold them: `latest.md` always, the others only where HEAD has none and ours stands. */
async function constants(
  repo: Repo,
  reading: RepoSnapshot | null,
): Promise<{ path: string; content: string }[]> {
  const view = await (reading?.head() ?? readHeadView(repo))
  const files = [{ path: LATEST, content: pointerText() }]
  for (const path of [ATTRIBUTES, README]) {
    const content = CONSTANT[path]?.()
    if (
      content !== undefined &&
      lookUp(view, path) === null &&
      (await readPlain(repo.root, path)) === content
    )
      files.push({ path, content })
  }
  return files
}

/** Hooks that run before the commit they belong to exists: a second commit made in them breaks it. */
const BEFORE = /(?:^|\/)(pre-commit|prepare-commit-msg|commit-msg|pre-merge-commit)$/
/** Hooks in the midst of something else: the first has read the branch, the others run at each write, also at ours. */
const AMID = /(?:^|\/)(pre-rebase|post-index-change|reference-transaction)$/

/**
 * The hook that this process runs in, where a commit would break what git does, or null. Only the parents' command lines tell which it is.
 */
export async function insideUnfinished(
  env: Readonly<Record<string, string | undefined>>,
  parent: number,
): Promise<string | null> {
  if (env[OURS] !== undefined) return 'reference-transaction'
  if (!env.GIT_INDEX_FILE && !env.GIT_EXEC_PATH) return null
  for await (const { words } of processChain(parent)) {
    for (const word of words) {
      const name = (env.GIT_INDEX_FILE ? BEFORE.exec(word) : null) ?? AMID.exec(word)
      if (name?.[1] !== undefined) return name[1]
    }
  }
  return null
}

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
  { path, text, meta, isOwn }: Omit<SaveRequest, 'config' | 'isSaved' | 'of'>,
  constant: readonly { path: string; content: string }[],
): Promise<CommitOutcome> {
  if (meta.branch === null) throw detachedApart()
  const ref = separateRef(meta.branch)
  await checkRef(repo, ref)
  const here = await separateRefsHere(repo)
  return commitBeside(repo, { path, text, meta, isOwn }, constant, {
    ref,
    onto: (tip) => baseOfSeparate(repo, here, tip, meta.parents),
  })
}

/** Commits without a file in the work tree; when that fails, the brief is kept privately. Throws `notCommitted`. */
export async function commitBeside(
  repo: Repo,
  { path, text, meta, isOwn }: Pick<SaveRequest, 'path' | 'text' | 'meta' | 'isOwn'>,
  constant: readonly { path: string; content: string }[],
  where: Pick<CommitRequest, 'ref' | 'onto' | 'of'>,
): Promise<CommitOutcome> {
  if (isOwn) await recordCreated(repo.commonDir, path, blobId(repo, text))
  try {
    const files = [{ path, content: text }, ...constant]
    return await commitFiles(repo, { id: meta.id, files, message: commitMessage(meta), ...where })
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
