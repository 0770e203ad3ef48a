import type { Repo } from './open-repo.ts'
import { backOff, isPassing } from './retry.ts'
import { type IndexEntry, prepareIndex, readEntries, rewriteIndex } from './rewrite-index.ts'

/** A path and the blob the index shall hold there; null for none. */
export interface Wanted {
  path: string
  oid: string | null
}

/** What may have to be undone when the commit fails in the end: our entries as they were before. */
export interface Progress {
  entries: IndexEntry[] | null
}

/** An index with our entries that waits to take its place. */
export interface Stage {
  /** Ids of the blobs that git stored when it read our files. */
  stored: string[]
  swap(progress: Progress): void
  discard(): void
}

/**
 * Index first: a kill between the two leaves the brief staged, so that the user's next commit takes it along; the other
 * order leaves its deletion staged. `begun` is called when git has started on it, unless there is nothing to do.
 */
export async function prepareStage(
  repo: Repo,
  blobs: readonly Wanted[],
  begun: () => void = () => undefined,
): Promise<Stage | null> {
  const now = await readEntries(
    repo,
    blobs.map((blob) => blob.path),
  )
  const wanted = blobs.filter(({ path, oid }) => (now.get(path)?.oid ?? null) !== oid)
  if (wanted.length === 0) return null
  const prepared = await prepareIndex(
    repo,
    wanted.map(({ path, oid }) => ({ path, mode: '100644', oid })),
    begun,
  )
  if (!prepared) return null
  return {
    stored: prepared.isStored ? wanted.flatMap(({ oid }) => oid ?? []) : [],
    discard: prepared.discard,
    swap(progress) {
      prepared.swap()
      progress.entries = wanted.map(({ path }) => ({ path, mode: '100644', oid: null, ...now.get(path) }))
    },
  }
}

/** Puts our index entries back; returns what to tell the user when even that failed. */
export async function undo(repo: Repo, progress: Progress): Promise<string | null> {
  const { entries } = progress
  if (!entries) return null
  const end = performance.now() + 2000
  for (let round = 0; ; round++) {
    try {
      await rewriteIndex(repo, entries)
      progress.entries = null
      return null
    } catch (error) {
      if (!isPassing(error) || performance.now() > end)
        return `${entries.some(({ oid }) => oid !== null) ? 'their removal' : 'the brief'} is still staged (${error instanceof Error ? error.message : String(error)})`
      await backOff(round, undefined)
    }
  }
}
