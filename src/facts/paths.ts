import { posix } from 'node:path'
import { openPathIndex } from '../text/path-index.ts'
import type { GitState, PathSet } from '../types/git.ts'
import { isOwnPath, isOwnSetting } from './shell.ts'

/** Folds `.` and `..` in a path with `/` separators; a relative path may come back beginning with `../`. */
export function normalizePath(path: string): string {
  const folded = posix.normalize(path).replace(/(?<=.)\/$/, '')
  return folded === '.' ? '' : folded
}

/** Whether a path is absolute on POSIX, or with a Windows drive. */
export const isAbsolute = (path: string): boolean => path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path)

/** A Windows path with `/` and a large drive letter, as `C:/x`; others stay as they are. */
export const withSlashes = (path: string): string =>
  /^[A-Za-z]:[\\/]/.test(path) ? path.charAt(0).toUpperCase() + path.slice(1).replaceAll('\\', '/') : path

/** UTF-16 units of a path, the limit of most systems; what is longer is none. */
export const LONGEST_PATH = 4096

/** Strips what people and tools put around a path: quotes, `file://`, `:12:3`, `(12,3)`, `#L10`, punctuation behind it. */
export function cleanPath(raw: string): string {
  const path = raw
    .trim()
    .replace(/^[<'"`]+|(?<![>)\]}'"`.,:;!?。，、])[>)\]}'"`.,:;!?。，、]+$/g, '')
    .replace(/[:(#]L?\d[\d,:L-]*$/, '')
    .replace(/^file:\/\/(?:\/(?=[A-Za-z]:\/))?/, '')
  const isWindows = path.includes('\\') && !/[/ ]/.test(path)
  return withSlashes(isWindows ? path.replaceAll('\\', '/') : path)
}

/**
 * The absolute place of a path given in a directory; relative when no directory is known. `~` is the home directory. Null for
 * what is no file, such as an address (`pr://140`).
 */
export function anchorPath(raw: string, cwd: string | null, home: string): string | null {
  if (raw.length > LONGEST_PATH) return null
  let path = cleanPath(raw)
  if (path === '' || /[\0\n]|^[a-z][\w+.-]+:\/\//i.test(path)) return null
  // The home of somebody else is not known.
  if (/^~[\w.-]+(?:\/|$)/.test(path)) return null
  if (path === '~' || path.startsWith('~/')) path = withSlashes(home) + path.slice(1)
  if (isAbsolute(path)) return normalizePath(path)
  return normalizePath(cwd === null ? path : `${withSlashes(cwd)}/${path}`)
}

export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** A path of the home directory with `~`. */
export const atHome = (path: string, home: string) =>
  home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path

/** Prose; `requirements.txt` and `CMakeLists.txt` are none, nor is MDX, which is compiled. */
export const isProse = (path: string): boolean =>
  /\.(?:md|rst|adoc)$|(?<!CMakeLists|(?:requirements|constraints)[^/]*)\.txt$/i.test(path)

/** File name endings that make a word in prose a path, taken from real repositories. */
const EXTENSIONS = new Set(
  `ts tsx mts cts js jsx mjs cjs json jsonl json5 jsonc md mdx go mod sum rs py pyi ipynb rb php java kt kts swift c h cc cpp hpp cs
  fs toml yaml yml lock sh bash zsh fish bats ps1 css scss less html htm svg sql lua txt xml ini cfg conf env nix vue svelte astro
  proto graphql gql gradle tf hcl pkl snap patch png jpg gif csv tsv tmpl tpl ejs hbs j2 erb ex exs erl hs ml clj scala dart zig r
  jl pl cmake mk rst adoc tex kdl ron wasm prisma sol bicep dockerfile xcconfig plist sln csproj example local`.split(
    /\s+/,
  ),
)
const SPECIAL = /^(?:Makefile|Dockerfile|LICENSE|Justfile|Gemfile|Rakefile|Procfile|CODEOWNERS)$/

export function looksLikePath(token: string): boolean {
  if (token.length > 240 || token.startsWith('-') || /:\/\/|[*{}$<>|]/.test(token)) return false
  const name = nameOf(token)
  if (SPECIAL.test(name) || /^\.[a-z][\w.-]{2,}$/.test(name)) return true
  const ending = /[^.].*\.([A-Za-z0-9]{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return EXTENSIONS.has(ending)
}

/** Folders and a name without blanks, for files such as `bin/run`. */
const BARE = /^[\w.@+-]+(?:\/[\w.@+-]+)+$/
export const mayBePath = (word: string): boolean => looksLikePath(word) || BARE.test(word)

/** Chinese and Japanese are written around a path without a blank. */
const TOKEN = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_.@+\-[\]()$%=/~\\:#]+/gu

/**
 * Words of a text that may name files, in order, cleaned of `@`, quotes and line numbers; whether they exist is decided later.
 * Words with a `/` but no known ending come too when they stand in backticks.
 */
export function pathTokens(text: string): string[] {
  const found = new Set<string>()
  const take = (raw: string, isPath: (token: string) => boolean): void => {
    // Most words of a text are no path, and cleaning takes long.
    if (raw.length > LONGEST_PATH || !/[./\\]|^\W*[A-Z]\w{5}/.test(raw)) return
    const token = cleanPath(raw)
      // A bracket that begins a name is closed inside it: `[id].tsx`.
      .replace(/^[@:([]+(?![^()[\]]*[)\]].)/, '')
      .replaceAll('\\', '/')
    if (isPath(token)) found.add(token.replace(/^(?:\.\/)+/, ''))
  }
  // A Markdown link names two things, and the end of a path with a blank in it, `docs/tax notes.md`, names none.
  const words = text.replaceAll('](', ' ').replace(/\/[\w-]+ [\w-]+\.\w[\w.-]*/g, ' ')
  for (const [token] of words.matchAll(TOKEN)) take(token, looksLikePath)
  for (const [, code, quote = ''] of text.matchAll(/`([^`\n]{2,200})`|"([^"\n]{2,200})"/g)) {
    const quoted = code ?? quote
    if (code !== undefined && !/\s/.test(code)) take(code, mayBePath)
    if (quoted.includes(' ') && looksLikePath(quoted) && !/\s-|[;&|]/.test(quoted)) found.add(quoted)
  }
  return [...found]
}

/** Where a path of the session stands in the repository, or why it does not count. */
type Resolved = { path: string; here: boolean } | { drop: string }

/** Folders of installed or built things: never evidence unless git knows the file. */
const BUILT =
  /(?:^|\/)(?:node_modules|bower_components|\.venv|venv|__pycache__|site-packages|\.tox|\.(?:mypy|pytest|ruff)_cache|\.next|\.nuxt|\.turbo|\.cache|\.gradle|\.idea|dist|build|out|target|coverage|vendor|\.pnpm-store|\.yarn)\//

/** Makes paths canonical. A file of handoff counts only where it is a setting that the goal names. */
export function createResolver(git: GitState | null, roots: readonly Root[], goal = '') {
  const files = git?.files ?? null
  const index = openPathIndex(files ?? [])
  const isForeign = (path: string): boolean => isOwnPath(path) && !(isOwnSetting(path) && goal.includes(path))

  const current = (path: string): string => {
    let now = path
    for (let step = 0; step < 20 && files?.has(now) !== true; step++) {
      const next = git?.renames.get(now)
      if (next === undefined || next === path) break
      now = next
    }
    return files === null || files.has(now) ? now : path
  }

  const place = (given: string): Resolved => {
    // `@` marks a file in prompts of several agents; a folder may be called so as well.
    const path = given.startsWith('@') && !files?.has(given) ? given.slice(1) : given
    if (path === '') return { drop: 'not a file' }
    if (path.startsWith('../')) return { drop: 'outside the repository' }
    if (isForeign(path)) return { drop: "handoff's own file" }
    if (/^\.git(?:\/|$)/.test(path)) return { drop: 'inside .git' }
    const now = current(path)
    if (files === null || files.has(now)) return { path: now, here: files !== null }
    if (index.hasFolder(now.replace(/\/+$/, ''))) return { drop: 'a folder' }
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
    /** Old → new, as far as git knows renames. */
    current,
    /** A word of prose: exact path, a unique tail of one, or the only file of that name; `known` are further paths of the session. */
    mentioned(token: string, known: ReadonlySet<string>): Resolved {
      if (isAbsolute(token) || token.startsWith('~')) {
        const found = touched(withSlashes(token))
        return 'drop' in found && files?.has(token.slice(1)) ? { path: token.slice(1), here: true } : found
      }
      const path = normalizePath(token)
      const found = place(path)
      if ('drop' in found || found.here || known.has(found.path)) return found
      // A bare README.md or AGENTS.md means the one at the top.
      if (/^[A-Z_-]+\.md$/.test(path)) return found
      if (/^(?:agents|claude|gemini|readme)\.md$/i.test(path))
        return place(`${path.slice(0, -3).toUpperCase()}.md`)
      const isTail = (file: string, tail: string): boolean => file === tail || file.endsWith(`/${tail}`)
      const tails = index
        .namedLike(nameOf(path))
        .filter((file) => isTail(file.toLowerCase(), path.toLowerCase()) && !isForeign(file))
      // `state.md` is the STATE.md that the session touched, before a file that nobody opened.
      const sets = [
        tails.filter((file) => known.has(file)),
        tails.filter((file) => isTail(file, path)),
        tails,
      ]
      const [only, ...more] = sets.find((files) => files.length > 0) ?? []
      if (more.length > 0) return { drop: `names ${more.length + 1} files` }
      return only === undefined ? found : { path: only, here: true }
    },
  }
}
export type Resolver = ReturnType<typeof createResolver>

/** An absolute path below the first root that holds it, empty for the root itself, null where none does; a relative path as it is. */
export function relative(path: string, roots: Iterable<Root>): string | null {
  if (!isAbsolute(path)) return path
  for (const root of roots) {
    if (path === root) return ''
    if (path.startsWith(`${root}/`)) return path.slice(root.length + 1)
  }
  return null
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
  const roots = new Set(git ? [git.root, ...git.worktrees].map(withSlashes) : [])
  const cwd = session.sessionCwd === null ? null : withSlashes(session.sessionCwd)
  const others = [...session.directories].map(withSlashes).sort((a, b) => a.length - b.length)
  for (const directory of [...(cwd === null ? [] : [cwd]), ...(git === null ? [] : others)]) {
    if (!isAbsolute(directory) || directory.length > LONGEST_PATH || relative(directory, roots) !== null)
      continue
    const best = git && bestAncestor(directory, session.touched, git.files)
    if (directory === cwd) roots.add(best?.root ?? cwd)
    // Another project also has a README.md: only paths in folders prove that a checkout is ours.
    else if (best && best.known >= 2 && best.known * 2 >= best.all) roots.add(best.root)
  }
  return [...roots].sort((a, b) => b.length - a.length || byCodeUnit(a, b))
}

function bestAncestor(cwd: string, touched: readonly string[], files: Pick<PathSet, 'has'>) {
  let best: { root: string; known: number; all: number } | null = null
  for (let root = cwd; /[^/]/.test(root); root = root.slice(0, root.lastIndexOf('/'))) {
    const inside = touched.flatMap((path) => {
      const rest = path[root.length] === '/' && path.startsWith(root) ? path.slice(root.length + 1) : ''
      return rest.includes('/') || (rest !== '' && root === cwd) ? [rest] : []
    })
    const known = inside.filter((path) => files.has(path)).length
    if (known > (best?.known ?? 0)) best = { root, known, all: inside.length }
  }
  return best
}
