import { isDeepStrictEqual } from 'node:util'
import { orNull } from '../errors/handoff-error.ts'
import type { FrontMatter } from '../types/brief.ts'
import { readPrivate, writePrivate } from './private.ts'

const FILE = 'front-matter'
/** The number changes when front matter is read otherwise: what another version wrote is built anew. */
const HEADER = 'front matter of briefs 2'
/** Where fewer briefs are listed git is as quick. */
const LEAST_LISTED = 64
/** So many that are not in it yet are read from git before it is written again. */
const LEAST_NEW = 16

/** Front matter by the id of the blob that holds it, kept in the private folder: a blob never changes. */
export interface MetaIndex {
  get(oid: string): FrontMatter | undefined
  add(oid: string, meta: FrontMatter): void
  /** Writes it where that is worthwhile; of blobs that are not listed it keeps as many as are. Never throws. */
  save(): Promise<void>
}

/** `listed`: the blobs that will be asked for. */
export async function openMetaIndex(
  commonDir: string,
  listed: readonly { oid: string }[],
): Promise<MetaIndex> {
  const isUsed = listed.length > LEAST_LISTED
  const lines = isUsed ? await readLines(commonDir) : new Map<string, string>()
  const metas = new Map<string, FrontMatter>()
  const added = new Set<string>()
  const get = (oid: string): FrontMatter | undefined => {
    const line = metas.has(oid) ? undefined : lines.get(oid)
    const meta = line === undefined ? null : orNull(() => JSON.parse(line) as FrontMatter | null)
    if (meta !== null) metas.set(oid, meta)
    return metas.get(oid)
  }
  return {
    get,
    add(oid, meta) {
      metas.set(oid, meta)
      added.add(oid)
    },
    async save() {
      if (!isUsed || added.size < LEAST_NEW) return
      for (const oid of added) {
        const line = JSON.stringify(metas.get(oid))
        // Infinity is no JSON.
        if (isDeepStrictEqual(JSON.parse(line), metas.get(oid))) lines.set(oid, line)
      }
      added.clear()
      const asked = new Set(listed.map(({ oid }) => oid))
      const others = [...lines.keys()].filter((oid) => !asked.has(oid)).slice(0, asked.size)
      const kept = [...asked, ...others].filter((oid) => lines.has(oid))
      const text = [`${HEADER} ${kept.length}`, ...kept.map((oid) => `${oid} ${lines.get(oid)}`)].join('\n')
      // What cannot be kept is read from git the next time.
      await writePrivate(commonDir, FILE, `${text}\n`, { flush: false }).catch(() => undefined)
    },
  }
}

/** Nothing where it cannot be read, or is not whole. */
async function readLines(commonDir: string): Promise<Map<string, string>> {
  const text = await readPrivate(commonDir, FILE).catch(() => null)
  const [header, ...lines] = text?.split('\n').slice(0, -1) ?? []
  if (header !== `${HEADER} ${lines.length}`) return new Map()
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]))
}
