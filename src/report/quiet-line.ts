import { codeParts, oneLine } from '../text/safe-text.ts'

/** A zero-width space, as what markdown decodes: nothing of ours holds a character that nobody can see. */
const GAP = '&#8203;'

/**
 * A safe line of markdown for a comment on GitHub or GitLab, in which it also calls nobody, links nowhere and closes
 * nothing: hosts look for `@name`, `#12`, `GH-12`, `!12`, `~label`, `[issue:12]` and addresses in what a reader sees, so
 * that no escape of markdown keeps them from it, and a gap does. Code spans stay as they are, nothing is looked for there.
 * `$` begins a formula on both and stands in an element of its own (docs.github.com, "Writing mathematical expressions").
 */
export const quietLine = (line: string): string =>
  codeParts(line)
    .map(({ text, code }) => (code === null ? quiet(text) : text))
    .join('')

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
