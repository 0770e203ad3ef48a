import { mkdirSync, readdirSync, renameSync, statSync, unlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import {
  forgetFile,
  isGone,
  isLeftAside,
  ownName,
  parseOwner,
  privateFolder,
  readRecord,
  removeFile,
  writeNew,
} from './files.ts'
import { freeConfig, freeIndex, freeRefs, type Healed, newHealed } from './locks.ts'
import type { Repo } from './open-repo.ts'
import { breakIfDead } from './queue.ts'
import { readEntries } from './rewrite-index.ts'
import { readInHead } from './snapshot.ts'
import { hashPlainFile, holdsBlob } from './work-file.ts'

/**
 * Clears up after handoffs that were killed: their private files, and the locks that provably are theirs. Costs one
 * directory listing when there is nothing to do. Called at the start of every write.
 */
export async function heal(repo: Repo): Promise<Healed> {
  const healed = newHealed()
  // In a linked worktree the second is one that all worktrees share.
  for (const gitDir of new Set([repo.gitDir, repo.commonDir]))
    await healIn(repo, join(gitDir, 'handoff'), healed)
  return healed
}

async function healIn(repo: Repo, folder: string, healed: Healed): Promise<void> {
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    // Whoever comes next would break it; nobody may come for long.
    if (name === 'queue.lock') breakIfDead(path)
    const owner = parseOwner(name)
    const found = owner || isLeftAside(name, null) ? orNull(() => statSync(path)) : null
    if (!found) continue
    const age = Date.now() - found.mtimeMs
    if (owner ? !isGone(owner, age) : !isLeftAside(name, age)) continue
    if (owner?.kind === 'index') freeIndex(`${repo.indexPath}.lock`, found.ino, healed)
    if (owner?.kind === 'ref') await freeRefs(repo, path, healed)
    if (owner?.kind === 'config') await freeConfig(repo, path, healed)
    if (owner?.kind === 'made') healed.kept.push(...[(await takeBackUnfinished(repo, path)) ?? []].flat())
    if (owner?.kind === 'drop' && !(await finishDrop(repo, path))) continue
    forgetFile(path)
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** A file that is about to be made and committed, and what it will hold. */
export interface Begun {
  path: string
  oid: string
  /** Worth keeping when it never gets its commit. */
  isBrief: boolean
}

/**
 * Runs `work`, which makes files and commits them. A record stands in the private folder meanwhile, by which `heal` takes back what a
 * kill left half-way: nobody was told of it. Throws what `work` throws.
 */
export async function withRecord<T>(repo: Repo, files: readonly Begun[], work: () => Promise<T>): Promise<T> {
  const record = join(privateFolder(repo), ownName('made'))
  writeNew(record, JSON.stringify(files))
  try {
    return await work()
  } finally {
    forgetFile(record)
  }
}

/**
 * Takes the files of a record out of the work tree that are what was written and neither staged nor committed; where the brief is
 * kept instead, or null. What was staged goes with the next commit.
 */
async function takeBackUnfinished(repo: Repo, record: string): Promise<string | null> {
  const files = readRecord<Begun[]>(record)
  return files === null ? null : takeBack(repo, files)
}

/** The same for files that this process has made. */
export async function takeBack(repo: Repo, files: readonly Begun[]): Promise<string | null> {
  const paths = files.map(({ path }) => path)
  const [{ held }, staged] = await Promise.all([readInHead(repo, paths), readEntries(repo, paths)])
  let kept: string | null = null
  for (const [at, { path, oid, isBrief }] of files.entries()) {
    if (held[at] !== null || staged.has(path) || hashPlainFile(repo, path) !== oid) continue
    if (isBrief) kept = keep(repo, path)
    else unlinkSync(join(repo.root, path))
  }
  return kept
}

function keep(repo: Repo, path: string): string | null {
  const folder = join(repo.commonDir, 'handoff', 'drafts')
  const target = join(folder, basename(path))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    renameSync(join(repo.root, path), target)
    return target
  } catch (error) {
    // On another file system it stays where it is, whole.
    if ((error as NodeJS.ErrnoException).code === 'EXDEV') return null
    throw error
  }
}

/** A file that a commit takes out of the tree, and what it holds there. */
export interface Dropped {
  path: string
  oid: string
}

/**
 * Runs `commit`, which takes files out of the tree of HEAD, then takes them off the disk, as far as they are what was committed. A
 * record stands in the private folder meanwhile, by which `heal` finishes what a kill cut off. Throws what `commit` throws.
 */
export async function dropFiles<T>(
  repo: Repo,
  files: readonly Dropped[],
  commit: () => Promise<T>,
): Promise<T> {
  const record = join(privateFolder(repo), ownName('drop'))
  writeNew(record, JSON.stringify(files.map(({ path, oid }) => ({ path, oid }))))
  let isOver = true
  try {
    const made = await commit()
    for (const file of files) removeUnchanged(repo, file)
    return made
  } catch (error) {
    isOver = await areStaged(repo, files).catch(() => false)
    throw error
  } finally {
    if (isOver) forgetFile(record)
  }
}

/** False when the index could not be put back: whoever commits next takes them out of the tree. */
async function areStaged(repo: Repo, files: readonly Dropped[]): Promise<boolean> {
  const entries = await readEntries(
    repo,
    files.map(({ path }) => path),
  )
  return files.every(({ path }) => entries.has(path))
}

/**
 * Takes the files of a record off the disk that HEAD does not hold any more; all of them stay when its commit never came. False: that
 * may still come, by somebody else, and the record is needed then. Throws `gitFailed`.
 */
async function finishDrop(repo: Repo, record: string): Promise<boolean> {
  const files = readRecord<Dropped[]>(record)
  if (files === null) return true
  const { held } = await readInHead(
    repo,
    files.map(({ path }) => path),
  )
  let isRemoved = true
  for (const [at, file] of files.entries())
    try {
      if (held[at] === null) removeUnchanged(repo, file)
    } catch {
      // A brief that lies about is no reason to make no other; it goes when it can.
      isRemoved = false
    }
  return isRemoved && (held.every((oid) => oid === null) || areStaged(repo, files))
}

/** Somebody may have written to it meanwhile. Throws what the file system says. */
function removeUnchanged(repo: Repo, { path, oid }: Dropped): void {
  if (holdsBlob(repo, path, oid)) removeFile(join(repo.root, path))
}
