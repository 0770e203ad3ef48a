import fc from 'fast-check'
import { oddText } from './fuzz-texts.ts'
import { type Edit, edit, edited, jsonOf, textOf } from './fuzz-values.ts'

/** One change to the order of records. */
export interface Move {
  how: 'drop' | 'double' | 'swap' | 'end' | 'foreign' | 'late' | 'reverse'
  at: number
  to: number
}

/** One change to the bytes of a file, `at` thousandths of its length. */
export interface Cut {
  at: number
  how: 'put' | 'end' | 'leave out' | 'double' | 'line ends' | 'flip'
  bytes: string | Uint8Array
}

/** What is done to a file: to its records, to the fields in them, and then to its bytes. */
export interface Damage {
  moves: Move[]
  edits: { record: number; edits: Edit[] }[]
  cuts: Cut[]
}

const place = fc.nat(1000)
const byte = (...all: number[]): Uint8Array => Uint8Array.from(all)

const cut: fc.Arbitrary<Cut> = fc.record({
  at: fc.oneof(fc.constant(0), fc.constant(1000), place),
  how: fc.constantFrom(
    ...(['put', 'put', 'put', 'end', 'leave out', 'double', 'line ends', 'flip'] as const),
  ),
  bytes: fc.oneof(
    oddText,
    // No UTF-8: a byte that begins nothing, one cut off, a surrogate by itself, an overlong one.
    fc.constantFrom(
      byte(0xff, 0xfe),
      byte(0xc3, 0x28),
      byte(0xed, 0xa0, 0x80),
      byte(0xc0, 0xaf),
      byte(0xf0, 0x9f),
    ),
    fc.constantFrom(byte(0), byte(0, 0, 0, 0), byte(0xef, 0xbb, 0xbf), byte(0x28, 0xb5, 0x2f, 0xfd)),
    fc.constantFrom(
      '\n\n\n',
      '{',
      '}',
      '"',
      'null\n',
      '[]\n',
      '{}\n',
      '"text"\n',
      '1\n',
      '{"type":"new-kind"}\n',
    ),
    fc.constantFrom('x'.repeat(1 << 20), '['.repeat(50_000), '{"a":'.repeat(20_000), '\n'.repeat(50_000)),
  ),
})

const move: fc.Arbitrary<Move> = fc.record({
  how: fc.constantFrom(...(['drop', 'drop', 'double', 'swap', 'end', 'foreign', 'late', 'reverse'] as const)),
  at: place,
  to: place,
})

/** Damage to a file of records: mostly to the fields, seldom to the bytes, where little is left to read. */
export const damage: fc.Arbitrary<Damage> = fc.record({
  moves: fc.array(move, { maxLength: 3 }),
  edits: fc.array(fc.record({ record: place, edits: fc.array(edit, { minLength: 1, maxLength: 4 }) }), {
    maxLength: 6,
  }),
  cuts: fc.oneof(
    { weight: 3, arbitrary: fc.constant<Cut[]>([]) },
    { weight: 1, arbitrary: fc.array(cut, { minLength: 1, maxLength: 3 }) },
  ),
})

/** Damage to bytes alone. */
export const cuts: fc.Arbitrary<Cut[]> = fc.array(cut, { maxLength: 5 })

/** The same, mostly none. */
export const someCuts: fc.Arbitrary<Cut[]> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Cut[]>([]) },
  { weight: 1, arbitrary: cuts },
)

/** The file of JSON lines with that damage; `foreign`: lines of other files. */
export function damagedLines(
  text: string,
  foreign: readonly string[],
  { moves, edits, cuts }: Damage,
): Buffer {
  const lines = text.split('\n').filter((line) => line !== '')
  for (const one of moves) moved(lines, foreign, one)
  for (const { record, edits: all } of edits) {
    const at = record % Math.max(1, lines.length)
    const value = parsed(lines[at] ?? '')
    if (value !== undefined) lines[at] = jsonOf(edited(value, all))
  }
  return cutUp(Buffer.from(lines.map((line) => `${line}\n`).join('')), cuts)
}

/** The file of one JSON value with that damage. */
export function damagedJson(text: string, { edits, cuts }: Damage): Buffer {
  const all = edits.flatMap((one) => one.edits)
  return cutUp(Buffer.from(jsonOf(edited(parsed(text) ?? {}, all))), cuts)
}

/** The text file with that damage, a line being a record and a field. */
export function damagedText(
  text: string,
  foreign: readonly string[],
  { moves, edits, cuts }: Damage,
): Buffer {
  const lines = text.split('\n')
  for (const one of moves) moved(lines, foreign, one)
  for (const { record, edits: all } of edits) {
    const at = record % Math.max(1, lines.length)
    for (const { how, value } of all)
      lines[at] = how === 'append' || how === 'add' ? `${lines[at]}${textOf(value)}` : textOf(value)
  }
  return cutUp(Buffer.from(lines.join('\n')), cuts)
}

function moved(lines: string[], foreign: readonly string[], { how, at, to }: Move): void {
  const from = at % Math.max(1, lines.length)
  const other = to % Math.max(1, lines.length)
  const line = lines[from] ?? ''
  if (how === 'drop') lines.splice(from, 1 + (to % 3))
  else if (how === 'double') lines.splice(other, 0, line)
  else if (how === 'swap') [lines[from], lines[other]] = [lines[other] ?? '', line]
  else if (how === 'end') lines.splice(from)
  else if (how === 'foreign')
    lines.splice(from, 0, ...foreign.slice(to % Math.max(1, foreign.length)).slice(0, 3))
  else if (how === 'late') lines.push(...lines.splice(from, 1 + (to % 4)))
  else lines.splice(from, to % 6, ...lines.slice(from, from + (to % 6)).reverse())
}

/** The bytes with those changes. */
export function cutUp(bytes: Buffer, cuts: readonly Cut[]): Buffer {
  let all = bytes
  for (const { at, how, bytes: put } of cuts) {
    const place = Math.floor((at * all.length) / 1000)
    const length = Math.min(1 + (at % 97), all.length - place)
    const part = all.subarray(place, place + length)
    if (how === 'put') all = Buffer.concat([all.subarray(0, place), Buffer.from(put), all.subarray(place)])
    else if (how === 'end') all = all.subarray(0, place)
    else if (how === 'leave out') all = Buffer.concat([all.subarray(0, place), all.subarray(place + length)])
    else if (how === 'double') all = Buffer.concat([all.subarray(0, place), part, all.subarray(place)])
    else if (how === 'line ends') all = Buffer.from(all.toString('latin1').replaceAll('\n', '\r\n'), 'latin1')
    else {
      all = Buffer.from(all)
      if (place < all.length) all[place] = (all[place] ?? 0) ^ (1 << (at % 8))
    }
  }
  return all
}

/** The value, to be changed; undefined for what is none, or so deep that no further change can be made to it. */
function parsed(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line)
    return structuredClone(value)
  } catch {
    return undefined
  }
}
