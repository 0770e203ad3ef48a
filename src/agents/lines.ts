import { open } from 'node:fs/promises'
import { sessionUnreadable } from '../errors.ts'
import type { ReadOptions } from '../types.ts'

/** Read size in bytes; 256 KB to 4 MB measured equal, 1 MB keeps memory flat. */
const BLOCK = 1 << 20
const NEWLINE = 10

/** One physical line without its newline. `bytes` is valid until the next batch is asked for. */
export interface Line {
  bytes: Buffer
  /** 0-based number of the line. */
  index: number
  /** Byte offset of its first byte in the file. */
  offset: number
  /** The file ended before its newline: a writer may be in the middle of it. */
  torn: boolean
}

type Part = Pick<ReadOptions, 'signal' | 'onRaw'> & { start?: number; end?: number }

/** Reads a file as batches of lines; see `readBlocks`. */
export async function* readLineBatches(path: string, options: Part = {}): AsyncGenerator<Line[]> {
  let index = 0
  for await (const { bytes, offset, torn } of readBlocks(path, options)) {
    const batch: Line[] = []
    let from = 0
    for (let stop = bytes.indexOf(NEWLINE); stop !== -1; stop = bytes.indexOf(NEWLINE, from)) {
      batch.push({ bytes: bytes.subarray(from, stop), index: index++, offset: offset + from, torn: false })
      from = stop + 1
    }
    if (torn) batch.push({ bytes, index, offset, torn })
    yield batch
  }
}

/** Whole lines with their newlines, or, `torn`, what stands behind the last newline of the file. */
export interface Block {
  /** Valid until the next block is asked for. */
  bytes: Buffer
  /** Byte offset of its first byte in the file. */
  offset: number
  torn: boolean
}

/**
 * Reads a file in blocks of whole lines with flat memory: one buffer, grown by doubling for a line that is longer.
 * Throws `sessionUnreadable` when the file cannot be opened or read; rejects with the signal's reason on abort.
 */
export async function* readBlocks(path: string, options: Part = {}): AsyncGenerator<Block> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw sessionUnreadable(path, cause)
  })
  try {
    let buffer = Buffer.allocUnsafe(BLOCK)
    let held = 0
    let offset = options.start ?? 0
    let position = offset
    for (;;) {
      options.signal?.throwIfAborted()
      if (held === buffer.length) {
        const grown = Buffer.allocUnsafe(buffer.length * 2)
        buffer.copy(grown, 0, 0, held)
        buffer = grown
      }
      const room = Math.min(buffer.length - held, (options.end ?? Number.POSITIVE_INFINITY) - position)
      const { bytesRead } =
        room > 0
          ? await file.read(buffer, held, room, position).catch((cause: unknown) => {
              throw sessionUnreadable(path, cause)
            })
          : { bytesRead: 0 }
      if (bytesRead === 0) break
      const filled = held + bytesRead
      position += bytesRead
      const whole = held + buffer.subarray(held, filled).lastIndexOf(NEWLINE) + 1
      if (whole > held) {
        // Whole lines only, so that a value is never seen in halves.
        const bytes = buffer.subarray(0, whole)
        options.onRaw?.(bytes)
        yield { bytes, offset, torn: false }
        buffer.copyWithin(0, whole, filled)
        held = filled - whole
        offset += whole
      } else held = filled
    }
    if (held > 0) {
      const bytes = buffer.subarray(0, held)
      options.onRaw?.(bytes)
      yield { bytes, offset, torn: true }
    }
  } finally {
    await file.close()
  }
}

/** Longest result text an event carries, in characters. */
const CLIP = 4000

/** Cuts a text at line boundaries to head and tail, so that no value is cut in two; says how much is missing. */
export function clip(text: string, max = CLIP): string {
  if (text.length <= max) return text
  const half = Math.floor(max / 2)
  const headEnd = text.lastIndexOf('\n', half)
  const tailStart = text.indexOf('\n', text.length - half)
  const head = headEnd > 0 ? text.slice(0, headEnd) : ''
  const tail = tailStart !== -1 ? text.slice(tailStart + 1) : ''
  const kept = head.length + tail.length
  return `${head}\n[… ${text.length - kept} characters left out …]\n${tail}`
}
