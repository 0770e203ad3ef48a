import { unsafeFolder } from '../errors/briefs.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { notCommitted } from '../errors/writing.ts'
import type { Operation } from '../types/git.ts'
import { lookUp, readTreeView, writeTrees } from './build-tree.ts'
import { heal } from './heal.ts'
import type { RefMove } from './locks.ts'
import { moveRefs, openMover, type RefMover } from './move-ref.ts'
import { areThere, checkObjects, type ObjectReader, withObjects } from './objects.ts'
import { type Repo, withoutAbort } from './open-repo.ts'
import { findElsewhere, type Named, readUnderWay } from './operation.ts'
import { keepBesideRebase, parkedMessage } from './parking.ts'
import { inQueue } from './queue.ts'
import { readHead } from './refs.ts'
import { Busy, backOff, isLost, isPassing } from './retry.ts'
import type { Base } from './separate-branch.ts'
import { headHolding, type RepoSnapshot } from './snapshot.ts'
import { indexMark, keepStaged, type Progress, prepareStage, type Stage, undo, type Wanted } from './stage.ts'
import { blobId } from './work-file.ts'
import { isSigning, outlastCollection, writeBlobs, writeCommit } from './write-commit.ts'

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
  onto?: (tip: string | null, objects: ObjectReader) => Promise<Base>
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
    const outcome = await inQueue(repo, () =>
      withObjects(repo, request.reading?.objects ?? null, (objects) =>
        keepTrying(repo, objects, request, progress),
      ),
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

async function keepTrying(
  repo: Repo,
  objects: ObjectReader,
  request: CommitRequest,
  progress: Progress,
): Promise<CommitOutcome> {
  const { patience = 30_000 } = request
  const begun = performance.now()
  for (let round = 0; ; round++) {
    try {
      return await attempt(repo, objects, request, progress)
    } catch (error) {
      const most = isLost(error) ? WORTH * patience : patience
      if (!isPassing(error) || performance.now() > begun + most) throw error
      await backOff(round, repo.signal)
    }
  }
}

async function attempt(
  repo: Repo,
  reader: ObjectReader,
  request: CommitRequest,
  progress: Progress,
): Promise<CommitOutcome> {
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
  const staging = isHere && !isParked
  let begun = () => {}
  const beginning = new Promise<void>((resolve) => {
    begun = resolve
  })
  let mark = staging ? indexMark(repo) : null
  const stage = staging ? prepareStage(repo, blobs, begun) : Promise.resolve(null)
  // The index takes longest, so its git is the first to start; a failure is told where `stage` is awaited.
  await Promise.race([beginning, stage.catch(() => null)])
  const own = ref === 'HEAD' ? (branch ?? ref) : ref
  const place = { rev: away?.rev ?? request.ref ?? 'HEAD', waitsFor: isParked ? (away?.ref ?? own) : null }
  const writing = writeObjects(repo, reader, request, blobs, place, stage)
  // Started while the others work; they are all told what to do only when its turn has come.
  const mover = openMover(repo, `handoff: ${request.id}`)
  let index: Stage | null = null
  try {
    const [commit, prepared] = await both(writing, stage)
    index = prepared
    if (commit.oid === null)
      return { state: 'already', commit: commit.parent, ref, operation, identity: null }
    const { oid, identity, parent, objects } = commit
    if (isParked) {
      const parked = `refs/handoff/${request.id}`
      const before = await alreadyParked(repo, parked, blobs)
      const outcome = { state: 'parked', ref: parked, operation: away === null ? operation : null } as const
      if (before !== null) return { ...outcome, commit: before, identity: null }
      await move(repo, mover, request.id, [{ ref: parked, to: oid, from: null }], objects)
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
    await move(repo, mover, request.id, moves, objects)
    if (staging && indexMark(repo) !== mark) await keepStaged(repo, blobs).catch(() => undefined)
    return { state: 'committed', commit: oid, ref, operation, identity }
  } finally {
    mover.discard()
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

/** Both results; when one fails, the other is awaited first and its private files are cleared away. */
async function both<A, B extends { discard(): void } | null>(
  first: Promise<A>,
  second: Promise<B>,
): Promise<[A, B]> {
  const [one, two] = await Promise.allSettled([first, second])
  if (one.status === 'fulfilled' && two.status === 'fulfilled') return [one.value, two.value]
  if (two.status === 'fulfilled') two.value?.discard()
  throw one.status === 'rejected' ? one.reason : (two as PromiseRejectedResult).reason
}

const ELSEWHERE = { operation: null, branch: null }
type UnderWay = ReturnType<typeof readUnderWay>
const isSame = (one: UnderWay, other: UnderWay) =>
  one.operation === other.operation && one.branch === other.branch

type Written =
  | { oid: string; identity: 'own' | 'handoff'; parent: string | null; objects: string[] }
  | { oid: null; parent: string }

/** Writes blobs, trees and the commit; nothing refers to them yet. `oid` null: the branch holds it all already. */
async function writeObjects(
  repo: Repo,
  reader: ObjectReader,
  request: CommitRequest,
  blobs: readonly Wanted[],
  { rev, waitsFor }: { rev: string; waitsFor: string | null },
  stage: Promise<Stage | null>,
): Promise<Written> {
  const paths = blobs.map((blob) => blob.path)
  const [tip, sign] = await Promise.all([
    readTreeView(reader, rev, paths),
    request.reading?.settings.then(({ signs }) => signs ?? isSigning(repo)) ?? isSigning(repo),
  ])
  const parent = tip.commit
  const base = await request.onto?.(parent, reader)
  const parents = base?.parents ?? (parent === null ? [] : [parent])
  const [first] = parents
  const view = first === undefined || first === parent ? tip : await readTreeView(reader, first, paths)
  const wanted = [...blobs, ...(base?.files ?? [])]
  const isNew = ({ path, oid }: Wanted) => (lookUp(view, path)?.oid ?? null) !== oid
  if (parent !== null && first === parent && parents.length === 1 && !wanted.some(isNew))
    return { oid: null, parent }
  const storing = storeBlobs(repo, request, blobs.filter(isNew), stage)
  // Awaited below, with the commit that waits for the trees.
  storing.catch(() => undefined)
  const { tree, made, stored } = writeTrees(repo, view, wanted, storing)
  const message = waitsFor ? parkedMessage(request.message, waitsFor) : request.message
  const [commit, oids] = await Promise.all([
    writeCommit(repo, { tree, parents, message, sign, stored }),
    storing,
  ])
  return { ...commit, parent, objects: [commit.oid, ...made, ...oids] }
}

/** Ids of these blobs, which git has then: what it stored when it read the files for the index is not written again. */
async function storeBlobs(
  repo: Repo,
  { files }: CommitRequest,
  blobs: readonly Wanted[],
  stage: Promise<Stage | null>,
): Promise<string[]> {
  const stored = (await stage)?.stored ?? []
  const left = blobs.filter(({ oid }) => oid !== null && !stored.includes(oid)).map(({ path }) => path)
  const contents = files.flatMap(({ path, content }) =>
    content !== null && left.includes(path) ? content : [],
  )
  await writeBlobs(repo, contents)
  return blobs.flatMap(({ oid }) => oid ?? [])
}

/** Moves the refs, then makes sure that no garbage collection took a new object away before it was reachable. */
async function move(
  repo: Repo,
  mover: RefMover,
  id: string,
  moves: RefMove[],
  objects: string[],
): Promise<void> {
  // What is gone already shall not be named even for a moment: a collection that reads it then fails.
  if (!(await areThere(repo, objects))) throw new Busy('an object was pruned before the ref was moved')
  await mover.move(moves)
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
