import { hiddenIn } from '../../text/visible.ts'
import { withoutCode } from '../line.ts'
import type { Problem, Rule } from '../rule.ts'

/** Nothing a reader cannot see: controls, bidi and zero-width characters, HTML comments, folded-away blocks. */
export const hiddenText: Rule = {
  id: 'hidden-text',
  level: 'always',
  over: 'brief',
  about: 'No control, bidi or zero-width character, no HTML comment, no text folded away or left unrendered.',
  check({ text: whole, lines, parsed }) {
    const suspects = hiddenIn(whole).length === 0 ? [] : lines
    const characters = suspects.flatMap((text, index): Problem[] => {
      // Carriage returns are the business of `encoding`.
      const codes = new Set(hiddenIn(text.replace(/\r$/, '')).map(({ code }) => code))
      if (codes.size === 0) return []
      const names = [...codes].map((code) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`)
      return [{ line: index + 1, message: `has the invisible character ${names.join(', ')}` }]
    })
    const bodyLines = parsed.sections.flatMap((section) => section.lines)
    const markup = bodyLines.flatMap(({ line, text, fenced }): Problem[] => {
      if (fenced) return []
      const tag = text.includes('<') ? HTML.exec(withoutCode(text))?.[0] : undefined
      if (tag !== undefined) return [{ line, message: `may hide text in markup (${tag})` }]
      // A definition is never rendered; a link shows its words and not where it leads.
      if (/^ {0,3}\[[^\]]+\]:/.test(text)) return [{ line, message: 'a link definition is not rendered' }]
      return []
    })
    return [...characters, ...markup]
  },
}

/** A tag or comment that markdown lets through; briefs hold no HTML, and the renderer writes `\<`. */
const HTML = /(?<!\\)<(?:!--|!\[CDATA\[|!(?=[A-Za-z])|\?|\/?[A-Za-z][A-Za-z0-9-]{0,20}(?![A-Za-z0-9:@.-]))/
