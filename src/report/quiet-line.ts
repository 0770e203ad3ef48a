import { oneLine } from '../brief/safe-text.ts'

/** A zero-width space, as what markdown decodes: nothing of ours holds a character that nobody can see. */
const GAP = '&#8203;'

/**
 * A safe line of markdown for a comment on GitHub or GitLab, in which it also calls nobody, links nowhere and closes
 * nothing: hosts look for `@name`, `#12`, `GH-12`, `!12`, `~label`, `[issue:12]` and addresses in what a reader sees, so
 * that no escape of markdown keeps them from it, and a gap does. Code spans stay as they are, nothing is looked for there.
 * `$` begins a formula on both and stands in an element of its own (docs.github.com, "Writing mathematical expressions").
 */
export function quietLine(line: string): string {
  let out = ''
  let text = ''
  const tokens = line.match(/\\[\s\S]|`+|[^\\`]+|\\/g) ?? []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as string
    const end = token.startsWith('`') ? closing(tokens, at) : null
    if (end === null) {
      text += token
      continue
    }
    out += quiet(text) + tokens.slice(at, end + 1).join('')
    text = ''
    at = end
  }
  return out + quiet(text)
}

/** The token that ends the code span, or null. Inside of code a backslash escapes nothing, so a run may follow one. */
function closing(tokens: readonly string[], from: number): number | null {
  const run = tokens[from]
  for (let at = from + 1; at < tokens.length; at++) {
    const token = tokens[at] as string
    if (token === run) return at
    // `\`` took one backtick of the run behind it.
    if (token === '\\`') {
      const rest = tokens[at + 1]?.startsWith('`') === true ? (tokens[at + 1] as string) : ''
      if (`\`${rest}` === run) return rest === '' ? at : at + 1
      if (rest !== '') at += 1
    }
  }
  return null
}

const CALLS = /\\\\|\\<|\\?[@#!~%^&$[]|:(?=\/\/)|www(?=\.)|GH(?=-\d)/gi

const quiet = (text: string): string =>
  text.replace(CALLS, (found: string, at: number) => {
    if (found === '\\\\') return found
    // Nothing that strips comments or tags without knowing markdown finds one.
    if (found === '\\<') return '&lt;'
    if (found.endsWith('$')) return '<span>$</span>'
    const next = text[at + found.length] ?? ''
    const mark = found === '&' ? '&amp;' : found
    return found.endsWith('@') || /^(?::|www|gh)$/i.test(found) || /["#\p{L}\p{N}_]/u.test(next)
      ? mark + GAP
      : mark
  })

/** The same for words inside an element of HTML, which an empty line would end and where nobody reads markdown. */
export const quietHtml = (text: string): string =>
  oneLine(text).replace(/[<>"'`&@#!~%^$[]|:(?=\/\/)|www(?=\.)|GH(?=-\d)/gi, (found) => {
    if (found === '$') return '<span>$</span>'
    if (/[<>"'`]/.test(found)) return `&#${found.charCodeAt(0)};`
    return `${found === '&' ? '&amp;' : found}${GAP}`
  })
