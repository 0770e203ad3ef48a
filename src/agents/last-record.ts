import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { type Fields, recordOf } from './fields.ts'

/** Bytes read at once, and at most, from the end of a file: what is asked for is among the last few records. */
const BLOCK = 256 * 1024
const MOST = 4 * 1024 * 1024

/**
 * What `pick` makes of the last record it wants, read backwards from the end of a file of JSON lines. `mark` stands in every line
 * it could want, so that most lines are never parsed. Null when there is none, or no such file; a torn line is passed over.
 */
export async function lastRecord<T>(
  path: string,
  mark: string,
  pick: (record: Fields) => T | null,
): Promise<T | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      // A session whose agent has not written yet.
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
      throw error
    },
  )
  if (file === null) return null
  try {
    const stat = await file.stat()
    // Nothing to wait for: a pipe has no end to read from.
    const size = stat.isFile() ? stat.size : 0
    let rest: Buffer = Buffer.alloc(0)
    for (let end = size; end > Math.max(0, size - MOST); ) {
      const start = Math.max(0, end - BLOCK)
      const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
      const block = Buffer.concat([buffer.subarray(0, bytesRead), rest])
      // The first line may have begun before this block.
      const from = start === 0 ? 0 : block.indexOf('\n') + 1
      const lines = block.toString('utf8', from).split('\n')
      for (const line of lines.reverse()) {
        const found = line.includes(mark) ? pick(recordOf(line)) : null
        if (found !== null) return found
      }
      rest = from === 0 && start > 0 ? block : block.subarray(0, from)
      end = start
    }
    return null
  } finally {
    await file.close()
  }
}
