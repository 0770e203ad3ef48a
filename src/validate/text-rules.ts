import { isNewer, metaIssues, splitFrontMatter } from '../brief/front-matter.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import type { Problem, TextSubject } from './rule.ts'

/** Bytes of a brief that any parser gets to see. */
const MAX_BYTES = 64 * 1024

export function size({ text }: TextSubject): Problem[] {
  const bytes = Buffer.byteLength(text)
  return bytes > MAX_BYTES ? [[1, `${bytes} bytes; a brief has at most ${MAX_BYTES}`]] : []
}

export function schema({ text, facts }: TextSubject): Problem[] {
  let data: Record<string, unknown>
  try {
    data = splitFrontMatter(text, facts.path).data
  } catch (error) {
    if (!isHandoffError(error)) throw error
    return [[1, error.message.replace(`${facts.path}: `, '')]]
  }
  if (isNewer(data))
    return [[1, `schema version ${String(data.schemaVersion)} is newer than this handoff; upgrade it`]]
  return metaIssues(data, text).map(({ line, message }) => [line, message])
}

/** The same brief is the same blob everywhere. */
export function encoding({ text, lines }: TextSubject): Problem[] {
  const lineWith = (character: string): number => lines.findIndex((line) => line.includes(character)) + 1
  const problems: Problem[] = []
  if (text.startsWith('\u{FEFF}')) problems.push([1, 'begins with a byte order mark'])
  if (text.includes('\r')) problems.push([lineWith('\r'), 'has carriage returns; line ends are LF'])
  // What a program printed may really hold one.
  if (text.includes('\u{FFFD}'))
    problems.push([lineWith('\u{FFFD}'), 'has a replacement character; was it UTF-8?', 'warning'])
  if (!text.endsWith('\n')) problems.push([lines.length, 'the last line has no line end'])
  return problems
}

/** Two versions of one brief, one after the other: a reader would take both for facts. */
export function conflictMarkers({ lines }: TextSubject): Problem[] {
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
  return isWhole ? [[first.number, 'holds the markers of an unfinished merge']] : []
}

/** Told by rule and line, never by value. */
export function secrets({ facts }: TextSubject): Problem[] {
  return facts.secrets.map(({ rule, line, fingerprint }) => [
    line,
    `a secret (${rule}); if it is a false alarm, put ${fingerprint} into secrets.allow after a review`,
  ])
}
