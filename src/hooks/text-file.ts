import { orNull } from '../errors/handoff-error.ts'
/** A file as bytes; null is none. */
export type Bytes = Uint8Array | null

export const equalBytes = (a: Bytes, b: Bytes): boolean =>
  a === null || b === null ? a === b : Buffer.compare(a, b) === 0

/** What became of one edit of one text. */
export type Outcome =
  | { state: 'changed'; text: string }
  | { state: 'same'; text: string }
  /** Something of somebody else is in its place; `reason` continues "left alone: ". */
  | { state: 'foreign'; reason: string }

/** A text file taken apart, so that what is put in looks like the rest of it. */
interface TextFile {
  /** Without the byte order mark, line ends as they are. */
  text: string
  hasBom: boolean
  eol: '\n' | '\r\n'
}

const BOM = '\uFEFF'

/** The text in `bytes`, or null when they are not UTF-8. An empty or absent file ends its lines with LF. */
export function readText(bytes: Bytes): TextFile | null {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const text = orNull(() => decoder.decode(bytes ?? new Uint8Array()))
  if (text === null) return null
  const hasBom = text.startsWith(BOM)
  const body = hasBom ? text.slice(1) : text
  const ends = body.split('\n').length - 1
  const carriages = body.split('\r\n').length - 1
  return { text: body, hasBom, eol: carriages * 2 > ends ? '\r\n' : '\n' }
}

/** The bytes of `text` with the byte order mark that the file had. */
export const writeText = (file: Pick<TextFile, 'hasBom'>, text: string): Buffer =>
  Buffer.from((file.hasBom ? BOM : '') + text)

/** True when both say the same, however git ended the lines at checkout. */
export const sameLines = (a: string, b: string): boolean =>
  a.replaceAll('\r\n', '\n') === b.replaceAll('\r\n', '\n')

/** The white space that the line of `offset` begins with. */
export function indentAt(text: string, offset: number): string {
  const start = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}

/** 1-based. */
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

/** The offset where the line of `offset` begins. */
export const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1

/** The offset behind the line of `offset`; that itself when a line begins there. */
export function lineEnd(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === '\n') return offset
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end + 1
}

/** True when two values of JSON say the same; neither the order of members nor the prototype of an object says anything. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equalJson(Reflect.get(a, key), Reflect.get(b, key)))
  )
}
