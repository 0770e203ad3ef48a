import { readFileSync } from 'node:fs'
import * as zlib from 'node:zlib'
import { sessionPacked, sessionUnreadable } from '../errors/session.ts'

/** Codex packs a rollout that was not touched for seven days. */
export const isPacked = (path: string): boolean => path.endsWith('.jsonl.zst')

type Unpack = (bytes: Buffer, options: { maxOutputLength?: number; finishFlush?: number }) => Buffer

/** Since Node 22.15. */
const unpacker = (): Unpack | undefined => (zlib as { zstdDecompressSync?: Unpack }).zstdDecompressSync
/** `ZSTD_e_continue`: what is missing at the end is no error. */
const CUT = 0

export const canUnpack = (): boolean => unpacker() !== undefined

/** Bytes of the largest session that is unpacked, since it is held in memory. */
const MAX_BYTES = 1 << 30
/** Packed bytes that hold a block, from which nothing comes until it is whole. */
const PACKED_BLOCK = 160 * 1024

/** All of a packed file. Throws `sessionPacked` where this Node cannot do that, and `sessionUnreadable`. */
export const unpackFile = (path: string): Buffer => unpack(path, () => readFileSync(path))

/** The first `size` bytes of a packed file, of which `read` gives the first, or all of a shorter one; the same errors. */
export const unpackStart = (path: string, read: (size: number) => Buffer, size: number): Buffer =>
  unpack(path, () => read(size + PACKED_BLOCK), { finishFlush: CUT }).subarray(0, size)

/** What `read` gives, which stands at `path`; the same errors. */
export function unpack(
  path: string,
  read: () => Buffer,
  options: Parameters<Unpack>[1] = { maxOutputLength: MAX_BYTES },
): Buffer {
  const decompress = unpacker()
  if (decompress === undefined) throw sessionPacked(path, process.version)
  try {
    const bytes = decompress(read(), options)
    if (bytes.length === 0) throw new Error('the packed file ends too early')
    return bytes
  } catch (cause) {
    throw sessionUnreadable(path, cause)
  }
}
