import { statSync } from 'node:fs'
import { isHandoffError, orNull, reasonOf } from '../errors/handoff-error.ts'
import { notCommitted } from '../errors/writing.ts'
import { sweepPrivate } from '../private-folder.ts'
import type { Operation } from '../types/git.ts'
import { lookUp, readTreeView, treesWith } from './build-tree.ts'
import { NO_HOOKS } from './environment.ts'
import { blobId } from './files.ts'
import { failure } from './git.ts'
import { Busy, busyBy, heldLocks, inQueue, keepTrying, underLock } from './locks.ts'
import { type NewObject, writeObjects } from './objects.ts'
import { type Repo, withoutAbort } from './open-repo.ts'
import { findElsewhere, type Named, readUnderWay } from './operation.ts'
import { moveRefs, type RefMove, readHead, zeroId } from './refs.ts'
import type { Base } from './separate-branch.ts'
import { readConfig } from './settings.ts'
import { readHeadView } from './snapshot.ts'
import { withoutBrokenFilters } from './status.ts'

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
  /** Milliseconds to keep trying while somebody else holds a lock or moves the branch; default 30,000. */
  patience?: number
}

export interface CommitOutcome {
  /**
   * `parked`: under `refs/handoff/<id>`, as an operation is unfinished or another branch is checked out (`operation` null). `already`:
   * nothing to do.
   */
  state: 'committed' | 'parked' | 'already'
  commit: string
  /** Full name of the ref that holds the commit; `HEAD` when detached. */
  ref: string
  operation: Operation | null
  /** `handoff` when the user has no name or e-mail configured. Null when nothing was written. */
  identity: 'own' | 'handoff' | null
}

/** A path and the blob that git shall hold there; null for none. */
interface Wanted {
  path: string
  oid: string | null
}

/** What the user's index had at our paths before we wrote there; what was ours already, another handoff has put there. */
type Before = Map<string, { mode: string; oid: string } | undefined>

/**
 * Commits exactly these paths on the current branch and touches nothing else: not the user's other index entries, not the work tree, not
 * the stash; of the user's hooks only `reference-transaction` runs. The work-tree files are the caller's to write first. Objects first,
 * then our entries in the index, then the branch: a kill in between leaves a staged brief, never a staged deletion. Throws `notCommitted`
 * when it failed in the end, with the index as it was; rejects with the signal's reason on abort before the index was changed.
 */
export async function commitFiles(repo: Repo, request: CommitRequest): Promise<CommitOutcome> {
  const { files, patience = 30_000 } = request
  repo.signal?.throwIfAborted()
  const staged: Before = new Map()
  const wanted = files.map(({ path, content }) => ({
    path,
    oid: content === null ? null : blobId(repo, content),
  }))
  try {
    sweepPrivate(repo)
    const outcome = await inQueue(repo, () =>
      keepTrying(() => attempt(repo, request, wanted, staged), patience, repo.signal),
    )
    // Parked in a later attempt, or the branch was left in that moment: nothing of ours stays staged where the user is now.
    if (staged.size > 0 && (outcome.state === 'parked' || (await readHead(repo)).ref !== outcome.ref))
      await putBack(withoutAbort(repo), wanted, staged)
    return outcome
  } catch (error) {
    const problem = await putBack(withoutAbort(repo), wanted, staged)
    repo.signal?.throwIfAborted()
    if (isHandoffError(error) && error.code === 'E_UNSAFE_PATH') throw error
    const why = [reasonOf(error), ...(problem === null ? [] : [problem])].join('; ')
    throw notCommitted(files[0]?.path ?? '', why, error)
  }
}

async function attempt(
  repo: Repo,
  request: CommitRequest,
  wanted: readonly Wanted[],
  staged: Before,
): Promise<CommitOutcome> {
  const { id, of } = request
  const isHere = request.ref === undefined
  const underWay = isHere ? readUnderWay(repo.gitDir) : { operation: null, branch: null }
  const head = await readHead(repo)
  const away = isHere && of !== undefined ? await findElsewhere(repo, of) : null
  const { operation } = underWay
  const isParked = operation !== null || away !== null
  const ref = request.ref ?? head.ref
  const branch = away?.ref ?? (ref === 'HEAD' ? (underWay.branch ?? ref) : ref)
  const [before, made] = await Promise.all([
    isHere && !isParked ? readEntries(repo, pathsOf(wanted)) : null,
    makeCommit(repo, request, wanted, away?.rev ?? request.ref ?? 'HEAD', isParked ? branch : null),
  ])
  if (made.identity === null) return { state: 'already', commit: made.commit, ref, operation, identity: null }
  // To sign may take a person's time. A branch that was left meanwhile, or that a rebase has read, is not moved.
  if (isHere && JSON.stringify(readUnderWay(repo.gitDir)) !== JSON.stringify(underWay))
    throw new Busy('an operation began or ended meanwhile')
  if (isHere && (await readHead(repo)).text !== head.text) throw new Busy('the branch was switched meanwhile')
  repo.signal?.throwIfAborted()
  if (isParked) return { ...(await park(repo, id, made)), operation: away === null ? operation : null }
  if (before !== null) {
    await writeEntries(repo, wanted)
    for (const { path, oid } of wanted)
      if ((before.get(path)?.oid ?? null) !== oid) staged.set(path, before.get(path))
  }
  const written = stampOf(repo.indexPath)
  const moves: RefMove[] = [{ ref, to: made.commit, from: made.tip }]
  // A detached HEAD may be left at any time; this keeps the brief reachable.
  if (ref === 'HEAD') moves.push({ ref: `refs/handoff/${id}`, to: made.commit })
  await point(repo, moves, id)
  if (before !== null && stampOf(repo.indexPath) !== written)
    await keepTrying(() => stageAgain(repo, wanted, before), 1000).catch(() => undefined)
  return { state: 'committed', commit: made.commit, ref, operation, identity: made.identity }
}

const stampOf = (path: string): string => {
  const found = orNull(() => statSync(path))
  return `${found?.ino} ${found?.mtimeMs} ${found?.size}`
}

/**
 * A git of the user's that had read the index before we wrote there has written it since, without our entries, and failed, as the branch had
 * moved: their next commit would take the files out again.
 */
async function stageAgain(repo: Repo, wanted: readonly Wanted[], before: Before): Promise<void> {
  if (readUnderWay(repo.gitDir).operation !== null) return
  const [now, view] = await Promise.all([
    readEntries(repo, pathsOf(wanted)),
    readHeadView(repo, pathsOf(wanted)),
  ])
  const isLost = ({ path, oid }: Wanted): boolean => {
    const held = now.get(path)?.oid ?? null
    const isInHead = (lookUp(view, path)?.oid ?? null) === oid
    return isInHead && held !== oid && held === (before.get(path)?.oid ?? null)
  }
  await writeEntries(repo, wanted.filter(isLost))
}

const pathsOf = (wanted: readonly Wanted[]): string[] => wanted.map(({ path }) => path)

/** Moves the refs to the commit. Throws `Busy` when another moved one of them or holds a lock. */
async function point(repo: Repo, moves: readonly RefMove[], id: string): Promise<void> {
  try {
    await moveRefs(repo, moves, `handoff: ${id}`)
  } catch (error) {
    const names = moves.map(({ ref }) => ref)
    const now = (await repo.objects.read(names)).map((found) => found?.oid ?? null)
    // Git may say that it failed when it could not write the reflog of HEAD (git 2.39).
    if (moves.every(({ to }, at) => now[at] === to)) return
    const isLost = moves.some(({ from }, at) => from !== undefined && now[at] !== from)
    throw isLost || (await heldLocks(repo, 0)).length > 0 ? busyBy(error) : error
  }
}

/** The commit is on no branch yet. `identity` null: the branch holds everything, and the commit is its tip. */
interface Made {
  commit: string
  identity: CommitOutcome['identity']
  /** What the branch named before. */
  tip: string | null
}

/** Writes blobs, trees and the commit; nothing refers to them yet. `parkedOn`: the branch that shall adopt the commit. */
async function makeCommit(
  repo: Repo,
  { files, message, onto }: CommitRequest,
  wanted: readonly Wanted[],
  rev: string,
  parkedOn: string | null,
): Promise<Made> {
  const paths = pathsOf(wanted)
  const [view, config] = await Promise.all([readTreeView(repo, rev, paths), readConfig(repo)])
  const tip = view.commit
  const base = await onto?.(tip)
  const parents = base?.parents ?? (tip === null ? [] : [tip])
  const [first] = parents
  const built = first === undefined || first === tip ? view : await readTreeView(repo, first, paths)
  const all = [...wanted, ...(base?.files ?? [])]
  const isNew = ({ path, oid }: Wanted) => (lookUp(built, path)?.oid ?? null) !== oid
  if (tip !== null && first === tip && parents.length === 1 && !all.some(isNew))
    return { commit: tip, identity: null, tip }
  // No filter, no end-of-line conversion.
  const blobs = files.flatMap(({ content }, at): NewObject[] => {
    const one = wanted[at]
    return content !== null && one && isNew(one) ? [{ type: 'blob', content: Buffer.from(content) }] : []
  })
  const { root: tree, trees } = treesWith(repo, built, all)
  await writeObjects(repo, [...blobs, ...trees])
  const text = parkedOn === null ? message : parkedMessage(message, parkedOn)
  return {
    ...(await writeCommit(repo, { tree, parents, message: text, sign: config.isOn('commit.gpgsign') })),
    tip,
  }
}

/** Without a configured identity the missing half of it is `handoff`, and `identity` says so. Throws `gitFailed`. */
export async function writeCommit(
  repo: Repo,
  commit: { tree: string; parents: readonly string[]; message: string; sign: boolean },
): Promise<{ commit: string; identity: 'own' | 'handoff' }> {
  const parents = commit.parents.flatMap((parent) => ['-p', parent])
  const args = ['commit-tree', ...(commit.sign ? ['-S'] : []), commit.tree, ...parents, '-F', '-']
  // A signer may ask for a passphrase on the terminal, which a process group of its own would not have.
  const options = { input: commit.message, foreground: commit.sign }
  const first = await repo.run(args, options)
  if (first.code === 0) return { commit: first.stdout.toString('utf8').trim(), identity: 'own' }
  const asked = ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT'].map((name) => repo.run(['var', name]))
  if ((await Promise.all(asked)).every(({ code }) => code === 0)) throw failure(args, first)
  const { identity } = await readConfig(repo)
  const [name, email] = [identity.name || 'handoff', identity.email || 'handoff@localhost']
  const env = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  }
  return { commit: (await repo.git(args, { ...options, env })).trim(), identity: 'handoff' }
}

/** Keeps a commit under a ref of its own until its branch adopts it. The same tree parked again is the commit that is there. */
async function park(
  repo: Repo,
  id: string,
  { commit, identity }: Made,
): Promise<Omit<CommitOutcome, 'operation'>> {
  const ref = `refs/handoff/${id}`
  const names = [`${ref}^{commit}`, `${ref}^{tree}`, `${commit}^{tree}`]
  const [held, tree, ours] = await repo.objects.read(names)
  if (held && tree?.oid === ours?.oid) return { state: 'parked', ref, commit: held.oid, identity: null }
  await point(repo, [{ ref, to: commit, from: held?.oid ?? null }], id)
  return { state: 'parked', ref, commit, identity }
}

/** Puts our index entries back, but for what somebody else has committed by now. Returns what to tell the user when even that failed. */
async function putBack(repo: Repo, wanted: readonly Wanted[], staged: Before): Promise<string | null> {
  if (staged.size === 0) return null
  const write = async (): Promise<void> => {
    const view = await readHeadView(repo, pathsOf(wanted))
    const ours = wanted.filter(
      ({ path, oid }) => staged.has(path) && (lookUp(view, path)?.oid ?? null) !== oid,
    )
    await writeEntries(
      repo,
      ours.map(({ path }) => ({ path, oid: null, ...staged.get(path) })),
    )
  }
  return keepTrying(write, 2000).then(
    () => null,
    (error: unknown) =>
      `${wanted.some(({ oid }) => oid === null) ? 'their removal' : 'the brief'} is still staged (${reasonOf(error)})`,
  )
}

/** An entry as the index shall have it; `oid` null takes the path out. */
export interface IndexEntry {
  path: string
  mode?: string
  oid: string | null
}

/** More paths than that may be too many for a command line. */
const MAX_ARGUMENTS = 1000

/** Stage-0 entries of these paths in the user's index; absent and conflicted paths are not listed. Throws `gitFailed`. */
export async function readEntries(
  repo: Repo,
  paths: readonly string[],
): Promise<Map<string, { mode: string; oid: string }>> {
  const wanted = new Set(paths)
  const entries = new Map<string, { mode: string; oid: string }>()
  if (wanted.size === 0) return entries
  const named = wanted.size > MAX_ARGUMENTS ? [] : ['--', ...wanted]
  const out = await repo.git(['ls-files', '-s', '-z', ...named])
  for (const record of out.split('\0')) {
    const [, mode, oid, stage, path] = /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(record) ?? []
    if (mode && oid && path && stage === '0' && wanted.has(path)) entries.set(path, { mode, oid })
  }
  return entries
}

/**
 * Sets these entries in the user's index, without size and time, so that the next status reads the files. Throws `Busy`, `gitFailed`; then
 * nothing changed.
 */
export async function writeEntries(repo: Repo, entries: readonly IndexEntry[]): Promise<void> {
  if (entries.length === 0) return
  const lines = entries.map(({ path, mode = '100644', oid }) =>
    oid === null ? `0 ${zeroId(repo)}\t${path}\0` : `${mode} ${oid}\t${path}\0`,
  )
  const args = ['-c', NO_HOOKS, 'update-index', '-z', '--add', '--index-info']
  // Git reads files that changed in the second in which the index was written, through their filters.
  const write = (config: readonly string[]) =>
    repo.git([...config, ...args], { signal: undefined, input: lines.join('') })
  await underLock(`${repo.indexPath}.lock`, () => withoutBrokenFilters(write))
}

/** Call it when a file was written: git takes one whose size differs from that in the index for changed. Returns null, or why it failed. */
export const forgetStat = (repo: Repo, entry: IndexEntry): Promise<string | null> =>
  keepTrying(() => writeEntries(repo, [entry]), 1000).then(() => null, reasonOf)

/** Trailer of a parked commit: the branch that shall adopt it, or `HEAD`. */
const PARKED_ON = 'Handoff-Parked-On'

/** The message of a commit that waits for a branch (its full name, or `HEAD`). */
function parkedMessage(message: string, branch: string): string {
  const text = message.replace(/\n+$/, '')
  const last = text.slice(text.lastIndexOf('\n') + 1)
  return `${text}${/^[A-Za-z-]+: /.test(last) && text.includes('\n') ? '\n' : '\n\n'}${PARKED_ON}: ${branch}\n`
}

/** The branch that a commit waits for, by its text; null when it waits for none. */
export const parkedOn = (commit: string): string | null =>
  new RegExp(`^${PARKED_ON}: (HEAD|refs/heads/\\S+)$`, 'm').exec(commit)?.[1] ?? null

/** The message without the trailer, for the commit that adopts it. */
export const adoptedMessage = (message: string): string =>
  `${message.replace(new RegExp(`^${PARKED_ON}: .*\n?`, 'm'), '').trimEnd()}\n`
