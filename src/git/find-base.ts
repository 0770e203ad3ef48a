import type { Ref } from './refs.ts'

/** A place the current branch may have grown from. */
export interface BaseCandidate {
  /** Short name as a person says it: `main`, `origin/main`. */
  ref: string
  /** Revision that git understands: a commit id or `@{upstream}`. */
  rev: string
}

/** Names of the branch that others grow from. */
export const USUAL_NAMES = ['main', 'master', 'develop', 'trunk']

/** Patterns of the refs that decide the base. */
export const BASE_REFS = [
  'refs/remotes/*/HEAD',
  ...USUAL_NAMES.flatMap((name) => [`refs/heads/${name}`, `refs/remotes/*/${name}`]),
]

/**
 * The branch this one grew from, best guess first:
 * 1. the upstream, when it is another branch (`git switch -c x origin/develop`);
 * 2. the default branch of the upstream's remote, of origin, of any remote (its symbolic HEAD);
 * 3. main, master, develop, trunk: as remote-tracking branch of origin, of any remote, then local;
 * 4. on the default branch itself: its own upstream, so that unpushed commits count.
 * Null when nothing fits: then there is nothing to compare with.
 */
export function chooseBase(
  refs: readonly Ref[],
  branch: string | null,
  upstream: BaseCandidate | null,
): BaseCandidate | null {
  if (upstream && branch !== null && withoutRemote(upstream.ref) !== branch) return upstream
  const remote = upstream?.ref.split('/')[0] ?? 'origin'
  const remotes = [
    ...new Set([
      remote,
      'origin',
      ...refs.map((ref) => /^refs\/remotes\/([^/]+)\//.exec(ref.name)?.[1] ?? remote),
    ]),
  ]
  const found =
    first(remotes, (name) =>
      refs.find((ref) => ref.name === `refs/remotes/${name}/HEAD` && ref.target !== ''),
    ) ??
    first(remotes, (name) =>
      first(USUAL_NAMES, (usual) => refs.find((ref) => ref.name === `refs/remotes/${name}/${usual}`)),
    ) ??
    first(USUAL_NAMES, (usual) => refs.find((ref) => ref.name === `refs/heads/${usual}`))
  if (!found) return upstream
  const ref = (found.target || found.name).replace(/^refs\/(heads|remotes)\//, '')
  const isRemote = (found.target || found.name).startsWith('refs/remotes/')
  const own = branch !== null && (isRemote ? withoutRemote(ref) : ref) === branch
  if (!own) return { ref, rev: found.oid }
  return upstream ?? (isRemote ? { ref, rev: found.oid } : null)
}

const withoutRemote = (ref: string) => ref.slice(ref.indexOf('/') + 1)

function first<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
