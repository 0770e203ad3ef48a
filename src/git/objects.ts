import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type GitObject, type ObjectReader, openCommitted, openObjects, readHeader } from './object-reader.ts'
import type { Repo } from './open-repo.ts'
import { orNull } from './or-null.ts'
import { spawnGitOk } from './spawn.ts'

/** Blobs above this size in bytes are not read: no brief is that large, and a planted one must not fill the memory. */
const MAX_BLOB = 256 * 1024

/**
 * Contents of blobs by id, as they were committed, whatever `git replace` puts in their place: trust is bound to the id.
 * Ids that are missing, no blobs, or larger than 256 KB are left out. `objects`: a reader that is open anyway. Throws
 * `gitFailed`.
 */
export async function readBlobs(
  repo: Repo,
  oids: readonly string[],
  objects: ObjectReader | null = null,
): Promise<Map<string, Buffer>> {
  const asked = [...new Set(oids)].filter((oid) => /^[0-9a-f]{40,64}$/.test(oid))
  const isFit = objects !== null && (objects.isBlind || !hasReplacements(repo.commonDir))
  const reader = isFit ? objects : openCommitted(repo)
  try {
    const found = await reader.read(asked, MAX_BLOB)
    return new Map(
      found.flatMap((object) => (object?.type === 'blob' ? [[object.oid, object.content] as const] : [])),
    )
  } finally {
    if (reader !== objects) reader.close()
  }
}

/** A look at the files of git, which in nearly every repository spares the process of a second reader. */
function hasReplacements(commonDir: string): boolean {
  const packed = join(commonDir, 'packed-refs')
  if (existsSync(join(commonDir, 'refs/replace')) || existsSync(join(commonDir, 'reftable'))) return true
  return existsSync(packed) && readFileSync(packed).includes(' refs/replace/')
}

/** Gives `work` a reader: the one that is open, else one of its own. */
export async function withObjects<T>(
  repo: Repo,
  open: ObjectReader | null,
  work: (objects: ObjectReader) => Promise<T>,
): Promise<T> {
  if (open !== null) return work(open)
  const objects = openObjects(repo)
  try {
    return await work(objects)
  } finally {
    objects.close()
  }
}

/** Id, type and size in bytes of what each revision expression names, in order; null for what is missing. */
export async function checkObjects(
  repo: Repo,
  names: readonly string[],
  options: { signal?: AbortSignal | undefined } = {},
): Promise<(Omit<GitObject, 'content'> | null)[]> {
  if (names.length === 0) return []
  const child = repo.child({ input: `${names.join('\n')}\n`, ...options })
  const out = await spawnGitOk(['cat-file', '--batch-check'], child)
  return out.toString('utf8').split('\n').slice(0, names.length).map(readHeader)
}

/** True when git has all these objects. Asks git only for those that are not in a file of their own. */
export async function areThere(repo: Repo, oids: readonly string[]): Promise<boolean> {
  const packed: string[] = []
  for (const oid of new Set(oids)) {
    const loose = join(repo.commonDir, 'objects', oid.slice(0, 2), oid.slice(2))
    if (orNull(() => statSync(loose))?.isFile() !== true) packed.push(oid)
  }
  const found = await checkObjects(repo, packed, { signal: undefined })
  return found.every((object) => object !== null)
}
