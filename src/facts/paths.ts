/** Folds `.` and `..` in a path with `/` separators; a relative path may come back beginning with `../`. */
export function normalizePath(path: string): string {
  const absolute = path.startsWith('/')
  const out: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..' && out.length > 0 && out.at(-1) !== '..') out.pop()
    else if (segment !== '..' || !absolute) out.push(segment)
  }
  return (absolute ? '/' : '') + out.join('/')
}

/** Whether a path is absolute on POSIX, or with a Windows drive. */
export const isAbsolute = (path: string): boolean => path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path)

/** A Windows path with `/` and a large drive letter, as `C:/x`; others stay as they are. */
export const withSlashes = (path: string): string =>
  /^[A-Za-z]:[\\/]/.test(path) ? path.charAt(0).toUpperCase() + path.slice(1).replaceAll('\\', '/') : path

/** UTF-16 units of a path, the limit of most systems; what is longer is none. */
export const LONGEST_PATH = 4096

/** Strips what people and tools put around a path: quotes, `./`, `file://`, `:12:3`, `#L10`, trailing punctuation. */
export function cleanPath(raw: string): string {
  let path = raw
    .trim()
    .replace(/^[<([{'"`]+|(?<![>)\]}'"`,;!?。，、])[>)\]}'"`,;!?。，、]+$/g, (hit) =>
      /^[[({]/.test(hit) ? hit : '',
    )
  if (path.startsWith('file://')) path = path.slice(7).replace(/^\/(?=[A-Za-z]:\/)/, '')
  if (path.includes('\\') && !path.includes('/') && !path.includes(' ')) path = path.replaceAll('\\', '/')
  return withSlashes(path)
    .replace(/#L\d+(?:-L?\d+)?$/, '')
    .replace(/(?::\d+(?:[:-]\d+)*|\(\d+(?:,\d+)?\)):?$/, '')
    .replace(/(?<![:.])[:.]+$/, '')
}

/**
 * The absolute place of a path given in a directory; relative when no directory is known. `~` is the home directory. Null for
 * what is no file, such as an address (`pr://140`).
 */
export function anchorPath(raw: string, cwd: string | null, home: string): string | null {
  if (raw.length > LONGEST_PATH) return null
  let path = cleanPath(raw)
  if (path === '' || /[\0\n]|^[a-z][\w+.-]+:\/\//i.test(path)) return null
  if (path === '~' || path.startsWith('~/')) path = withSlashes(home) + path.slice(1)
  if (isAbsolute(path)) return normalizePath(path)
  return normalizePath(cwd === null ? path : `${withSlashes(cwd)}/${path}`)
}

export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Paths to look up by the whole or by a tail of theirs: `src/a.ts` ends `lib/src/a.ts`. */
export function knownPaths(paths: Iterable<string>) {
  const all = new Set(paths)
  const byName = new Map<string, string[]>()
  for (const path of all) {
    const held = byName.get(nameOf(path))
    if (held === undefined) byName.set(nameOf(path), [path])
    else held.push(path)
  }
  return {
    has: (path: string): boolean => all.has(path),
    endingIn(tail: string): string[] {
      const end = `/${tail}`
      return (byName.get(nameOf(tail)) ?? []).filter((path) => path.endsWith(end))
    },
  }
}

export type KnownPaths = ReturnType<typeof knownPaths>

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** A path of the home directory with `~`. */
export const atHome = (path: string, home: string) =>
  home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path

/** File name endings that make a word in prose a path, taken from real repositories. */
const EXTENSIONS = new Set(
  `ts tsx mts cts js jsx mjs cjs json jsonl json5 jsonc md mdx go mod sum rs py pyi ipynb rb php java kt kts swift c h cc cpp hpp cs
  fs toml yaml yml lock sh bash zsh fish bats ps1 css scss less html htm svg sql lua txt xml ini cfg conf env nix vue svelte astro
  proto graphql gql gradle tf hcl pkl snap patch png jpg gif csv tsv tmpl tpl ejs hbs j2 erb ex exs erl hs ml clj scala dart zig r
  jl pl cmake mk rst adoc tex kdl ron wasm prisma sol bicep dockerfile xcconfig plist sln csproj example local`.split(
    /\s+/,
  ),
)
const SPECIAL = new Set(
  'Makefile Dockerfile LICENSE Justfile Gemfile Rakefile Procfile CODEOWNERS'.split(' '),
)
/** Product names that look like file names, without their ending. */
const PRODUCTS = new Set(
  `node next vue nuxt react express three d3 chart socket ember backbone moment alpine discord asp bun deno p5 type nest`.split(
    ' ',
  ),
)
const PRODUCT_ENDINGS = new Set(['js', 'ts', 'io', 'net'])
const TOKEN = /[\p{L}\p{N}_.@+\-[\]()$%=/~\\:#]+/gu

export function looksLikePath(token: string): boolean {
  if (token.length > 240 || token.startsWith('-') || token.includes('://') || /[*{}$<>|]/.test(token))
    return false
  const base = token.slice(token.lastIndexOf('/') + 1)
  if (SPECIAL.has(base)) return true
  if (/^\.[a-z][\w.-]+$/.test(base)) return base.length > 3
  const extension = /\.([A-Za-z0-9]{1,10})$/.exec(base)?.[1]
  if (extension === undefined || base.length === extension.length + 1) return false
  const ending = extension.toLowerCase()
  if (!EXTENSIONS.has(ending) || /^[\d.]+$/.test(base)) return false
  const name = base.slice(0, -extension.length - 1).toLowerCase()
  return !(PRODUCT_ENDINGS.has(ending) && PRODUCTS.has(name))
}

/**
 * Words of a text that may name files, in order, cleaned of `@`, quotes and line numbers; whether they exist is decided later.
 * Words with a `/` but no known ending come too when they stand in backticks, for files such as `bin/run`.
 */
export function pathTokens(whole: string): string[] {
  // A Markdown link names two things.
  const text = whole.replaceAll('](', ' ')
  if (!mayNameFiles(text)) return []
  const found = new Set<string>()
  const take = (raw: string, loose: boolean) => {
    // Most words of a text are no path, and cleaning takes long.
    if (
      raw.length > LONGEST_PATH ||
      !(DOTTED.test(raw) || SPECIAL_WORD.test(raw) || (loose && /[\\/]/.test(raw)))
    )
      return
    const token = withoutLead(raw.replace(/^file:\/\/(?:\/(?=[A-Za-z]:\/))?(?=\/|[A-Za-z]:\/)/, ''))
      .replace(/#L?\d.*$|\(\d+(?:,\d+)?\)?:?$/, '')
      .replace(/:\d+(?:[:-]\d+)*:?$/, '')
      .replace(/(?<![.,:;)\]])[.,:;)\]]+$/, (tail) =>
        /[[(]/.test(raw) && /[)\]]/.test(tail) ? tail.replace(/(?<![.,:;])[.,:;]+$/, '') : '',
      )
      .replaceAll('\\', '/')
    if (looksLikePath(token) || (loose && /^[\w.@+-]+(?:\/[\w.@+-]+)+$/.test(token)))
      found.add(token.replace(/^(?:\.\/)+/, ''))
  }
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match
    // The end of a path with a space in it names no file by itself.
    if (isTail(text, match.index, token)) continue
    take(token, false)
    // A path written without spaces inside Chinese or Japanese text is its ASCII run.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is the ASCII block
    if (/[^\x00-\x7f]/.test(token))
      for (const run of token.match(/[\w.@+\-[\]()$%=/~]+/g) ?? []) take(run, false)
  }
  for (const match of text.matchAll(/`([^`\n]{2,200})`|"([^"\n]{2,200})"/g)) {
    const quoted = match[1] ?? match[2] ?? ''
    if (match[1] !== undefined && !/\s/.test(quoted)) take(quoted, true)
    if (quoted.includes(' ') && looksLikePath(quoted) && !/\s-|[;&|]/.test(quoted)) found.add(quoted)
  }
  return [...found]
}

/** Whether a bare name stands one space behind a path without an ending: `docs/tax notes.md`. */
function isTail(text: string, at: number, token: string): boolean {
  if (text[at - 1] !== ' ' || /[\\/]/.test(token) || !DOTTED.test(token)) return false
  const before = /[^\s"'`(]+$/.exec(text.slice(Math.max(0, at - LONGEST_PATH), at - 1))?.[0] ?? ''
  return /^[\w.-]+(?:\/[\w-]+)+$/.test(before)
}

function withoutLead(raw: string): string {
  if (!'@([:.'.includes(raw.charAt(0))) return raw
  return raw.replace(/^[@([:.]+(?=[\p{L}\p{N}_.~/[(])/u, (lead) =>
    lead.endsWith('.') ? lead.slice(lead.search(/\.+$/)) : '',
  )
}

/** Every path that is none of `SPECIAL` has an ending, or stands in backticks with a slash. */
const mayNameFiles = (text: string): boolean =>
  SPECIAL_WORD.test(text) || DOTTED.test(text) || (text.includes('`') && /[\\/]/.test(text))

/** What every path has that is none of `SPECIAL`; most words of a text have it not and need no closer look. */
const DOTTED = /\.[A-Za-z0-9]/
const SPECIAL_WORD = new RegExp([...SPECIAL].join('|'))

/** Prose; `requirements.txt` and `CMakeLists.txt` are none, nor is MDX, which is compiled. */
export const isProse = (path: string): boolean =>
  /\.(?:md|rst|adoc)$|(?<!CMakeLists|(?:requirements|constraints)[^/]*)\.txt$/i.test(path)
