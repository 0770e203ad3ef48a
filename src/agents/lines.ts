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

/**
 * Reads a file as batches of lines with flat memory: one buffer, grown by doubling for a line that is longer.
 * Throws `sessionUnreadable` when the file cannot be opened or read; rejects with the signal's reason on abort.
 */
export async function* readLineBatches(
  path: string,
  options: Pick<ReadOptions, 'signal' | 'onRaw'> & { start?: number; end?: number } = {},
): AsyncGenerator<Line[]> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw sessionUnreadable(path, cause)
  })
  try {
    let buffer = Buffer.allocUnsafe(BLOCK)
    let held = 0
    let offset = options.start ?? 0
    let position = offset
    let index = 0
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
      const batch: Line[] = []
      let from = 0
      let stop = buffer.indexOf(NEWLINE, held)
      while (stop !== -1 && stop < filled) {
        batch.push({ bytes: buffer.subarray(from, stop), index: index++, offset: offset + from, torn: false })
        from = stop + 1
        stop = buffer.indexOf(NEWLINE, from)
      }
      if (from > 0) {
        // Whole lines only, so that a value is never seen in halves.
        options.onRaw?.(buffer.subarray(0, from))
        yield batch
        buffer.copyWithin(0, from, filled)
      }
      held = filled - from
      offset += from
    }
    if (held > 0) {
      const rest = buffer.subarray(0, held)
      options.onRaw?.(rest)
      yield [{ bytes: rest, index, offset, torn: true }]
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
