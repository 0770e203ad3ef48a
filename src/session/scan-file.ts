import { readSync } from 'node:fs'
import { createRawFinder, type RawFinds } from '../secrets/raw.ts'

const BLOCK = 1 << 19
const NEWLINE = 10

/** What the whole lines among the first `end` bytes of an open file hold, read in blocks; a longer line takes a larger one. */
export function scanFile(fd: number, end: number): RawFinds {
  const { onRaw, finds } = createRawFinder()
  let buffer = Buffer.allocUnsafe(BLOCK)
  let held = 0
  for (let position = 0; position < end; ) {
    if (held === buffer.length) buffer = Buffer.concat([buffer], 2 * held)
    const came = readSync(fd, buffer, held, Math.min(buffer.length - held, end - position), position)
    if (came === 0) break
    position += came
    const filled = held + came
    const whole = held + buffer.subarray(held, filled).lastIndexOf(NEWLINE) + 1
    if (whole === held) {
      held = filled
      continue
    }
    onRaw(buffer.subarray(0, whole))
    buffer.copy(buffer, 0, whole, filled)
    held = filled - whole
  }
  return finds
}
