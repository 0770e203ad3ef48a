import { chooseBase } from './find-base.ts'
import type { Repo } from './open-repo.ts'
import { readBriefTrees } from './read-briefs.ts'
import type { Ref } from './refs.ts'

/** What a brief says of its place. */
export interface PlacedBrief {
  id: string
  path: string
  branch: string | null
  /** `ref@commit`: the branch that this work shall go into. */
  base: string | null
  /** The commit that it was made at. */
  head: string | null
}

/** Tells which briefs have arrived in their base branch. */
export interface Landing {
  /** The default branch. */
  trunk: string | null
  /** Ids of those whose file stands in the tree of their base, however it was merged. */
  byFile(briefs: readonly PlacedBrief[]): Promise<Set<string>>
  /** Ids of those whose work is in the history of their base: for briefs that are kept elsewhere. */
  byWork(briefs: readonly PlacedBrief[]): Promise<Set<string>>
}

/** A brief lands in its recorded base and in the default branch, the fetched one and the local one, never on the branch that it names. */
export function openLanding(repo: Repo, refs: readonly Ref[]): Landing {
  const trunk = trunkOf(refs)
  const paths = new Map<string, Promise<Set<string>>>()
  const basesOf = ({ branch, base }: PlacedBrief): Ref[] => {
    const names = [trunk, base === null ? null : baseName(base, refs)]
    return refs.filter(({ name, target }) => {
      const short = shortName(name)
      return target === '' && short !== null && short !== branch && names.includes(short)
    })
  }
  const pathsIn = ({ oid }: Ref): Promise<Set<string>> => {
    const known = paths.get(oid) ?? readPaths(repo, oid)
    paths.set(oid, known)
    return known
  }
  const among = async (
    briefs: readonly PlacedBrief[],
    isIn: (brief: PlacedBrief, base: Ref) => Promise<boolean>,
  ): Promise<Set<string>> => {
    const landed = await Promise.all(
      briefs.map(async (brief) => {
        const found = await Promise.all(basesOf(brief).map((base) => isIn(brief, base)))
        return found.includes(true) ? [brief.id] : []
      }),
    )
    return new Set(landed.flat())
  }
  return {
    trunk,
    byFile: (briefs) => among(briefs, async ({ path }, base) => (await pathsIn(base)).has(path)),
    byWork: async (briefs) => {
      // Nothing was done yet where the base stood at the same commit.
      const done = briefs.filter(({ head, base }) => head !== null && !base?.endsWith(`@${head}`))
      const heads = done.flatMap(({ head }) => head ?? [])
      const inside = new Map<string, Promise<Set<string>>>()
      return among(done, async ({ head }, { oid }) => {
        const known = inside.get(oid) ?? reachable(repo, heads, oid)
        inside.set(oid, known)
        return head !== null && (await known).has(head)
      })
    },
  }
}

/** The branch that a ref is, without its remote; null for what is none. */
export const shortName = (ref: string): string | null =>
  /^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/s.exec(ref)?.[1] ?? null

function trunkOf(refs: readonly Ref[]): string | null {
  const base = chooseBase(refs, null, null)
  return base === null ? null : baseName(base.ref, refs)
}

/** The branch that `origin/main@<commit>` or `main` names. */
function baseName(base: string, refs: readonly Ref[]): string {
  const ref = base.replace(/@[0-9a-f]{40,64}$/, '')
  const cut = ref.indexOf('/')
  const isLocal = refs.some(({ name }) => name === `refs/heads/${ref}`)
  const isRemote = refs.some(({ name }) => name === `refs/remotes/${ref}`)
  return cut === -1 || (isLocal && !isRemote) ? ref : ref.slice(cut + 1)
}

async function readPaths(repo: Repo, oid: string): Promise<Set<string>> {
  const [briefs = []] = await readBriefTrees(repo, [oid])
  return new Set(briefs.map(({ path }) => path))
}

/** Those of the commits that are in the history of `tip`; one that this clone lacks is in none. */
async function reachable(repo: Repo, commits: readonly string[], tip: string): Promise<Set<string>> {
  const asked = [...new Set(commits)].filter((commit) => /^[0-9a-f]{40,64}$/.test(commit))
  const found = await repo.objects.read(asked)
  const known = asked.filter((_, at) => found[at]?.type === 'commit')
  if (known.length === 0) return new Set()
  const input = `${known.join('\n')}\n^${tip}\n`
  const listing = await repo.git(['rev-list', '--stdin'], { input })
  const outside = new Set(listing.split('\n'))
  return new Set(known.filter((commit) => !outside.has(commit)))
}

/**
 * The brief on which the work in HEAD was built: of those made in the history of HEAD the one that was added last on the first-parent
 * line, as a merge brings what was built elsewhere. `isApart`: it is kept beside the work.
 */
export async function grownFrom<B extends PlacedBrief & { isApart: boolean }>(
  repo: Repo,
  refs: readonly Ref[],
  briefs: readonly B[],
): Promise<B | null> {
  const heads = briefs.flatMap(({ head }) => head ?? [])
  const inside = await reachable(repo, heads, 'HEAD')
  const isBehind = async (brief: B): Promise<boolean> => {
    if (brief.head !== null && inside.has(brief.head)) return true
    if (brief.isApart) return false
    return brief.head === null || repo.shallow || isShared(repo, refs, brief)
  }
  const behind = await Promise.all(briefs.map(isBehind))
  const fit = briefs.filter((_, at) => behind[at])
  const files = fit.filter(({ isApart }) => !isApart)
  const added = files.length === 0 ? [] : await addedLast(repo, files)
  return fit
    .filter(({ isApart, path }) => isApart || added.includes(path))
    .reduce<B | null>((best, brief) => (best === null || brief.id > best.id ? brief : best), null)
}

/** After a rebase its commit is another one, but HEAD still left the brief's branch when that had the file. */
async function isShared(repo: Repo, refs: readonly Ref[], { branch, path }: PlacedBrief): Promise<boolean> {
  for (const { oid } of refs.filter(({ name }) => branch !== null && shortName(name) === branch)) {
    const fork = (await repo.git(['merge-base', 'HEAD', oid], { answers: [1] })).trim()
    const [file] = fork === '' ? [] : await repo.objects.read([`${fork}:${path}`])
    if (file) return true
  }
  return false
}

/** Of these files those that the nearest commit on the first-parent line brought. */
async function addedLast(repo: Repo, files: readonly { path: string }[]): Promise<string[]> {
  const found = await repo.git([
    ...['log', '-1', '-z', '--first-parent', '--no-merges', '--diff-filter=A', '--no-renames'],
    ...['--format=', '--name-only', 'HEAD', '--', ...files.map(({ path }) => path)],
  ])
  return found.split('\0').map((path) => path.trim())
}
