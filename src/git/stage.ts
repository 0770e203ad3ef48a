import { statSync } from 'node:fs'
import { orNull } from '../errors/handoff-error.ts'
import type { Repo } from './open-repo.ts'
import { keepTrying } from './retry.ts'
import { type IndexEntry, prepareIndex, readEntries, rewriteIndex } from './rewrite-index.ts'
import { readInHead } from './snapshot.ts'

/** A path and the blob the index shall hold there; null for none. */
export interface Wanted {
  path: string
  oid: string | null
}

/** What may have to be undone when the commit fails in the end. */
export interface Progress {
  /** Our entries as they were before the first attempt, and what we put there; by path. */
  entries: Map<string, IndexEntry & { ours: string | null }>
}

/** An index with our entries that waits to take its place. */
export interface Stage {
  /** Ids of the blobs that git stored when it read our files. */
  stored: string[]
  /** Returns what the index file is then. */
  swap(progress: Progress): string | null
  discard(): void
}

/**
 * Index first: a kill between the two leaves the brief staged, so that the user's next commit takes it along; the other
 * order leaves its deletion staged. Null when there is nothing to do.
 */
export async function prepareStage(repo: Repo, blobs: readonly Wanted[]): Promise<Stage | null> {
  const now = await readEntries(
    repo,
    blobs.map((blob) => blob.path),
  )
  const wanted = blobs.filter(({ path, oid }) => (now.get(path)?.oid ?? null) !== oid)
  if (wanted.length === 0) return null
  const prepared = await prepareIndex(
    repo,
    wanted.map(({ path, oid }) => ({ path, mode: '100644', oid })),
  )
  if (!prepared) return null
  return {
    stored: prepared.isStored ? wanted.flatMap(({ oid }) => oid ?? []) : [],
    discard: prepared.discard,
    swap(progress) {
      prepared.swap()
      for (const { path, oid } of wanted) {
        // An attempt that comes again finds there what the one before has put there.
        const before = progress.entries.get(path) ?? { path, mode: '100644', oid: null, ...now.get(path) }
        progress.entries.set(path, { ...before, ours: oid })
      }
      return indexMark(repo)
    },
  }
}

/**
 * Puts our index entries back, but for what somebody else has committed just so meanwhile; returns what to tell the user when even that
 * failed.
 */
export async function undo(repo: Repo, progress: Progress): Promise<string | null> {
  const entries = [...progress.entries.values()]
  if (entries.length === 0) return null
  const problem = await put(repo, entries)
  if (problem !== null)
    return `${entries.some(({ oid }) => oid !== null) ? 'their removal' : 'the brief'} is still staged (${problem})`
  progress.entries.clear()
  const { held } = await readInHead(
    repo,
    entries.map(({ path }) => path),
  )
  // Looked at afterwards: a commit that comes later looks at the index itself.
  const taken = entries.filter(({ oid, ours }, at) => held[at] === ours && oid !== ours)
  return put(
    repo,
    taken.map(({ path, mode, ours }) => ({ path, mode, oid: ours })),
  )
}

/** What the index file is; another one after anybody has written to it. Null when it cannot be told. */
export const indexMark = (repo: Repo): string | null =>
  orNull(() => {
    const { ino, mtimeNs, size } = statSync(repo.indexPath, { bigint: true })
    return `${ino} ${mtimeNs} ${size}`
  })

/**
 * Puts back what somebody's `undo` took out of the index while our commit, which holds it, was on its way: its deletion would be staged.
 * Never fails the commit, which stands.
 */
export async function keepStaged(repo: Repo, blobs: readonly Wanted[]): Promise<void> {
  const paths = blobs.map(({ path }) => path)
  const [now, { held }] = await Promise.all([readEntries(repo, paths), readInHead(repo, paths)])
  const gone = blobs.filter(({ path, oid }, at) => oid !== null && held[at] === oid && !now.has(path))
  await put(
    repo,
    gone.map(({ path, oid }) => ({ path, mode: '100644', oid })),
  )
}

/** Writes entries into the index; null, or why it could not be done. */
async function put(repo: Repo, entries: readonly IndexEntry[]): Promise<string | null> {
  if (entries.length === 0) return null
  return keepTrying(() => rewriteIndex(repo, entries), 2000).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
}
