import type { Problem, Rule } from '../rule.ts'

/** UTF-8 with LF line ends, so that the same brief is the same blob everywhere. */
export const encoding: Rule = {
  id: 'encoding',
  level: 'always',
  over: 'text',
  about: 'UTF-8 without a byte order mark, LF line ends, a line end at the end.',
  check({ text, lines }) {
    const first = (character: string, message: string, isWarning?: true): Problem[] =>
      text.includes(character)
        ? [
            {
              line: lines.findIndex((line) => line.includes(character)) + 1,
              message,
              ...(isWarning && { isWarning }),
            },
          ]
        : []
    return [
      ...(text.startsWith('\u{FEFF}') ? [{ line: 1, message: 'begins with a byte order mark' }] : []),
      ...first('\r', 'has carriage returns; line ends are LF'),
      // What a program printed may really hold one.
      ...first('\u{FFFD}', 'has a replacement character; was it UTF-8?', true),
      ...(text.endsWith('\n') ? [] : [{ line: lines.length, message: 'the last line has no line end' }]),
    ]
  },
}
