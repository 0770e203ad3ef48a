import { readFrontMatter } from '../brief/front-matter.ts'
import { type ParsedBrief, parseBrief } from '../brief/parse.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { readBlobs } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import type { HistoryEntry } from '../git/read-history.ts'
import { type MetaIndex, openMetaIndex } from '../store/meta-index.ts'
import type { FrontMatter } from '../types/brief.ts'

/** The contents of these blobs by id, without those that are gone or too large. Throws `gitFailed`. */
export const contentsOf = (repo: Repo, blobs: readonly { oid: string }[]): Promise<Map<string, Buffer>> =>
  readBlobs(
    repo,
    blobs.map(({ oid }) => oid),
  )

/** The front matter of these blobs by id, without those that have none that can be read; from the index as far as it knows them. */
export async function metasOf(
  repo: Repo,
  blobs: readonly { oid: string; path: string }[],
  index?: MetaIndex,
): Promise<Map<string, FrontMatter>> {
  const known = index ?? (await openMetaIndex(repo.commonDir, blobs))
  const contents = await contentsOf(
    repo,
    blobs.filter(({ oid }) => known.get(oid) === undefined),
  )
  const found = new Map<string, FrontMatter>()
  for (const { oid, path } of blobs) {
    const content = contents.get(oid)
    const meta = known.get(oid) ?? (content && metaOrWhy(content, path))
    if (meta === undefined || typeof meta === 'string') continue
    if (content !== undefined) known.add(oid, meta)
    found.set(oid, meta)
  }
  if (index === undefined) await known.save()
  return found
}

/** The front matter of briefs in history, each id once; one that cannot be read is left to `check`. */
export async function readMetas(
  repo: Repo,
  entries: readonly HistoryEntry[],
): Promise<{ entry: HistoryEntry; meta: FrontMatter }[]> {
  const plain = entries.filter((entry) => entry.mode === '100644')
  const metas = await metasOf(repo, plain)
  const found = new Map<string, { entry: HistoryEntry; meta: FrontMatter }>()
  for (const entry of plain) {
    if (found.has(entry.id)) continue
    const meta = metas.get(entry.oid)
    if (meta !== undefined) found.set(entry.id, { entry, meta })
  }
  return [...found.values()]
}

/** The front matter of these bytes, or why they have none that can be read. */
export const metaOrWhy = (content: Buffer, path: string): FrontMatter | string =>
  orWhy(() => readFrontMatter(content.toString('utf8'), path).meta)

/** Briefs of git by id, each parsed, or why it cannot be. Throws `gitFailed`. */
export async function readParsed(
  repo: Repo,
  entries: readonly { id: string; path: string; oid: string }[],
): Promise<Map<string, ParsedBrief | string>> {
  const contents = await contentsOf(repo, entries)
  return new Map(
    entries.map(({ id, path, oid }) => {
      const text = contents.get(oid)?.toString('utf8')
      return [id, text === undefined ? 'its text is not in this clone' : orWhy(() => parseBrief(text, path))]
    }),
  )
}

function orWhy<T>(read: () => T): T | string {
  try {
    return read()
  } catch (error) {
    if (isHandoffError(error)) return error.message
    throw error
  }
}
