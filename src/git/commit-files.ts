import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isHandoffError, notCommitted, unsafeFolder } from '../errors.ts'
import type { Operation } from '../types.ts'
import { lookUp, readTreeView, writeTrees } from './build-tree.ts'
import { heal } from './heal.ts'
import { moveRefs, type RefMove } from './move-ref.ts'
import { checkObjects } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { operationBranch, readOperation } from './operation.ts'
import { inQueue } from './queue.ts'
import { Busy, backOff, isPassing } from './retry.ts'
import { type IndexEntry, readEntries, rewriteIndex } from './rewrite-index.ts'
import { isSigning, writeBlobs, writeCommit } from './write-commit.ts'

export interface CommitRequest {
  /** Brief id, already checked against the strict pattern. */
  id: string
  /** Paths relative to the root and what git shall hold there; null takes the path out of the tree. */
  files: readonly { path: string; content: Buffer | string | null }[]
  /** The whole message, with trailers. */
  message: string
  /** Full name of another branch to commit on, which is not checked out; the index is then left alone. */
  ref?: string
  /** Milliseconds to keep trying while somebody else holds a lock; default 30,000. */
  patience?: number
}

export interface CommitOutcome {
  /** `parked`: an operation is unfinished, the commit stands under `refs/handoff/<id>`. `already`: nothing was to do. */
  state: 'committed' | 'parked' | 'already'
  commit: string
  /** Full name of the ref that holds the commit; `HEAD` when detached. */
  ref: string
  operation: Operation | null
  /** `handoff` when the user has no name or e-mail configured. Null when nothing was written. */
  identity: 'own' | 'handoff' | null
}

/** Trailer of a parked commit: the branch that shall adopt it, or `HEAD`. */
export const PARKED_ON = 'Handoff-Parked-On'

/** What may have to be undone when the commit fails in the end: our entries as they were before. */
interface Progress {
  entries: IndexEntry[] | null
}

/**
 * Commits exactly these paths on the current branch and touches nothing else: not the user's other index entries, not
 * the work tree, not the stash; no pre-commit, commit-msg or post-commit hook runs. The work-tree files are the
 * caller's to write first. Recipe and its order: RELIABILITY §2.2 (a kill between the steps leaves a staged brief,
 * never a staged deletion). Throws `notCommitted` when it failed in the end, with the index as it was; rejects with
 * the signal's reason on abort before the branch moved.
 */
export async function commitFiles(repo: Repo, request: CommitRequest): Promise<CommitOutcome> {
  for (const { path } of request.files) checkPath(path)
  repo.signal?.throwIfAborted()
  const progress: Progress = { entries: null }
  try {
    await heal(repo)
    return await inQueue(repo, () => keepTrying(repo, request, progress))
  } catch (error) {
    const undone = await undo(repo, progress)
    repo.signal?.throwIfAborted()
    if (isHandoffError(error) && error.code === 'E_UNSAFE_PATH') throw error
    const detail = error instanceof Error ? error.message : String(error)
    throw notCommitted(request.files[0]?.path ?? '', undone === null ? detail : `${detail}; ${undone}`, error)
  }
}

async function keepTrying(repo: Repo, request: CommitRequest, progress: Progress): Promise<CommitOutcome> {
  const end = Date.now() + (request.patience ?? 30_000)
  for (let round = 0; ; round++) {
    try {
      return await attempt(repo, request, progress)
    } catch (error) {
      if (!isPassing(error) || Date.now() > end) throw error
      await backOff(round, repo.signal)
    }
  }
}

async function attempt(repo: Repo, request: CommitRequest, progress: Progress): Promise<CommitOutcome> {
  const operation = request.ref === undefined ? readOperation(repo.gitDir) : null
  const headBefore = await readFile(join(repo.gitDir, 'HEAD'), 'utf8')
  const paths = request.files.map((file) => file.path)
  const contents = request.files.flatMap((file) => file.content ?? [])
  const [ref, view, sign, oids] = await Promise.all([
    request.ref ?? currentRef(repo),
    readTreeView(repo, request.ref ?? 'HEAD', paths),
    isSigning(repo),
    writeBlobs(repo, contents),
  ])
  const ids = oids.values()
  const blobs = request.files.map(({ path, content }) => ({
    path,
    oid: content === null ? null : (ids.next().value ?? null),
  }))
  if (view.commit !== null && blobs.every(({ path, oid }) => (lookUp(view, path)?.oid ?? null) === oid))
    return { state: 'already', commit: view.commit, ref, operation, identity: null }
  const { tree, made } = await writeTrees(repo, view, blobs)
  const message = operation ? withTrailer(request.message, parkingBranch(repo, ref)) : request.message
  const { oid, identity } = await writeCommit(repo, { tree, parent: view.commit, message, sign })
  const written = { objects: [oid, ...made, ...oids], commit: oid }
  if (operation) {
    const parked = `refs/handoff/${request.id}`
    await move(repo, request.id, [{ ref: parked, to: oid, from: null }], written.objects)
    return { state: 'parked', commit: oid, ref: parked, operation, identity }
  }
  if (request.ref === undefined) {
    await stage(repo, blobs, progress)
    // Nobody else's branch: if the user switched meanwhile, everything is looked at again.
    if ((await readFile(join(repo.gitDir, 'HEAD'), 'utf8')) !== headBefore && ref !== 'HEAD') {
      const failed = await undo(repo, progress)
      throw new Busy(failed ?? 'the branch was switched meanwhile')
    }
  }
  repo.signal?.throwIfAborted()
  const moves: RefMove[] = [{ ref, to: oid, from: view.commit }]
  // A detached HEAD may be left at any time; this keeps the brief reachable.
  if (ref === 'HEAD') moves.push({ ref: `refs/handoff/${request.id}`, to: oid })
  await move(repo, request.id, moves, written.objects)
  return { state: 'committed', commit: oid, ref, operation, identity }
}

/** Moves the refs, then makes sure that no garbage collection took a new object away before it was reachable. */
async function move(repo: Repo, id: string, moves: RefMove[], objects: string[]): Promise<void> {
  await moveRefs(repo, moves, `handoff: ${id}`)
  const found = await checkObjects(repo, [...new Set(objects)], { signal: undefined })
  if (found.every((object) => object !== null)) return
  const back = moves.map(({ ref, to, from }) => ({
    ref,
    to: from ?? null,
    ...(to === null ? {} : { from: to }),
  }))
  await moveRefs(repo, back, `handoff: ${id} taken back`)
  throw new Busy('an object was pruned before the ref named it')
}

/** Index first: a kill after this leaves the brief staged, so that the user's next commit takes it along. */
async function stage(
  repo: Repo,
  blobs: { path: string; oid: string | null }[],
  progress: Progress,
): Promise<void> {
  const now = await readEntries(
    repo,
    blobs.map((blob) => blob.path),
  )
  const wanted = blobs.filter(({ path, oid }) => (now.get(path)?.oid ?? null) !== oid)
  if (wanted.length === 0) return
  const before = wanted.map(({ path }) => ({ path, mode: '100644', oid: null, ...now.get(path) }))
  const entries = wanted.map(({ path, oid }) => ({ path, mode: '100644', oid }))
  if ((await rewriteIndex(repo, entries)) === 'done') progress.entries = before
}

/** Puts our index entries back; returns what to tell the user when even that failed. */
async function undo(repo: Repo, progress: Progress): Promise<string | null> {
  const { entries } = progress
  if (!entries) return null
  const end = Date.now() + 2000
  for (let round = 0; ; round++) {
    try {
      await rewriteIndex(repo, entries)
      progress.entries = null
      return null
    } catch (error) {
      if (!isPassing(error) || Date.now() > end)
        return `the brief is still staged (${error instanceof Error ? error.message : String(error)})`
      await backOff(round, undefined)
    }
  }
}

/** Full name of the branch that HEAD names, born or not; `HEAD` when detached. */
async function currentRef(repo: Repo): Promise<string> {
  return (await repo.git(['symbolic-ref', '-q', 'HEAD'], { answers: [1] })).trim() || 'HEAD'
}

const parkingBranch = (repo: Repo, ref: string) =>
  ref === 'HEAD' ? (operationBranch(repo.gitDir) ?? ref) : ref

function withTrailer(message: string, branch: string): string {
  const text = message.replace(/\n+$/, '')
  const last = text.slice(text.lastIndexOf('\n') + 1)
  return `${text}${/^[A-Za-z-]+: /.test(last) && text.includes('\n') ? '\n' : '\n\n'}${PARKED_ON}: ${branch}\n`
}

function checkPath(path: string): void {
  const parts = path.split('/')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these would break the line protocols of git
  if (/[\x00-\x1f\\]/.test(path) || parts.some((part) => /^(|\.{1,2}|\.git)$/i.test(part)))
    throw unsafeFolder(path, 'not a plain relative path')
}
