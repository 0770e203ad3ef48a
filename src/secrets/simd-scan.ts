/**
 * Looks at every byte of a block with vectors of 16, in WebAssembly: several times as fast as compiled JavaScript, and
 * from the first byte on, for it needs no warming up. Which bytes may begin something is told by tables of nibbles (the
 * `Teddy` of Hyperscan): each of 8 bits stands for a group of things that are looked for, and stays set where the low and
 * the high half of each of 4 bytes fit the group. Where a bit stays, a table of pairs must have it for both pairs of bytes.
 */
export interface ScanTables {
  /** For each of 4 bytes 16 entries for its low half and 16 for its high half. */
  nibbles: Uint8Array
  /** For bytes 0 and 1, and for 2 and 3, an entry for each pair, the first byte lowest. */
  first: Uint8Array
  second: Uint8Array
}

/** Tells every place of a block whose 4 bytes fit, in order. */
export type Scan = (block: Uint8Array, report: (at: number) => void) => void

const WIDTH = 4
/** Bytes that are looked at in one go; they stay in the fast memory of the processor. */
const CHUNK = 1 << 15
/** First addresses: of the two tables of pairs, of the places found, of the bytes. The nibbles stand at 0. */
const PAIRS = [1 << 16, 2 << 16] as const
const FOUND = 3 << 16
const BYTES = FOUND + 4 * CHUNK
const PAGES = 6

/** Null where the processor has no vectors, or the program may not run WebAssembly. */
export function createScan({ nibbles, first, second }: ScanTables): Scan | null {
  const program = instance(moduleBytes())
  if (program === null) return null
  const { m, s: scan } = program
  const memory = new Uint8Array(m.buffer)
  const found = new Int32Array(m.buffer, FOUND, CHUNK)
  memory.set(nibbles)
  memory.set(first, PAIRS[0])
  memory.set(second, PAIRS[1])
  return (block, report) => {
    for (let from = 0; from < block.length; from += CHUNK) {
      const bytes = block.subarray(from, from + CHUNK + WIDTH)
      memory.set(bytes, BYTES)
      // What was left there by the block before is not looked at.
      memory.fill(0, BYTES + bytes.length, BYTES + bytes.length + WIDTH + 16)
      const count = scan(Math.min(CHUNK, bytes.length)) >> 2
      for (let i = 0; i < count; i++) report(from + (found[i] as number))
    }
  }
}

interface Program {
  m: { buffer: ArrayBuffer }
  s(end: number): number
}

/** The part of the standard that is used; Node's types leave it out. */
interface Wasm {
  validate(code: Uint8Array): boolean
  Module: new (code: Uint8Array) => object
  Instance: new (module: object) => { exports: Program }
}

function instance(code: Uint8Array): Program | null {
  const wasm = (globalThis as { WebAssembly?: Wasm }).WebAssembly
  if (wasm === undefined || !wasm.validate(code)) return null
  try {
    return new wasm.Instance(new wasm.Module(code)).exports
  } catch {
    // Where address space is limited there is no room for its memory; the tables find the same.
    return null
  }
}

/** A number as the format writes it, seven bits a byte; `constant` writes it with a sign, in three. */
const number = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >>> 7)]
const section = (id: number, ...content: number[]): number[] => [id, ...number(content.length), ...content]

const [I32, V128] = [0x7f, 0x7b]
const [LOOP, IF, END, BRANCH_IF] = [[0x03, 0x40], [0x04, 0x40], [0x0b], [0x0d, 0]]
const get = (local: number): number[] => [0x20, local]
const set = (local: number): number[] => [0x21, local]
const tee = (local: number): number[] => [0x22, local]
const constant = (value: number): number[] => [
  0x41,
  ...[(value & 0x7f) | 0x80, ((value >> 7) & 0x7f) | 0x80, (value >> 14) & 0x7f],
]
const [ADD, SUBTRACT, AND, BELOW, TRAILING_ZEROS] = [[0x6a], [0x6b], [0x71], [0x48], [0x68]]
const loadByte = (offset: number): number[] => [0x2d, 0, ...number(offset)]
const loadPair = (offset: number): number[] => [0x2f, 0, ...number(offset)]
const store = (offset: number): number[] => [0x36, 2, ...number(offset)]
const vector = (operation: number, ...rest: number[]): number[] => [0xfd, operation, ...rest]
const loadVector = (offset: number): number[] => vector(0x00, 0, ...number(offset))
const all = (byte: number): number[] => vector(0x0c, ...Array.from({ length: 16 }, () => byte))
const [SWIZZLE, DIFFERS, BOTH, ANY_SET, BITMASK, SHIFT_RIGHT] = [0x0e, 0x24, 0x4e, 0x53, 0x64, 0x6d].map(
  (code) => vector(code),
) as [number[], number[], number[], number[], number[], number[]]

/** `end` is the parameter; then the place of 16 bytes, where to write, a bit for each byte that fits, a byte's place. */
const LOCAL = { end: 0, at: 1, write: 2, bits: 3, place: 4, result: 5, nibbles: 6 }

/** The module: it exports the memory `m` and `s(end)`, which writes every place below `end` that fits, and how many bytes. */
function moduleBytes(): Uint8Array {
  const bytes = Array.from({ length: WIDTH }, (_, byte) => byte)
  const fits = (byte: number): number[] => [
    ...[
      ...get(LOCAL.nibbles + 2 * byte),
      ...get(LOCAL.at),
      ...loadVector(BYTES + byte),
      ...all(0x0f),
      ...BOTH,
      ...SWIZZLE,
    ],
    ...[...get(LOCAL.nibbles + 2 * byte + 1), ...get(LOCAL.at), ...loadVector(BYTES + byte)],
    ...[...constant(4), ...SHIFT_RIGHT, ...SWIZZLE, ...BOTH],
  ]
  const hasPairs = [
    ...[...get(LOCAL.place), ...loadPair(BYTES), ...loadByte(PAIRS[0])],
    ...[...get(LOCAL.place), ...loadPair(BYTES + 2), ...loadByte(PAIRS[1]), ...AND],
  ]
  const write = [
    ...[...get(LOCAL.write), ...get(LOCAL.place), ...store(FOUND)],
    ...[...get(LOCAL.write), ...constant(4), ...ADD, ...set(LOCAL.write)],
  ]
  const eachBit = [
    ...[...get(LOCAL.bits), ...TRAILING_ZEROS, ...get(LOCAL.at), ...ADD, ...set(LOCAL.place)],
    ...[...hasPairs, ...IF, ...write, ...END],
    // Without its lowest bit.
    ...[
      ...get(LOCAL.bits),
      ...get(LOCAL.bits),
      ...constant(1),
      ...SUBTRACT,
      ...AND,
      ...tee(LOCAL.bits),
      ...BRANCH_IF,
    ],
  ]
  const body = [
    ...[3, 4, I32, 1, V128, ...number(2 * WIDTH), V128],
    ...bytes.flatMap((byte) =>
      [2 * byte, 2 * byte + 1].flatMap((i) => [
        ...constant(0),
        ...loadVector(16 * i),
        ...set(LOCAL.nibbles + i),
      ]),
    ),
    ...LOOP,
    ...bytes.flatMap((byte) => (byte === 0 ? fits(byte) : [...fits(byte), ...BOTH])),
    ...[...tee(LOCAL.result), ...ANY_SET, ...IF],
    ...[...get(LOCAL.result), ...all(0), ...DIFFERS, ...BITMASK, ...set(LOCAL.bits)],
    ...[...LOOP, ...eachBit, ...END, ...END],
    ...[
      ...get(LOCAL.at),
      ...constant(16),
      ...ADD,
      ...tee(LOCAL.at),
      ...get(LOCAL.end),
      ...BELOW,
      ...BRANCH_IF,
      ...END,
    ],
    ...[...get(LOCAL.write), ...END],
  ]
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 1, I32, 1, I32),
    ...section(3, 1, 0),
    ...section(5, 1, 0, PAGES),
    ...section(7, 2, 1, 0x6d, 2, 0, 1, 0x73, 0, 0),
    ...section(10, 1, ...number(body.length), ...body),
  ])
}
