import type { GitState, PathSet } from '../types/git.ts'
import { byCodeUnit, isAbsolute, type KnownPaths, LONGEST_PATH, normalizePath, withSlashes } from './paths.ts'
import { isOwnPath, isOwnSetting } from './self-calls.ts'

/** Where a path of the session stands in the repository, or why it does not count. */
type Resolved = { path: string; here: boolean } | { drop: string }

/** Folders of installed or built things: never evidence unless git knows the file. */
const BUILT =
  /(?:^|\/)(?:node_modules|bower_components|\.venv|venv|__pycache__|site-packages|\.tox|\.mypy_cache|\.pytest_cache|\.ruff_cache|\.next|\.nuxt|\.turbo|\.cache|\.gradle|\.idea|dist|build|out|target|coverage|vendor|\.pnpm-store|\.yarn)\//

/**
 * Makes paths canonical. `renames` are those of the session, in order of time, with absolute or relative ends; a file of
 * handoff counts only where it is a setting that the goal names.
 */
export function createResolver(
  git: GitState | null,
  roots: readonly Root[],
  renames: readonly { from: string; to: string }[],
  goal = '',
) {
  const isWanted = (path: string): boolean => isOwnSetting(path) && goal.includes(path)
  const files = git?.files ?? null
  const inSession = new Map<string, string>()
  for (const { from, to } of renames) {
    const a = relative(from, roots)
    const b = relative(to, roots)
    if (a !== null && b !== null && a !== b) inSession.set(a, b)
  }
  const exists = (path: string) => files === null || files.has(path)

  const current = (path: string): string => {
    let now = path
    for (let step = 0; step < 20 && (files === null || !files.has(now)); step++) {
      const next = git?.renames.get(now) ?? inSession.get(now) ?? moved(now, inSession, files)
      if (next === undefined || next === path) break
      now = next
    }
    return files === null || files.has(now) ? now : path
  }

  const place = (given: string): Resolved => {
    // `@` marks a file in prompts of several agents; a folder may be called so as well.
    const path = given.startsWith('@') && !files?.has(given) ? given.slice(1) : given
    if (path === '' || path === '.') return { drop: 'not a file' }
    if (path.startsWith('../')) return { drop: 'outside the repository' }
    if (isOwnPath(path) && !isWanted(path)) return { drop: "handoff's own file" }
    if (/^\.git(?:\/|$)/.test(path)) return { drop: 'inside .git' }
    const now = current(path)
    if (exists(now)) return { path: now, here: files !== null }
    if (files?.hasFolder(now.replace(/\/+$/, '')) === true) return { drop: 'a folder' }
    const inWorktree = /(?:^|\/)\.?worktrees\/[^/]+\/(.+)$/.exec(now)?.[1]
    if (inWorktree !== undefined) return place(inWorktree)
    if (BUILT.test(now)) return { drop: 'installed or built, not tracked' }
    return { path: now, here: false }
  }

  const touched = (key: string): Resolved => {
    const path = relative(key, roots)
    return path === null ? { drop: 'outside the repository' } : place(path)
  }

  return {
    /** A path that a tool or a command touched: absolute, or relative to the repository root. */
    touched,
    /** Old → new, as far as renames are known. */
    current,
    /** The path below its root, nothing else done; null outside the repository. */
    relative: (key: string): string | null => relative(key, roots),
    /** A word of prose: exact path, a unique tail of one, or the only file of that name; `known` are further paths of the session. */
    mentioned(token: string, known: KnownPaths): Resolved {
      if (isAbsolute(token) || token.startsWith('~')) {
        const found = touched(withSlashes(token))
        if ('drop' in found && files?.has(token.slice(1))) return { path: token.slice(1), here: true }
        return found
      }
      const path = normalizePath(token)
      const found = place(path)
      if ('drop' in found || found.here || known.has(found.path)) return found
      // A bare README.md or AGENTS.md means the one at the top.
      if (/^[A-Z_-]+\.md$/.test(path)) return found
      const name = path.slice(path.lastIndexOf('/') + 1)
      const tails = (files?.namedLike(name) ?? []).filter(
        (file) => isTail(file, path) && (!isOwnPath(file) || isWanted(file)),
      )
      const exact = tails.filter((file) => file.endsWith(path))
      const hits = exact.length > 0 ? exact : tails
      const only = hits.length > 0 ? hits : known.endingIn(path)
      if (only.length === 1 && only[0] !== undefined) return { path: only[0], here: hits.length > 0 }
      if (only.length > 1) return { drop: `names ${only.length} files` }
      return found
    },
  }
}
export type Resolver = ReturnType<typeof createResolver>

const isTail = (file: string, tail: string) => {
  const a = file.toLowerCase()
  const b = tail.toLowerCase()
  return a === b || a.endsWith(`/${b}`)
}

/** An absolute path below the first root that holds it, empty for the root itself, null where none does; a relative path as it is. */
export function relative(path: string, roots: Iterable<Root>): string | null {
  if (!isAbsolute(path)) return path
  for (const root of roots) {
    if (path === root) return ''
    if (path.startsWith(`${root}/`)) return path.slice(root.length + 1)
  }
  return null
}

/** The new place of a file whose folder was moved. */
function moved(
  path: string,
  renames: ReadonlyMap<string, string>,
  files: PathSet | null,
): string | undefined {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const to = renames.get(path.slice(0, end))
    const candidate = to === undefined ? undefined : `${to}${path.slice(end)}`
    if (candidate !== undefined && (files === null || files.has(candidate))) return candidate
  }
  return undefined
}

/** A directory that stands for the repository root, in this checkout or in the one the session was recorded in. */
export type Root = string

/**
 * Roots under which absolute paths of the session count as paths of this repository, longest first: git's own worktrees,
 * the session's recorded root when it was recorded elsewhere, and further checkouts of the same repository that it worked in.
 * Recorded roots are inferred: among the ancestors of a directory the one under which most touched paths are known to git.
 */
export function findRoots(
  git: GitState | null,
  session: { sessionCwd: string | null; directories: Iterable<string>; touched: readonly string[] },
): Root[] {
  const own = git ? [git.root, ...git.worktrees].map(withSlashes) : []
  const roots = new Set(own)
  const inside = (path: string) => relative(path, roots) !== null
  const cwd = session.sessionCwd === null ? null : withSlashes(session.sessionCwd)
  if (cwd !== null && isPlace(cwd) && !inside(cwd))
    roots.add((git && bestAncestor(cwd, session.touched, git.files)?.root) ?? cwd)
  const byLength = [...new Set([...session.directories].map(withSlashes))].sort((a, b) => a.length - b.length)
  for (const directory of git === null ? [] : byLength) {
    // Deep enough that it cannot be everybody's home.
    if (!isPlace(directory) || inside(directory) || directory.split('/').filter(Boolean).length < 2) continue
    const best = bestAncestor(directory, session.touched, git?.files ?? new Set())
    // Another project also has a README.md: only paths in folders prove that a checkout is ours.
    if (best !== null && best.known >= 2 && best.known * 2 >= best.all) roots.add(best.root)
  }
  return sortRoots(roots)
}

const isPlace = (cwd: string): boolean => isAbsolute(cwd) && cwd.length <= LONGEST_PATH

const sortRoots = (roots: Iterable<Root>) =>
  [...roots].sort((a, b) => b.length - a.length || byCodeUnit(a, b))

function bestAncestor(cwd: string, touched: readonly string[], files: Pick<PathSet, 'has'>) {
  let best: { root: string; known: number; all: number } | null = null
  for (let root = cwd; /[^/]/.test(root); root = root.slice(0, root.lastIndexOf('/'))) {
    let known = 0
    let all = 0
    for (const path of touched) {
      if (path[root.length] !== '/' || !path.startsWith(root)) continue
      const rest = path.slice(root.length + 1)
      if (!rest.includes('/') && root !== cwd) continue
      all++
      if (files.has(rest)) known++
    }
    if (known > (best?.known ?? 0)) best = { root, known, all }
  }
  return best
}

export const LEADING_CD = /^\s*cd\s+(?:"([^"]+)"|'([^']+)'|([^\s;&|]+))\s*(?:&&|;|\n)\s*/

/**
 * Where a command ran, relative to the repository, and the command without a leading `cd` into the recorded checkout; null when
 * it ran elsewhere.
 */
export function placeOf(
  run: string,
  cwd: string | null,
  roots: readonly Root[],
): { command: string; cwd: string | null } | null {
  const cd = run.includes('cd') ? LEADING_CD.exec(run) : null
  const to = cd?.[1] ?? cd?.[2] ?? cd?.[3]
  if (cd && to?.startsWith('/')) {
    const inside = relative(to.replace(/(?<=.)\/$/, ''), roots)
    if (inside !== null) return { command: run.slice(cd[0].length), cwd: inside || null }
    return roots.length > 0 ? null : { command: run, cwd: null }
  }
  if (cwd === null || !cwd.startsWith('/')) return { command: run, cwd: null }
  const inside = relative(cwd, roots)
  return inside === null ? null : { command: run, cwd: inside || null }
}
