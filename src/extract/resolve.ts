import type { GitState, PathSet } from '../types/git.ts'
import { isOwnPath } from './own.ts'
import { isAbsolute, type KnownPaths, normalizePath, withSlashes } from './path-text.ts'
import type { Root } from './roots.ts'

/** Where a path of the session stands in the repository, or why it does not count. */
export type Resolved = { path: string; here: boolean } | { drop: string }

export interface Resolver {
  /** A path that a tool or a command touched: absolute, or relative to the repository root. */
  touched(key: string): Resolved
  /** A word of prose: exact path, a unique tail of one, or the only file of that name; `known` are further paths of the session. */
  mentioned(token: string, known: KnownPaths): Resolved
  /** The path below its root, nothing else done; null outside the repository. */
  relative(key: string): string | null
  /** Old → new, as far as renames are known. */
  current(path: string): string
}

/** Folders of installed or built things: never evidence unless git knows the file. */
const BUILT =
  /(?:^|\/)(?:node_modules|bower_components|\.venv|venv|__pycache__|site-packages|\.tox|\.mypy_cache|\.pytest_cache|\.ruff_cache|\.next|\.nuxt|\.turbo|\.cache|\.gradle|\.idea|dist|build|out|target|coverage|vendor|\.pnpm-store|\.yarn)\//

/**
 * Makes paths canonical. `renames` are those of the session, in order of time, with absolute or relative ends;
 * `wanted` are files of handoff that count all the same.
 */
export function createResolver(
  git: GitState | null,
  roots: readonly Root[],
  renames: readonly { from: string; to: string }[],
  wanted: ReadonlySet<string> = new Set(),
): Resolver {
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
    if (isOwnPath(path) && !wanted.has(path)) return { drop: "handoff's own file" }
    if (/^\.git(?:\/|$)/.test(path)) return { drop: 'inside .git' }
    const now = current(path)
    if (exists(now)) return { path: now, here: files !== null }
    if (files?.hasFolder(now.replace(/\/+$/, '')) === true) return { drop: 'a folder' }
    const inWorktree = /(?:^|\/)\.?worktrees\/[^/]+\/(.+)$/.exec(now)?.[1]
    if (inWorktree !== undefined) return place(inWorktree)
    if (BUILT.test(`${now}`)) return { drop: 'installed or built, not tracked' }
    return { path: now, here: false }
  }

  const touched = (key: string): Resolved => {
    const path = relative(key, roots)
    if (path === null) return { drop: 'outside the repository' }
    return place(path)
  }

  return {
    touched,
    current,
    relative: (key) => relative(key, roots),
    mentioned(token, known) {
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
        (file) => isTail(file, path) && (!isOwnPath(file) || wanted.has(file)),
      )
      const exact = tails.filter((file) => file.endsWith(path))
      const hits = exact.length > 0 ? exact : tails
      const more = hits.length > 0 ? [] : known.endingIn(path)
      const only = hits.length > 0 ? hits : more
      if (only.length === 1 && only[0] !== undefined) return { path: only[0], here: hits.length > 0 }
      if (only.length > 1) return { drop: `names ${only.length} files` }
      return found
    },
  }
}

const isTail = (file: string, tail: string) => {
  const a = file.toLowerCase()
  const b = tail.toLowerCase()
  return a === b || a.endsWith(`/${b}`)
}

function relative(path: string, roots: readonly Root[]): string | null {
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
