import { ANY, isAt, type Mark, type Pattern, patternOf, type RawFilter, share } from './mark.ts'

/**
 * Finds short ASCII marks in raw bytes, four bytes at a time: fast enough to look at every byte of a transcript, also at
 * those that nobody parses (for 160 marks a sixth of the time that one regular expression takes).
 *
 * Whatever its place, a mark covers at least half of one aligned group of four bytes. For each mark and each of the four
 * alignments one such group is chosen; two tables, one for each half of a group, hold a bit for the groups that fit, so
 * that one `and` tells whether four bytes can belong to any mark. A third table, over the middle two bytes, and then the
 * bytes themselves make it certain.
 */
/** A mark seen through one group: `offset` is the place of the group's first byte in the mark, -3 to length - 1. */
interface Window {
  mark: number
  offset: number
  pattern: Pattern
}

/** Bytes at the start of a block that are compared directly, because a group may begin before them. */
const HEAD = 8

/** Returns a function that reports every place of a mark in a block: its number and its first byte. */
export function createTableFilter(marks: readonly Mark[]): RawFilter {
  const bits = { first: new Int32Array(PAIRS), middle: new Int32Array(PAIRS), second: new Int32Array(PAIRS) }
  bits.first.fill(FIRST_OPEN)
  bits.second.fill(SECOND_OPEN)
  bits.middle.fill(FIRST_OPEN | SECOND_OPEN)
  const byFirst = new Map<number, Window[]>()
  const bySecond = new Map<number, Window[]>()
  const byByte = new Map<number, Window[]>()
  for (let mark = 0; mark < marks.length; mark++) {
    const pattern = patternOf(marks[mark] as Mark)
    for (const byte of pattern[0] ?? []) add(byByte, byte, { mark, offset: 0, pattern })
    for (let alignment = 0; alignment < 4; alignment++) {
      const offset = bestOffset(pattern, alignment)
      const bit = bitOf(pattern, offset, mark)
      if (bit !== FIRST_OPEN) setPairs(bits.first, bit, pattern, offset)
      if (bit !== SECOND_OPEN) setPairs(bits.second, bit, pattern, offset + 2)
      if (bit !== FIRST_OPEN && bit !== SECOND_OPEN) setPairs(bits.middle, bit, pattern, offset + 1)
      // The half that is known to the last byte leads to the mark; the other may have an open byte.
      const isFirst = offset >= 0 && offset + 1 < pattern.length
      const at = offset + (isFirst ? 0 : 2)
      for (const one of pattern[at] ?? []) {
        for (const other of pattern[at + 1] ?? []) {
          add(isFirst ? byFirst : bySecond, one | (other << 8), { mark, offset, pattern })
        }
      }
    }
  }

  return (block, report) => {
    const check = (list: Window[] | undefined, place: number) => {
      if (list === undefined) return
      for (const { mark, offset, pattern } of list) {
        if (place >= offset && isAt(block, place - offset, pattern)) report(mark, place - offset)
      }
    }
    for (let at = 0; at < HEAD; at++) {
      for (const { mark, pattern } of byByte.get(block[at] ?? -1) ?? []) {
        if (isAt(block, at, pattern)) report(mark, at)
      }
    }
    const { shift, groups } = groupsOf(block)
    for (let index = nextGroup(groups, 0, bits); index !== -1; index = nextGroup(groups, index + 1, bits)) {
      const group = groups[index] ?? 0
      check(byFirst.get(group & 0xffff), shift + index * 4)
      check(bySecond.get(group >>> 16), shift + index * 4)
    }
  }
}

const PAIRS = 1 << 16
/** Bits of the tables: one for groups whose first half is open, one for those whose second half is. */
const FIRST_OPEN = 1
const SECOND_OPEN = 2
/**
 * Ten bits each for groups with an open first byte, an open last byte, and none: of one kind they share a bit with
 * little loss; mixed, the open byte of one would let the other's through.
 */
const KINDS = [2, 12, 22] as const
const SHARED = 10

function bitOf(pattern: Pattern, offset: number, mark: number): number {
  if (offset <= -2) return FIRST_OPEN
  if (offset >= pattern.length - 2) return SECOND_OPEN
  const kind = offset < 0 ? 0 : offset + 3 >= pattern.length ? 1 : 2
  return 1 << (KINDS[kind] + ((mark * 4 + (offset & 3)) % SHARED))
}

function add(index: Map<number, Window[]>, key: number, window: Window): void {
  const list = index.get(key)
  if (list === undefined) index.set(key, [window])
  else list.push(window)
}

/** The aligned groups of four bytes, first byte lowest, and how many bytes come before them. */
function groupsOf(block: Buffer): { shift: number; groups: Uint32Array } {
  const shift = (4 - (block.byteOffset & 3)) & 3
  const count = Math.max(0, (block.length - shift) >> 2)
  if (IS_LITTLE) return { shift, groups: new Uint32Array(block.buffer, block.byteOffset + shift, count) }
  return {
    shift,
    groups: Uint32Array.from({ length: count }, (_, index) => block.readUInt32LE(shift + index * 4)),
  }
}
const IS_LITTLE = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

interface Bits {
  first: Int32Array
  middle: Int32Array
  second: Int32Array
}

/** The next group that fits, or -1. Kept bare, with one branch for four groups: this is where the time goes. */
function nextGroup(groups: Uint32Array, from: number, { first, middle, second }: Bits): number {
  const fits = (group: number) =>
    ((first[group & 0xffff] as number) &
      (second[group >>> 16] as number) &
      (middle[(group >>> 8) & 0xffff] as number)) !==
    0
  const length = groups.length
  let index = from
  for (; index < length && (index & 3) !== 0; index++) if (fits(groups[index] as number)) return index
  for (; index + 3 < length; index += 4) {
    const a = groups[index] as number
    const b = groups[index + 1] as number
    const c = groups[index + 2] as number
    const d = groups[index + 3] as number
    const any =
      ((first[a & 0xffff] as number) & (second[a >>> 16] as number)) |
      ((first[b & 0xffff] as number) & (second[b >>> 16] as number)) |
      ((first[c & 0xffff] as number) & (second[c >>> 16] as number)) |
      ((first[d & 0xffff] as number) & (second[d >>> 16] as number))
    if (any === 0) continue
    if (fits(a)) return index
    if (fits(b)) return index + 1
    if (fits(c)) return index + 2
    if (fits(d)) return index + 3
  }
  for (; index < length; index++) if (fits(groups[index] as number)) return index
  return -1
}

/** Sets a bit for every pair of bytes that fits a place of the mark; outside of the mark every byte does. */
function setPairs(table: Int32Array, bit: number, pattern: Pattern, at: number): void {
  const ones = pattern[at] ?? ANY
  const others = pattern[at + 1] ?? ANY
  for (let i = 0; i < ones.length; i++) {
    for (let k = 0; k < others.length; k++) {
      const pair = (ones[i] as number) | ((others[k] as number) << 8)
      table[pair] = (table[pair] as number) | bit
    }
  }
}

/** Of the groups with this alignment the one that is rarest in transcripts; one half is always known to the last byte. */
function bestOffset(pattern: Pattern, alignment: number): number {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (let offset = alignment - 4; offset < pattern.length - 1; offset += 4) {
    // At -3 only the last byte is known.
    if (offset === -3) continue
    let chance = 1
    for (let at = Math.max(0, offset); at < offset + 4 && at < pattern.length; at++)
      chance *= share(pattern[at] ?? [])
    if (chance < least) {
      best = offset
      least = chance
    }
  }
  return best
}
