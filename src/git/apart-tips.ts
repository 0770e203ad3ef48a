import { type ApartHere, readApartBriefs } from './apart-refs.ts'
import type { ObjectReader } from './object-reader.ts'
import type { Repo } from './open-repo.ts'

/** What a commit on a branch of briefs is built on. */
export interface Base {
  /** The tree of the first one is gone on with; none makes a branch of its own. */
  parents: string[]
  /** Briefs that only the others have. */
  files: { path: string; oid: string }[]
}

/**
 * Joins the branch of briefs that stands at `tip` with the fetched ones of the same branch, so that what is made here can be
 * pushed; a new branch goes on where its parent brief stands. Briefs of two sides never meet in a path.
 * Throws `gitFailed`.
 */
export async function baseOfApart(
  repo: Repo,
  objects: ObjectReader,
  { refs, by }: ApartHere,
  tip: string | null,
  parent: string | null,
): Promise<Base> {
  const found = await readApartBriefs(objects, refs)
  const wanted =
    by === 'own' ? refs : refs.filter((ref) => found.some((one) => one.apart === ref && one.id === parent))
  const commits = await objects.read(wanted.map((ref) => `${ref}^{commit}`))
  const oids = commits.flatMap((commit) => commit?.oid ?? [])
  const tips = [...new Set([...(tip === null ? [] : [tip]), ...oids])]
  if (tips.length < 2) return { parents: tips, files: [] }
  const listing = await repo.git(['merge-base', '--independent', ...tips])
  const heads = new Set(listing.split('\n').filter((line) => line !== ''))
  const parents = tips.filter((oid) => heads.has(oid))
  const [first = '', ...others] = parents
  const held = new Set((await readApartBriefs(objects, [first])).map(({ path }) => path))
  const rest = (await readApartBriefs(objects, others)).filter(({ path }) => !held.has(path))
  return { parents, files: rest.map(({ path, oid }) => ({ path, oid })) }
}
