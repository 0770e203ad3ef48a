import { isDeepStrictEqual } from 'node:util'
import { orNull } from '../errors/handoff-error.ts'
import type { FrontMatter } from '../types/brief.ts'
import { readPrivate, writePrivate } from './private.ts'

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
