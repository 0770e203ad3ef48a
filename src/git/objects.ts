import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repo } from './open-repo.ts'
import { spawnGitOk } from './spawn.ts'

/** Briefs above this size in bytes are never read (RELIABILITY §4). */
const MAX_BLOB = 256 * 1024

export interface GitObject {
  oid: string
  type: string
  content: Buffer
}

/** Reads the answers of `git cat-file --batch`, one per question in order; null for what is missing. */
export function parseObjects(out: Buffer): (GitObject | null)[] {
  const objects: (GitObject | null)[] = []
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf(10, at)
    const [, oid, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(out.toString('utf8', at, end)) ?? []
    if (oid === undefined || type === undefined) {
      objects.push(null)
      at = end + 1
    } else {
      const start = end + 1
      const stop = start + Number(size)
      objects.push({ oid, type, content: out.subarray(start, stop) })
      at = stop + 1
    }
  }
  return objects
}

/**
 * Contents of blobs by id, in two processes however many there are. Ids that are missing, no blobs, or larger than
 * 256 KB are left out. Throws `gitFailed`.
 */
export async function readBlobs(repo: Repo, oids: readonly string[]): Promise<Map<string, Buffer>> {
  const asked = [...new Set(oids)].filter((oid) => /^[0-9a-f]{40,64}$/.test(oid))
  const sizes = await checkObjects(repo, asked)
  const wanted = asked.filter((_, at) => {
    const found = sizes[at]
    return found?.type === 'blob' && found.size <= MAX_BLOB
  })
  if (wanted.length === 0) return new Map()
  const out = await spawnGitOk(['cat-file', '--batch'], repo.child({ input: `${wanted.join('\n')}\n` }))
  return new Map(
    parseObjects(out).flatMap((object) => (object ? [[object.oid, object.content] as const] : [])),
  )
}

/** Id, type and size in bytes of what each revision expression names, in order; null for what is missing. */
export async function checkObjects(
  repo: Repo,
  names: readonly string[],
  options: { signal?: AbortSignal | undefined } = {},
): Promise<({ oid: string; type: string; size: number } | null)[]> {
  if (names.length === 0) return []
  const child = repo.child({ input: `${names.join('\n')}\n`, ...options })
  const out = await spawnGitOk(['cat-file', '--batch-check'], child)
  return out
    .toString('utf8')
    .split('\n')
    .slice(0, names.length)
    .map((line) => {
      const [, oid, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line) ?? []
      return oid && type ? { oid, type, size: Number(size) } : null
    })
}

/** True when git has all these objects. Asks git only for those that are not in a file of their own. */
export async function areThere(repo: Repo, oids: readonly string[]): Promise<boolean> {
  const packed: string[] = []
  for (const oid of new Set(oids)) {
    const loose = join(repo.commonDir, 'objects', oid.slice(0, 2), oid.slice(2))
    if (!(await isFile(loose))) packed.push(oid)
  }
  const found = await checkObjects(repo, packed, { signal: undefined })
  return found.every((object) => object !== null)
}

const isFile = (path: string) =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
