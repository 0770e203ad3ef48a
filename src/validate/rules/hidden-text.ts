import { hiddenIn } from '../../brief/visible.ts'
import type { Problem, Rule } from '../rule.ts'

/** Nothing a reader cannot see: control, bidi and zero-width characters, HTML comments, folded-away blocks. */
export const hiddenText: Rule = {
  id: 'hidden-text',
  level: 'always',
  check({ lines, parsed }) {
    const characters = lines.flatMap((text, index): Problem[] => {
      const [first] = hiddenIn(text.replace(/\r$/, ''))
      return first === undefined
        ? []
        : [
            {
              line: index + 1,
              message: `has the invisible character U+${first.code.toString(16).toUpperCase().padStart(4, '0')}`,
            },
          ]
    })
    const markup = parsed.sections
      .flatMap((section) => section.lines)
      .filter(({ fenced, text }) => !fenced && HIDING.test(withoutCode(text)))
      .map(({ line }) => ({ line, message: 'hides text in markup (comment, <details>, style or script)' }))
    return [...characters, ...markup]
  },
}

const HIDING =
  /(?<!\\)<(?:!--|!\[CDATA\[|\?|\/?(?:details|summary|style|script|template|iframe|object|svg|img|span|div|p|a|input|textarea)\b)/i

/** The line without its code spans, where a tag is just text. */
const withoutCode = (text: string): string => text.replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '')
