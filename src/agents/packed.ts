import { readFileSync } from 'node:fs'
import * as zlib from 'node:zlib'
import { sessionPacked, sessionUnreadable } from '../errors/session.ts'

/** Codex packs a rollout that was not touched for seven days. */
export const isPacked = (path: string): boolean => path.endsWith('.jsonl.zst')

type Unpack = (bytes: Buffer, options: { maxOutputLength?: number; finishFlush?: number }) => Buffer

/** Since Node 22.15. */
const { zstdDecompressSync: decompress } = zlib as { zstdDecompressSync?: Unpack }
/** `ZSTD_e_continue`: what is missing at the end is no error. */
const CUT = 0

export const canUnpack = decompress !== undefined

/** Bytes of the largest session that is unpacked, since it is held in memory. */
const MAX_BYTES = 1 << 30
/** Packed bytes that hold a block, from which nothing comes until it is whole. */
const PACKED_BLOCK = 160 * 1024

/** All of a packed file. Throws `sessionPacked` where this Node cannot do that, and `sessionUnreadable`. */
export function unpackFile(path: string): Buffer {
  if (decompress === undefined) throw sessionPacked(path, process.version)
  try {
    return decompress(readFileSync(path), { maxOutputLength: MAX_BYTES })
  } catch (cause) {
    throw sessionUnreadable(path, cause)
  }
}

/** The first `size` bytes of a packed file, of which `read` gives the first, or all of a shorter one; the same errors. */
export function unpackStart(path: string, read: (size: number) => Buffer, size: number): Buffer {
  if (decompress === undefined) throw sessionPacked(path, process.version)
  try {
    const start = decompress(read(size + PACKED_BLOCK), { finishFlush: CUT })
    if (start.length === 0) throw new Error('the packed file ends too early')
    return start.subarray(0, size)
  } catch (cause) {
    throw sessionUnreadable(path, cause)
  }
}
