import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Held } from '../brief/state.ts'
import type { Invocation } from '../command.ts'
import { notPruned } from '../errors/briefs.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { whyNotCommitted } from '../errors/writing.ts'
import { commitFiles } from '../git/commit-files.ts'
import { orNull } from '../git/files.ts'
import { dropFiles } from '../git/heal.ts'
import { readBlobs } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { listBriefBlobs } from '../git/read-briefs.ts'
import { readEntries } from '../git/rewrite-index.ts'
import { holdsBlob } from '../git/work-file.ts'
import { metaOf } from './read-metas.ts'

/** A place that briefs are committed in: the tree of HEAD, or a branch of briefs. */
export interface Shelf {
  /** Null for HEAD. */
  ref: string | null
  held: (Held & { oid: string })[]
}

/** The briefs in the tree of HEAD, or on a branch of briefs, and whether they are in this worktree as they are there. Throws what the file system says. */
export async function readShelf(repo: Repo, ref: string | null): Promise<Shelf> {
  const blobs = await listBriefBlobs(repo, ref ?? 'HEAD')
  const [contents, entries] = await Promise.all([
    readBlobs(
      repo,
      blobs.map(({ oid }) => oid),
    ),
    ref === null
      ? readEntries(
          repo,
          blobs.map(({ path }) => path),
        )
      : new Map<string, { oid: string }>(),
  ])
  return {
    ref,
    held: blobs.map(({ id, path, oid, mode }) => {
      const staged = entries.get(path)
      return {
        id,
        path,
        oid,
        createdAt: mode === '100644' ? (metaOf(contents.get(oid), path)?.createdAt ?? null) : null,
        isEdited:
          ref === null &&
          ((staged !== undefined && staged.oid !== oid) ||
            (orNull(() => lstatSync(join(repo.root, path))) !== null && !holdsBlob(repo, path, oid))),
      }
    }),
  }
}

/**
 * Takes briefs out of a tree with a commit of its own, then their files off the disk, as far as those are what was committed;
 * history keeps them. Returns the commit. Throws `notPruned`, with nothing changed.
 */
export async function removeBriefs(
  { place }: Invocation,
  repo: Repo,
  { ref }: Shelf,
  removed: Shelf['held'],
): Promise<string> {
  const commit = () =>
    commitFiles(repo, {
      id: place.newId(null),
      files: removed.map(({ path }) => ({ path, content: null })),
      message: messageOf(removed),
      ...(ref === null ? {} : { ref }),
    }).catch((error: unknown) => {
      if (!isHandoffError(error) || error.code !== 'E_NOT_COMMITTED') throw error
      throw notPruned(whyNotCommitted(error), error)
    })
  return (await (ref === null ? dropFiles(repo, removed, commit) : commit())).commit
}

/** Ids named in the message; git lists the paths. */
const NAMED = 20

function messageOf(removed: readonly Held[]): string {
  const count = removed.length
  const ids = removed.slice(0, NAMED).map(({ id }) => id)
  const more = count > NAMED ? [`and ${count - NAMED} more`] : []
  return [
    `chore(handoff): take ${count} brief${count === 1 ? '' : 's'} out of the tree`,
    '',
    'History keeps them; `handoff log` lists them and `handoff show <id>` prints them.',
    '',
    ...[...ids, ...more].map((line) => `- ${line}`),
    '',
  ].join('\n')
}
