import { unsafeFolder } from '../errors/briefs.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { notCommitted } from '../errors/writing.ts'
import type { Operation } from '../types/git.ts'
import { lookUp, readTreeView, writeTrees } from './build-tree.ts'
import { heal } from './heal.ts'
import type { RefMove } from './locks.ts'
import { moveRefs } from './move-ref.ts'
import { areThere, checkObjects } from './objects.ts'
import { type Repo, withoutAbort } from './open-repo.ts'
import { findElsewhere, type Named, readUnderWay } from './operation.ts'
import { keepBesideRebase, parkedMessage } from './parking.ts'
import { inQueue } from './queue.ts'
import { readHead } from './refs.ts'
import { Busy, isLost, keepTrying } from './retry.ts'
import type { Base } from './separate-branch.ts'
import { headHolding, type RepoSnapshot } from './snapshot.ts'
import { indexMark, keepStaged, type Progress, prepareStage, undo, type Wanted } from './stage.ts'
import { blobId } from './work-file.ts'
import { isSigning, outlastCollection, writeBlob, writeCommit } from './write-commit.ts'

export interface CommitRequest {
  /** Brief id, already checked against the strict pattern. */
  id: string
  /** Paths relative to the root and what git shall hold there; null takes the path out of the tree. */
  files: readonly { path: string; content: Buffer | string | null }[]
  /** The whole message, with trailers. */
  message: string
  /** What the brief says of its place: where another branch is checked out by now, the commit is parked for that one. */
  of?: Named
  /** Full name of another branch to commit on, which is not checked out; the index is then left alone. */
  ref?: string
  /** What the commit on that branch is built on, when that may be another commit than its tip; see `baseOfSeparate`. */
  onto?: (tip: string | null) => Promise<Base>
  /** What was read before, to spare questions whose answers do not change. */
  reading?: RepoSnapshot | null
  /** Milliseconds to keep trying while somebody else holds a lock, six times as long while others commit; default 30,000. */
  patience?: number
}

export interface CommitOutcome {
  /**
   * `parked`: an operation is unfinished, or another branch is checked out by now (`operation` null); the commit stands under
   * `refs/handoff/<id>`. `already`: nothing was to do.
   */
  state: 'committed' | 'parked' | 'already'
  commit: string
  /** Full name of the ref that holds the commit; `HEAD` when detached. */
  ref: string
  operation: Operation | null
  /** `handoff` when the user has no name or e-mail configured. Null when nothing was written. */
  identity: 'own' | 'handoff' | null
}

/**
 * Commits exactly these paths on the current branch and touches nothing else: not the user's other index entries, not
 * the work tree, not the stash; no pre-commit, commit-msg or post-commit hook runs. The work-tree files are the
 * caller's to write first. The order of the steps matters: a kill between them leaves a staged brief, never a staged
 * deletion. Throws `notCommitted` when it failed in the end, with the index as it was; rejects with the signal's reason on
 * abort before the branch moved.
 */
export async function commitFiles(repo: Repo, request: CommitRequest): Promise<CommitOutcome> {
  for (const { path } of request.files) checkPath(path)
  repo.signal?.throwIfAborted()
  const progress: Progress = { entries: new Map() }
  try {
    await heal(repo)
    const { patience = 30_000 } = request
    const most = (error: unknown) => (isLost(error) ? WORTH * patience : patience)
    const outcome = await inQueue(repo, () =>
      keepTrying(() => attempt(repo, request, progress), most, repo.signal),
    )
    // As late as can be: what a rebase has seen it writes down some ms after it has.
    if (outcome.state === 'committed' && outcome.ref.startsWith('refs/heads/') && request.ref === undefined)
      await keepBesideRebase(repo, { ...request, commit: outcome.commit, branch: outcome.ref })
    return outcome
  } catch (error) {
    // To take the index back when the branch holds it all would stage the deletion of what is committed.
    const isHere = request.ref === undefined
    const landed = isHere ? await headHolding(withoutAbort(repo), request.files).catch(() => null) : null
    if (landed !== null) return { state: 'committed', ...landed, operation: null, identity: null }
    const undone = await undo(repo, progress)
    repo.signal?.throwIfAborted()
    if (isHandoffError(error) && error.code === 'E_UNSAFE_PATH') throw error
    const detail = error instanceof Error ? error.message : String(error)
    throw notCommitted(request.files[0]?.path ?? '', undone === null ? detail : `${detail}; ${undone}`, error)
  }
}

/** So many times as long is tried while others get on: whoever holds a lock for good is another matter. */
const WORTH = 6

async function attempt(repo: Repo, request: CommitRequest, progress: Progress): Promise<CommitOutcome> {
  const isHere = request.ref === undefined
  const { operation, branch } = isHere ? readUnderWay(repo.gitDir) : ELSEWHERE
  const head = await readHead(repo)
  const isStale = () => isHere && !isSame(readUnderWay(repo.gitDir), { operation, branch })
  // HEAD is that of before or after it, and the brief would wait for a branch that never comes, or stand in the midst of a rebase.
  if (isStale()) throw new Busy('an operation began or ended meanwhile')
  const away = isHere && request.of !== undefined ? await findElsewhere(repo, request.of) : null
  const isParked = operation !== null || away !== null
  const ref = request.ref ?? head.ref
  const blobs = request.files.map(({ path, content }) => ({
    path,
    oid: content === null ? null : blobId(repo, content),
  }))
  const own = ref === 'HEAD' ? (branch ?? ref) : ref
  const place = { rev: away?.rev ?? request.ref ?? 'HEAD', waitsFor: isParked ? (away?.ref ?? own) : null }
  const staging = isHere && !isParked
  let mark = staging ? indexMark(repo) : null
  const index = staging ? await prepareStage(repo, blobs) : null
  try {
    const commit = await writeObjects(repo, request, blobs, place, index?.stored ?? [])
    if (commit.oid === null)
      return { state: 'already', commit: commit.parent, ref, operation, identity: null }
    const { oid, identity, parent, objects } = commit
    if (isParked) {
      const parked = `refs/handoff/${request.id}`
      const before = await alreadyParked(repo, parked, blobs)
      const outcome = { state: 'parked', ref: parked, operation: away === null ? operation : null } as const
      if (before !== null) return { ...outcome, commit: before, identity: null }
      await move(repo, request.id, [{ ref: parked, to: oid, from: null }], objects)
      return { ...outcome, commit: oid, identity }
    }
    repo.signal?.throwIfAborted()
    mark = index?.swap(progress) ?? mark
    // Not on somebody else's branch, and not on one that a rebase has read: then everything is looked at again.
    if (staging && ((await readHead(repo)).text !== head.text || isStale())) {
      const failed = await undo(repo, progress)
      throw new Busy(failed ?? 'the branch was switched meanwhile')
    }
    repo.signal?.throwIfAborted()
    const moves: RefMove[] = [{ ref, to: oid, from: parent }]
    // A detached HEAD may be left at any time; this keeps the brief reachable.
    if (ref === 'HEAD') moves.push({ ref: `refs/handoff/${request.id}`, to: oid })
    await move(repo, request.id, moves, objects)
    if (staging && indexMark(repo) !== mark) await keepStaged(repo, blobs).catch(() => undefined)
    return { state: 'committed', commit: oid, ref, operation, identity }
  } finally {
    index?.discard()
  }
}

/** The commit of an earlier attempt that parked the same brief, or null. Throws when the ref holds something else. */
async function alreadyParked(repo: Repo, ref: string, blobs: readonly Wanted[]): Promise<string | null> {
  const names = [`${ref}^{commit}`, ...blobs.map(({ path }) => `${ref}:${path}`)]
  const [commit, ...held] = await checkObjects(repo, names)
  if (!commit) return null
  if (!blobs.every(({ oid }, at) => (held[at]?.oid ?? null) === oid))
    throw new Error(`${ref} holds another brief`)
  return commit.oid
}

const ELSEWHERE = { operation: null, branch: null }
type UnderWay = ReturnType<typeof readUnderWay>
const isSame = (one: UnderWay, other: UnderWay) =>
  one.operation === other.operation && one.branch === other.branch

type Written =
  | { oid: string; identity: 'own' | 'handoff'; parent: string | null; objects: string[] }
  | { oid: null; parent: string }

/**
 * Writes blobs, trees and the commit; nothing refers to them yet. `stored`: blobs that git has already. `oid` null: the branch holds it all
 * already.
 */
async function writeObjects(
  repo: Repo,
  request: CommitRequest,
  blobs: readonly Wanted[],
  { rev, waitsFor }: { rev: string; waitsFor: string | null },
  stored: readonly string[],
): Promise<Written> {
  const paths = blobs.map((blob) => blob.path)
  const [tip, sign] = await Promise.all([
    readTreeView(repo, rev, paths),
    request.reading?.settings.then(({ signs }) => signs ?? isSigning(repo)) ?? isSigning(repo),
  ])
  const parent = tip.commit
  const base = await request.onto?.(parent)
  const parents = base?.parents ?? (parent === null ? [] : [parent])
  const [first] = parents
  const view = first === undefined || first === parent ? tip : await readTreeView(repo, first, paths)
  const wanted = [...blobs, ...(base?.files ?? [])]
  const isNew = ({ path, oid }: Wanted) => (lookUp(view, path)?.oid ?? null) !== oid
  if (parent !== null && first === parent && parents.length === 1 && !wanted.some(isNew))
    return { oid: null, parent }
  const added = blobs.flatMap((blob, at) => {
    const content = request.files[at]?.content ?? null
    return content !== null && blob.oid !== null && isNew(blob) ? [{ oid: blob.oid, content }] : []
  })
  for (const { oid, content } of added) if (!stored.includes(oid)) await writeBlob(repo, content)
  const { tree, made } = await writeTrees(repo, view, wanted)
  const message = waitsFor ? parkedMessage(request.message, waitsFor) : request.message
  const commit = await writeCommit(repo, { tree, parents, message, sign })
  return { ...commit, parent, objects: [commit.oid, ...made, ...added.map(({ oid }) => oid)] }
}

/** Moves the refs, then makes sure that no garbage collection took a new object away before it was reachable. */
async function move(repo: Repo, id: string, moves: RefMove[], objects: string[]): Promise<void> {
  // What is gone already shall not be named even for a moment: a collection that reads it then fails.
  if (!(await areThere(repo, objects))) throw new Busy('an object was pruned before the ref was moved')
  await moveRefs(repo, moves, `handoff: ${id}`)
  if (await outlastCollection(repo, objects)) return
  const back = moves.map(({ ref, to, from }) => ({
    ref,
    to: from ?? null,
    ...(to === null ? {} : { from: to }),
  }))
  await moveRefs(repo, back, `handoff: ${id} taken back`)
  throw new Busy('an object was pruned before the ref named it')
}

function checkPath(path: string): void {
  const parts = path.split('/')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these would break the line protocols of git
  if (/[\x00-\x1f\\]/.test(path) || parts.some((part) => /^(|\.{1,2}|\.git)$/i.test(part)))
    throw unsafeFolder(path, 'not a plain relative path')
}
