import { firstKey } from './file-log.ts'
import { LONGEST_PATH } from './path-text.ts'

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

/** An order to make something, and a test that is to be in a file; "the test in … fails" speaks of one that is there. */
const CREATES =
  /\b(?:create|add|write|generate|scaffold|introduce|implement|put (?:it|this|them) in(?:to)?|new|save (?:it|this) (?:to|as)|move \S+ (?:in)?to|extract \S+ (?:in)?to|rename \S+ to)\b|(?:^|[,;:] |\b(?:and|then|please|to) )(?:test|cover|prove|assert|check) (?:[^.;]{0,200} )?in(?:to)? `?(?:[\w./-]*\/)?(?:[\w-]+[._-](?:tests?|spec)|test_[\w-]+)\.\w/i

export const wantsCreation = (sentence: string): boolean => CREATES.test(sentence)

export interface Mention {
  user: number
  agent: number
  /** The person or an accepted plan wants it made. */
  wanted: 'user' | 'plan' | null
  /** The turn and the message that named it last; messages are counted through the session. */
  turn: number
  message: number
}

/** Words remembered at most; the ones named longest ago are forgotten first. */
const MAX = 5_000

/** Collects words of prose that may name files. Whether they exist is decided at the end, when git is known. */
export function createMentionLog() {
  const mentions = new Map<string, Mention>()
  let messages = 0
  const note = (token: string, by: 'user' | 'agent' | 'plan', wanted: boolean, turn: number) => {
    const held = mentions.get(token) ?? { user: 0, agent: 0, wanted: null, turn, message: 0 }
    if (by === 'user') held.user++
    else held.agent++
    if (wanted && by !== 'agent') held.wanted = held.wanted === 'user' ? 'user' : by
    held.turn = turn
    held.message = messages
    mentions.delete(token)
    mentions.set(token, held)
    if (mentions.size > MAX) mentions.delete(firstKey(mentions))
  }
  return {
    /** `sentences` are those of the prose of what the person said or agreed to. */
    hear(by: 'user' | 'agent' | 'plan', text: string, turn: number, sentences: readonly string[] = []) {
      messages++
      // Pasted code and logs name files too, but only the person's own sentences ask for new ones.
      const own = new Set<string>()
      for (const sentence of sentences) {
        const wanted = wantsCreation(sentence)
        for (const token of pathTokens(sentence)) {
          own.add(token)
          note(token, by, wanted, turn)
        }
      }
      for (const token of pathTokens(text)) if (!own.has(token)) note(token, by, false, turn)
    },
    mentions,
  }
}
