import { PLAIN } from '../text/visible.ts'

/**
 * The YAML that `writeFrontMatter` writes, read line by line: mappings and lists of plain and quoted scalars, two spaces
 * a level. The engine takes a third of a millisecond for a brief, this takes some hundredths, and a chain has thousands.
 */
const MAX_LINES = 200
export const KEY = /^([A-Za-z][A-Za-z0-9_]*):(?: (\S.*))?$/
const COUNT = /^(?:0|[1-9]\d{0,14})$/
/** What begins with a digit and is no number of any kind: a version, or a text with a letter that none has. */
const NO_NUMBER = /^\d+\.\d+\.\d|^\d(?!x|o).*[A-DF-Za-df-z]/
export const WORDS = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

interface Cursor {
  readonly lines: readonly string[]
  at: number
}

/** The value of the lines between the two `---`, or undefined for anything that is not written exactly so. */
export function readCanonical(inner: string): Record<string, unknown> | undefined {
  // Characters that YAML and a reader see alike: no tab, no control, nothing hidden, nothing beyond the first plane.
  if (!inner.endsWith('\n') || inner.includes('\t') || !PLAIN.test(inner)) return undefined
  const lines = inner.slice(0, -1).split('\n', MAX_LINES + 1)
  if (lines.length > MAX_LINES) return undefined
  const cursor = { lines, at: 0 }
  const data = readMap(cursor, '')
  return cursor.at === lines.length ? data : undefined
}

function readMap(cursor: Cursor, indent: string): Record<string, unknown> | undefined {
  const map: Record<string, unknown> = {}
  for (let line = lineAt(cursor, indent); line !== undefined; line = lineAt(cursor, indent)) {
    const [, key, rest] = KEY.exec(line) ?? []
    if (key === undefined || WORDS.has(key.toLowerCase()) || Object.hasOwn(map, key)) return undefined
    cursor.at++
    const value =
      rest === undefined
        ? readNested(cursor, `${indent}  `)
        : rest === '|-'
          ? readLiteral(cursor, `${indent}  `)
          : readScalar(rest)
    if (value === undefined) return undefined
    map[key] = value
  }
  return Object.keys(map).length === 0 ? undefined : map
}

/** The line of this depth that comes next, without its indent; undefined when it is of another depth. */
function lineAt({ lines, at }: Cursor, indent: string): string | undefined {
  const line = lines[at]
  return line?.startsWith(indent) && line[indent.length] !== ' ' ? line.slice(indent.length) : undefined
}

function readNested(cursor: Cursor, indent: string): unknown {
  if (!lineAt(cursor, indent)?.startsWith('- ')) return readMap(cursor, indent)
  const list: unknown[] = []
  for (let line = lineAt(cursor, indent); line !== undefined; line = lineAt(cursor, indent)) {
    const item = line.startsWith('- ') ? readScalar(line.slice(2)) : undefined
    if (item === undefined) return undefined
    list.push(item)
    cursor.at++
  }
  return list
}

/** Several lines of text, as they stand. */
function readLiteral(cursor: Cursor, indent: string): string | undefined {
  const { lines } = cursor
  const from = cursor.at
  while (cursor.at < lines.length && (lines[cursor.at] === '' || lines[cursor.at]?.startsWith(indent)))
    cursor.at++
  const taken = lines.slice(from, cursor.at)
  const [first = '', last = ''] = [taken[0], taken.at(-1)]
  // Where a text begins with a space or ends with nothing, indicators and chomping decide.
  if (!/^ +\S/.test(first) || first[indent.length] === ' ' || last.trim() === '') return undefined
  return taken.map((line) => line.slice(indent.length)).join('\n')
}

function readScalar(text: string): unknown {
  if (COUNT.test(text)) return Number(text)
  if (text === '[]') return []
  if (text === '{}') return {}
  if (text.startsWith('"')) return /^"(?:[^"\\]|\\["\\nt])*"$/.test(text) ? JSON.parse(text) : undefined
  if (text.startsWith("'"))
    return /^'(?:[^']|'')*'$/.test(text) ? text.slice(1, -1).replaceAll("''", "'") : undefined
  if (text.endsWith(' ') || text.endsWith(':') || text.includes(': ') || text.includes(' #')) return undefined
  if (WORDS.has(text.toLowerCase())) return WORDS.get(text)
  return /^[A-Za-z]/.test(text) || text.charCodeAt(0) > 0xa0 || NO_NUMBER.test(text) ? text : undefined
}
