import { isAscii } from 'node:buffer'
import { closeSync, openSync, read } from 'node:fs'
import { sessionUnreadable } from '../errors/session.ts'
import type { ReadOptions } from '../types/session.ts'
import { type Fields, fieldsOf } from './fields.ts'
import { isPacked, unpackFile } from './packed-file.ts'

/** Read size in bytes; 256 KB to 4 MB measured equal. Two are held. */
const BLOCK = 1 << 19
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

/** Nothing but white space: asked for thousands of such lines a parser takes a second to refuse them. */
export const isBlank = ({ bytes }: Line): boolean =>
  bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d))

/** What is ASCII, as most lines are, takes a third of the time when it is not looked at for anything else. */
export const decoded = (bytes: Buffer): string => bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')

/** The record of a line, empty when its JSON is no object; null for a blank line, and for one of which `onSkip` is told. */
export function parseLine(
  line: Line,
  { onSkip }: Pick<ReadOptions, 'onSkip'>,
  text = decoded(line.bytes),
): Fields | null {
  if (isBlank(line)) return null
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    onSkip?.(line.torn ? 'torn' : 'not-json')
    return null
  }
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
 * Reads a file in blocks of whole lines with flat memory: two buffers in turn, so that the next block is on its way while
 * one is looked at; a larger one for a longer line. Throws `sessionUnreadable` when the file cannot be opened or read;
 * rejects with the signal's reason on abort.
 */
export async function* readBlocks(path: string, options: Part = {}): AsyncGenerator<Block> {
  if (isPacked(path)) {
    yield* blocksOf(unpackFile(path), path, options)
    return
  }
  const end = options.end ?? Number.POSITIVE_INFINITY
  const file = openFile(path)
  let offset = options.start ?? 0
  let position = offset
  /** How many bytes came, or what went wrong: told when it is this block's turn. */
  const fill = (buffer: Buffer, from: number): Promise<number | Error> =>
    new Promise((resolve) => {
      const room = Math.min(buffer.length - from, end - position)
      if (room <= 0) resolve(0)
      else
        read(file, buffer, from, room, position, (cause, came) =>
          resolve(cause === null ? came : sessionUnreadable(path, cause)),
        )
    })
  let buffer: Buffer = Buffer.allocUnsafe(BLOCK)
  let spare: Buffer | null = null
  let held = 0
  let coming = fill(buffer, 0)
  try {
    for (;;) {
      options.signal?.throwIfAborted()
      const came = await coming
      if (came instanceof Error) throw came
      if (came === 0) break
      position += came
      const filled = held + came
      const whole = held + buffer.subarray(held, filled).lastIndexOf(NEWLINE) + 1
      const current = buffer
      if (whole === held) {
        held = filled
        if (held === buffer.length) {
          buffer = Buffer.allocUnsafe(held * 2)
          current.copy(buffer, 0, 0, held)
        }
        coming = fill(buffer, held)
        continue
      }
      held = filled - whole
      buffer =
        spare !== null && spare.length > 2 * held ? spare : Buffer.allocUnsafe(Math.max(BLOCK, 2 * held))
      // One made for a long line is not kept.
      spare = current.length > BLOCK ? null : current
      current.copy(buffer, 0, whole, filled)
      coming = fill(buffer, held)
      // Whole lines only, so that a value is never seen in halves.
      const bytes = current.subarray(0, whole)
      options.onRaw?.(bytes, { path, offset })
      yield { bytes, offset, torn: false }
      offset += whole
    }
    if (held > 0) {
      const bytes = buffer.subarray(0, held)
      options.onRaw?.(bytes, { path, offset })
      yield { bytes, offset, torn: true }
    }
  } finally {
    await coming
    closeSync(file)
  }
}

/** The same of a file that was unpacked. */
function* blocksOf(all: Buffer, path: string, { signal, onRaw, start = 0, end }: Part): Generator<Block> {
  const bytes = all.subarray(0, end)
  for (let offset = start; offset < bytes.length; ) {
    signal?.throwIfAborted()
    const stop = bytes.indexOf(NEWLINE, offset + BLOCK) + 1 || bytes.lastIndexOf(NEWLINE) + 1
    const torn = stop <= offset
    const block = bytes.subarray(offset, torn ? undefined : stop)
    onRaw?.(block, { path, offset })
    yield { bytes: block, offset, torn }
    offset += block.length
  }
}

function openFile(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (cause) {
    throw sessionUnreadable(path, cause)
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
