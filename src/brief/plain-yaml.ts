/**
 * The little YAML that front matter nearly always is: one short line for each key, texts that need no quotes, lists of
 * them, one map in another. For this the library and this file write and read the same, to the byte; a test compares
 * them. What is not that plain is null here and the library's business: the code of it takes 20 ms to warm up.
 */

/** More lines than any brief of ours has; long ones are screened before the library sees them. */
const MAX_LINES = 200
const MAX_DEPTH = 3
const LINE = /^( *)(?:([A-Za-z][\w.]{0,60}):(?: (.+))?|- (.+))$/
/** In one of the two versions of YAML these are no texts; `e1` is a number in the older. */
const RESERVED = /^(?:y|yes|n|no|on|off|true|false|null|e[-+]?\d+)$/i
/** Begins with a letter, holds no `: ` and no ` #`, ends with neither blank, colon nor dash. */
const WORDS = /^[A-Za-z](?:(?!: | #)[\x20-\x7e])*(?<![ :-])$/
/** An id or a hash: a letter that no number has, but not in front of a number of another base. */
const CODE = /^(?!0[xob])(?=[\w.-]*[a-df-np-wyz])\d[\w.-]*(?<!-)$/i
const VERSION = /^\d+\.\d+\.\d+$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const COUNT = /^(?:0|[1-9]\d{0,14})$/

const isWord = (text: string): boolean =>
  (WORDS.test(text) && !RESERVED.test(text)) || CODE.test(text) || VERSION.test(text)

/** The lines of a map, or null when it is not plain. */
export function writePlain(data: object): string | null {
  const lines: string[] = []
  return writeMap(data, '', lines) ? `${lines.join('\n')}\n` : null
}

function writeMap(data: object, indent: string, lines: string[]): boolean {
  const entries = Object.entries(data) as [string, unknown][]
  if (entries.length === 0 || indent.length > 2 * MAX_DEPTH) return false
  return entries.every(([key, value]) => {
    if (!/^[A-Za-z][\w.]{0,60}$/.test(key) || !isWord(key)) return false
    const scalar = written(value)
    if (scalar !== null) return lines.push(`${indent}${key}: ${scalar}`) > 0
    lines.push(`${indent}${key}:`)
    if (Array.isArray(value)) return writeList(value, `${indent}  - `, lines)
    return isMap(value) && writeMap(value, `${indent}  `, lines)
  })
}

const writeList = (list: readonly unknown[], start: string, lines: string[]): boolean =>
  list.length > 0 &&
  list.every((item) => typeof item === 'string' && isWord(item) && lines.push(start + item) > 0)

const isMap = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

function written(value: unknown): string | null {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number')
    return COUNT.test(String(value)) && !Object.is(value, -0) ? String(value) : null
  if (typeof value !== 'string') return null
  return isWord(value) ? value : TIME.test(value) ? `"${value}"` : null
}

interface Cursor {
  lines: readonly string[]
  at: number
}

/** The map that the lines stand for, or null when they are not plain. */
export function readPlain(source: string): Record<string, unknown> | null {
  const lines = source.replace(/^\n|\n$/g, '').split('\n', MAX_LINES + 1)
  if (lines.length > MAX_LINES) return null
  const cursor = { lines, at: 0 }
  const map = readMap(cursor, 0)
  return cursor.at === lines.length ? map : null
}

function readMap(cursor: Cursor, indent: number): Record<string, unknown> | null {
  const map: Record<string, unknown> = {}
  while (cursor.at < cursor.lines.length) {
    const [, blanks = '', key, value] = LINE.exec(cursor.lines[cursor.at] ?? '') ?? []
    if (key === undefined || blanks.length > indent) return null
    if (blanks.length < indent) break
    if (!isWord(key) || Object.hasOwn(map, key)) return null
    cursor.at++
    const read = value === undefined ? readInner(cursor, indent + 2) : readScalar(value)
    if (read === undefined) return null
    map[key] = read
  }
  return Object.keys(map).length === 0 ? null : map
}

/** What stands below a key: a list or a map; undefined when it is neither. */
function readInner(cursor: Cursor, indent: number): unknown {
  const line = cursor.lines[cursor.at] ?? ''
  const start = `${' '.repeat(indent)}- `
  if (indent > 2 * MAX_DEPTH || line.slice(0, indent).trim() !== '') return undefined
  if (!line.startsWith(start))
    return line.charAt(indent) === ' ' ? undefined : (readMap(cursor, indent) ?? undefined)
  const list: string[] = []
  for (; cursor.lines[cursor.at]?.startsWith(start); cursor.at++) {
    const item = cursor.lines[cursor.at]?.slice(start.length) ?? ''
    if (!isWord(item)) return undefined
    list.push(item)
  }
  return list
}

function readScalar(text: string): unknown {
  if (text === 'null') return null
  if (text === 'true' || text === 'false') return text === 'true'
  if (COUNT.test(text)) return Number(text)
  if (isWord(text)) return text
  return TIME.test(text.slice(1, -1)) && /^".*"$/.test(text) ? text.slice(1, -1) : undefined
}
