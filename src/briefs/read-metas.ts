import { readFrontMatter } from '../brief/front-matter.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { readBlobs } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import type { HistoryEntry } from '../git/read-history.ts'
import type { FrontMatter } from '../types/brief.ts'

/** The front matter of briefs in history, each id once; one that cannot be read is left to `check`. */
export async function readMetas(
  repo: Repo,
  entries: readonly HistoryEntry[],
): Promise<{ entry: HistoryEntry; meta: FrontMatter }[]> {
  const plain = entries.filter((entry) => entry.mode === '100644')
  const contents = await readBlobs(
    repo,
    plain.map(({ oid }) => oid),
  )
  const found = new Map<string, { entry: HistoryEntry; meta: FrontMatter }>()
  for (const entry of plain) {
    if (found.has(entry.id)) continue
    const meta = metaOf(contents.get(entry.oid), entry.path)
    if (meta !== null) found.set(entry.id, { entry, meta })
  }
  return [...found.values()]
}

/** The front matter of these bytes, or null when they have none that can be read. */
export function metaOf(content: Buffer | undefined, path: string): FrontMatter | null {
  if (content === undefined) return null
  try {
    return readFrontMatter(content.toString('utf8'), path).meta
  } catch (error) {
    if (isHandoffError(error)) return null
    throw error
  }
}
