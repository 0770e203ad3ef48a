import type { Rule } from '../rule.ts'

/** UTF-8 with LF line ends, so that the same brief is the same blob everywhere. */
export const encoding: Rule = {
  id: 'encoding',
  level: 'always',
  check({ text, lines }) {
    const at = (test: (line: string) => boolean): number => lines.findIndex(test) + 1
    return [
      ...(text.startsWith('\ufeff') ? [{ line: 1, message: 'begins with a byte order mark' }] : []),
      ...(text.includes('\r')
        ? [{ line: at((line) => line.includes('\r')), message: 'has carriage returns; line ends are LF' }]
        : []),
      ...(text.includes('\ufffd')
        ? [
            {
              line: at((line) => line.includes('\ufffd')),
              message: 'has a replacement character; was it UTF-8?',
              isWarning: true,
            },
          ]
        : []),
      ...(text.endsWith('\n') ? [] : [{ line: lines.length, message: 'the last line has no line end' }]),
    ]
  },
}
