import { isDeepStrictEqual } from 'node:util'
import { readFrontMatter } from '../brief/front-matter.ts'
import { type ParsedBrief, parseBrief } from '../brief/parse.ts'
import { isHandoffError, orNull } from '../errors/handoff-error.ts'
import { readBlobs } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import type { HistoryEntry } from '../git/read-history.ts'
import { readPrivate, writePrivate } from '../store/private.ts'
import type { FrontMatter } from '../types/brief.ts'

/** The contents of these blobs by id, without those that are gone or too large. Throws `gitFailed`. */
export const contentsOf = (repo: Repo, blobs: readonly { oid: string }[]): Promise<Map<string, Buffer>> =>
  readBlobs(
    repo,
    blobs.map(({ oid }) => oid),
  )

type Listed = { oid: string; path: string; mode?: string }

/** Of each repository that a command reads the index, opened once. */
const indexes = new WeakMap<Repo, Promise<MetaIndex>>()

/** The front matter of each of these blobs, or why it has none that can be read; from the index as far as that knows it. */
export async function metasOrWhy(repo: Repo, blobs: readonly Listed[]): Promise<(FrontMatter | string)[]> {
  if (blobs.length === 0) return []
  const plain = blobs.filter(({ mode = PLAIN }) => mode === PLAIN)
  const index = indexes.get(repo) ?? openMetaIndex(repo.commonDir)
  indexes.set(repo, index)
  const known = await index
  const contents = await contentsLeft(
    repo,
    plain.filter(({ oid }) => known.get(oid) === undefined),
  )
  const found = blobs.map(({ oid, path, mode = PLAIN }) => {
    if (mode !== PLAIN) return `mode ${mode}: it must be a plain file`
    const content = contents.get(oid)
    if (content === undefined) return known.get(oid) ?? 'git cannot give it here, or it is larger than 256 KB'
    const meta = orWhy(() => readFrontMatter(content.toString('utf8'), path).meta)
    if (typeof meta !== 'string') known.add(oid, meta)
    return meta
  })
  await known.save()
  return found
}

const PLAIN = '100644'
/** After so many objects that git cannot give, the others are not asked for: each may wait for a server. */
const MOST_FAILURES = 5

/** An object that is corrupt, or that a partial clone cannot fetch now, ends the process; it must not take others along. */
async function contentsLeft(repo: Repo, blobs: readonly { oid: string }[]): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  const add = async (some: readonly { oid: string }[]): Promise<boolean> => {
    try {
      for (const [oid, content] of await contentsOf(repo, some)) found.set(oid, content)
      return true
    } catch (error) {
      if (!isHandoffError(error) || error.code !== 'E_GIT') throw error
      return false
    }
  }
  if (await add(blobs)) return found
  for (let at = 0, failures = 0; at < blobs.length && failures < MOST_FAILURES; at++)
    if (!(await add(blobs.slice(at, at + 1)))) failures++
  return found
}

/** The same by blob id, without those that have none. */
export async function metasOf(repo: Repo, blobs: readonly Listed[]): Promise<Map<string, FrontMatter>> {
  const metas = await metasOrWhy(repo, blobs)
  return new Map(
    blobs.flatMap(({ oid }, at) => {
      const meta = metas[at]
      return meta === undefined || typeof meta === 'string' ? [] : [[oid, meta] as const]
    }),
  )
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

const FILE = 'front-matter'
/** The number changes when front matter is read otherwise: what another version wrote is built anew. */
const VERSION = 3
/** So many that are not in it yet are read from git before it is written again. */
const LEAST_NEW = 4

/** Front matter by the id of the blob that holds it, kept in the private folder: a blob never changes. */
export interface MetaIndex {
  get(oid: string): FrontMatter | undefined
  add(oid: string, meta: FrontMatter): void
  /** Writes it where that is worthwhile; of blobs that nobody asked for it keeps as many as were asked for. Never throws. */
  save(): Promise<void>
}

/** Empty where it cannot be read, or is not whole. */
export async function openMetaIndex(commonDir: string): Promise<MetaIndex> {
  const text = (await readPrivate(commonDir, FILE).catch(() => null)) ?? ''
  const kept = orNull(() => JSON.parse(text) as { version?: unknown; metas?: Record<string, FrontMatter> })
  const metas = new Map(Object.entries((kept?.version === VERSION ? kept.metas : null) ?? {}))
  const asked = new Set<string>()
  let added = 0
  return {
    get(oid) {
      asked.add(oid)
      return metas.get(oid)
    },
    add(oid, meta) {
      // Infinity is no JSON.
      if (!isDeepStrictEqual(JSON.parse(JSON.stringify(meta)), meta)) return
      added++
      metas.set(oid, meta)
    },
    async save() {
      if (added < LEAST_NEW) return
      added = 0
      const others = [...metas.keys()].filter((oid) => !asked.has(oid)).slice(0, asked.size)
      const listed = [...asked, ...others].filter((oid) => metas.has(oid))
      const value = {
        version: VERSION,
        metas: Object.fromEntries(listed.map((oid) => [oid, metas.get(oid)])),
      }
      // What cannot be kept is read from git the next time.
      await writePrivate(commonDir, FILE, `${JSON.stringify(value)}\n`, { flush: false }).catch(
        () => undefined,
      )
    },
  }
}
