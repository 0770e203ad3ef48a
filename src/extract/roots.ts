import type { GitState, PathSet } from '../types/git.ts'
import { byCodeUnit, isAbsolute, LONGEST_PATH, withSlashes } from './path-text.ts'

/** A directory that stands for the repository root, in this checkout or in the one the session was recorded in. */
export type Root = string

/** Deep enough that it cannot be everybody's home. */
const depth = (path: string) => path.split('/').filter((segment) => segment !== '').length

/**
 * Roots under which absolute paths of the session count as paths of this repository, longest first: git's own worktrees,
 * the session's recorded root when it was recorded elsewhere, and further checkouts of the same repository that it worked in.
 * Recorded roots are inferred: among the ancestors of a directory the one under which most touched paths are known to git.
 */
export function findRoots(
  git: GitState | null,
  session: {
    sessionCwd: string | null
    cwds: Iterable<string>
    worktrees: Iterable<string>
    touched: readonly string[]
  },
): Root[] {
  const { touched } = session
  const sessionCwd = session.sessionCwd === null ? null : withSlashes(session.sessionCwd)
  const cwds = [...new Set([...session.cwds].map(withSlashes))]
  const own = git ? [...new Set([git.root, ...git.worktrees].map(withSlashes))] : []
  const roots = new Set(own)
  const inside = (path: string) => [...roots].some((root) => path === root || path.startsWith(`${root}/`))
  if (sessionCwd !== null && isPlace(sessionCwd) && !inside(sessionCwd)) {
    const best = git ? bestAncestor(sessionCwd, touched, git.files) : null
    roots.add(best?.root ?? sessionCwd)
  }
  for (const worktree of session.worktrees) roots.add(withSlashes(worktree))
  if (git === null) return sortRoots(roots)
  for (const cwd of cwds.sort((a, b) => a.length - b.length || byCodeUnit(a, b))) {
    if (!isPlace(cwd) || inside(cwd) || depth(cwd) < 2) continue
    const best = bestAncestor(cwd, touched, git.files)
    // Another project also has a README.md: only paths in folders prove that a checkout is ours.
    if (best && best.known >= 2 && best.known * 2 >= best.all) roots.add(best.root)
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
