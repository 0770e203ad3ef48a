import { isNewer, metaIssues, splitFrontMatter } from '../brief/front-matter.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import type { Problem, Rule, TextSubject } from './rule.ts'

/** Bytes of a brief that any parser gets to see. */
const MAX_BYTES = 64 * 1024

/** At most 64 KB; a larger text is not read at all. */
export const size = {
  id: 'size',
  level: 'always',
  over: 'text',
  about: 'A brief has at most 64 KB.',
  check({ text }: TextSubject): Problem[] {
    const bytes = Buffer.byteLength(text)
    return bytes > MAX_BYTES ? [{ line: 1, message: `${bytes} bytes; a brief has at most ${MAX_BYTES}` }] : []
  },
} as const

/** Front matter that can be read safely and fits schema version 1; a newer version says to upgrade. */
export const schema = {
  id: 'schema',
  level: 'always',
  over: 'unreadable',
  about: 'The front matter is YAML and fits the schema.',
  check({ text, facts }: TextSubject): Problem[] {
    let data: Record<string, unknown>
    try {
      data = splitFrontMatter(text, facts.path).data
    } catch (error) {
      if (!isHandoffError(error)) throw error
      return [{ line: 1, message: error.message.replace(`${facts.path}: `, '') }]
    }
    if (isNewer(data)) {
      const message = `schema version ${String(data.schemaVersion)} is newer than this handoff; upgrade it`
      return [{ line: 1, message }]
    }
    return metaIssues(data, text).map(({ line, message }) => ({ line, message }))
  },
} as const

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

/** Two versions of one brief, one after the other, are none: whoever reads it takes both for facts. */
export const conflictMarkers: Rule = {
  id: 'conflict-markers',
  level: 'always',
  over: 'text',
  about: 'No markers of an unfinished merge outside of fenced blocks.',
  check({ lines }) {
    let fence = ''
    const open = lines.flatMap((line, at) => {
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
      if (fence === '') fence = mark
      // Inside, the texts of others may tell of a merge.
      else if (mark.startsWith(fence) && line.trim() === mark) fence = ''
      return fence === '' && /^(?:<{7}|>{7})(?: |\r?$)/.test(line) ? [{ line, number: at + 1 }] : []
    })
    const first = open.find(({ line }) => line.startsWith('<'))
    const isWhole = first !== undefined && open.some(({ line }) => line.startsWith('>'))
    return isWhole ? [{ line: first.number, message: 'holds the markers of an unfinished merge' }] : []
  },
}

/** No secret, in any mode, by any flag. Told by rule and line, never by value. */
export const secrets = {
  id: 'secrets',
  level: 'always',
  over: 'text',
  about: 'The file contains no secret.',
  check({ facts }: TextSubject): Problem[] {
    return facts.secrets.map(({ rule, line, fingerprint }) => ({
      line,
      message: `a secret (${rule}); if it is a false alarm, put ${fingerprint} into secrets.allow after a review`,
    }))
  },
} as const
