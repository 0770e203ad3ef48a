/**
 * Finds short ASCII marks in raw bytes, four bytes at a time: fast enough to look at every byte of a transcript, also at
 * those that nobody parses (measured 0.5 ms/MB for 160 marks, where one regular expression takes 3 to 4).
 *
 * Whatever its place, a mark covers at least half of one aligned group of four bytes. For each mark and each of the four
 * alignments one such group is chosen; two tables, one for each half of a group, hold a bit for the groups that fit, so
 * that one `and` tells whether four bytes can belong to any mark. A third table, over the middle two bytes, and then the
 * bytes themselves make it certain.
 */
export interface Mark {
  text: string
  /** Upper and lower case count as the same. */
  fold: boolean
}

/** A mark seen through one group: `offset` is the place of the group's first byte in the mark, -3 to length - 1. */
interface Window {
  mark: number
  offset: number
  lower: Uint8Array
  upper: Uint8Array
}

const PAIRS = 1 << 16
const BITS = 32
/** Bytes at the start of a block that are compared directly, because a group may begin before them. */
const HEAD = 8

/** Returns a function that reports every place of a mark in a block: its number and its first byte. */
export function createRawFilter(
  marks: readonly Mark[],
): (block: Buffer, report: (mark: number, at: number) => void) => void {
  const first = createTable()
  const second = createTable()
  const middle = createTable()
  const byFirst = new Map<number, Window[]>()
  const bySecond = new Map<number, Window[]>()
  const whole: Window[] = []
  for (const [mark, { text, fold }] of marks.entries()) {
    const lower = Buffer.from(fold ? text.toLowerCase() : text, 'latin1')
    const upper = Buffer.from(fold ? text.toUpperCase() : text, 'latin1')
    whole.push({ mark, offset: 0, lower, upper })
    for (let alignment = 0; alignment < 4; alignment++) {
      const window = { mark, offset: bestOffset(lower, alignment), lower, upper }
      const bit = bestBit(first, second, chanceOf(lower, window.offset), chanceOf(lower, window.offset + 2))
      first.take(bit, window, window.offset)
      second.take(bit, window, window.offset + 2)
      middle.take(bit, window, window.offset + 1)
      // The half that is known to the last byte leads to the mark; the other may have an open byte.
      const isFirst = isKnown(lower, window.offset)
      const index = isFirst ? byFirst : bySecond
      const at = window.offset + (isFirst ? 0 : 2)
      for (const one of choices(window, at)) {
        for (const other of choices(window, at + 1)) {
          const list = index.get(one | (other << 8))
          if (list === undefined) index.set(one | (other << 8), [window])
          else list.push(window)
        }
      }
    }
  }

  first.fill()
  second.fill()
  middle.fill()

  return (block, report) => {
    const check = (list: Window[] | undefined, place: number) => {
      if (list === undefined) return
      for (const window of list) {
        const at = place - window.offset
        if (at >= 0 && isAt(block, at, window)) report(window.mark, at)
      }
    }
    for (let at = 0; at < Math.min(HEAD, block.length); at++) {
      for (const window of whole) if (isAt(block, at, window)) report(window.mark, at)
    }
    const { shift, groups } = groupsOf(block)
    const bits = { first: first.bits, second: second.bits, middle: middle.bits }
    for (let index = nextGroup(groups, 0, bits); index !== -1; index = nextGroup(groups, index + 1, bits)) {
      const group = groups[index] ?? 0
      check(byFirst.get(group & 0xffff), shift + index * 4)
      check(bySecond.get(group >>> 16), shift + index * 4)
    }
  }
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
  second: Int32Array
  middle: Int32Array
}

/** The next group that fits, or -1. Kept bare, with one branch for four groups: this is where the time goes. */
function nextGroup(groups: Uint32Array, from: number, { first, second, middle }: Bits): number {
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

function isAt(block: Buffer, at: number, { lower, upper }: Window): boolean {
  for (let index = 0; index < lower.length; index++) {
    const byte = block[at + index]
    if (byte !== lower[index] && byte !== upper[index]) return false
  }
  return true
}

/** One half of the groups: for each pair of bytes the bits of the windows that it fits. */
function createTable() {
  const bits = new Int32Array(PAIRS)
  /** How likely a pair of bytes has the bit, by bit. */
  const chance = new Float64Array(BITS)
  const taken: { mask: number; window: Window; at: number }[] = []
  let open = 0
  return {
    bits,
    chance,
    take(bit: number, window: Window, at: number) {
      const added = chanceOf(window.lower, at)
      chance[bit] = Math.min(1, (chance[bit] ?? 0) + added)
      if (added === 1) open |= 1 << bit
      else taken.push({ mask: 1 << bit, window, at })
    },
    fill() {
      bits.fill(open)
      for (const { mask, window, at } of taken)
        setPairs(bits, mask, choices(window, at), choices(window, at + 1))
    },
  }
}
type Table = ReturnType<typeof createTable>

/** The bit whose groups grow least in number: windows that share a bit let each other's halves through. */
function bestBit(first: Table, second: Table, chanceFirst: number, chanceSecond: number): number {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (let bit = 0; bit < BITS; bit++) {
    const [a, b] = [first.chance[bit] ?? 0, second.chance[bit] ?? 0]
    const growth = Math.min(1, a + chanceFirst) * Math.min(1, b + chanceSecond) - a * b
    if (growth < least) {
      best = bit
      least = growth
    }
  }
  return best
}

/** Sets a bit for every pair of these bytes; apart, so that it becomes fast soon. */
function setPairs(bits: Int32Array, mask: number, ones: readonly number[], others: readonly number[]): void {
  for (let i = 0; i < ones.length; i++) {
    for (let k = 0; k < others.length; k++) {
      const pair = (ones[i] as number) | ((others[k] as number) << 8)
      bits[pair] = (bits[pair] as number) | mask
    }
  }
}

/** The bytes that fit a place of the mark; outside of it every byte does. */
function choices({ lower, upper }: Window, at: number): readonly number[] {
  const low = lower[at]
  const high = upper[at]
  if (low === undefined || high === undefined) return ANY
  return low === high ? [low] : [low, high]
}
const ANY = Array.from({ length: 256 }, (_, byte) => byte)

/** Of the groups with this alignment the one that is rarest in transcripts; one half is always known to the last byte. */
function bestOffset(mark: Uint8Array, alignment: number): number {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (let offset = alignment - 4; offset < mark.length; offset += 4) {
    if (!isKnown(mark, offset) && !isKnown(mark, offset + 2)) continue
    const chance = chanceOf(mark, offset) * chanceOf(mark, offset + 2)
    if (chance < least) {
      best = offset
      least = chance
    }
  }
  return best
}

const isKnown = (mark: Uint8Array, at: number) => at >= 0 && at + 1 < mark.length

/** How likely two bytes of a transcript fit a place of the mark, taken as independent; 1 where both are open. */
const chanceOf = (mark: Uint8Array, at: number): number => share(mark[at]) * share(mark[at + 1])

/** Share of a byte in transcripts: 48 MB of sessions of three agents, counted. */
function share(byte: number | undefined): number {
  if (byte === undefined) return 1
  const index = BY_FREQUENCY.indexOf(String.fromCharCode(byte))
  return index === -1 ? 0.001 : 0.06 * 0.93 ** index
}
const BY_FREQUENCY = 'te nrsioa\\"cldpum:g,h/f.-0y1b2k_()vw5{=}64S3T7C98xREIDPAUFNMBLHWO'
