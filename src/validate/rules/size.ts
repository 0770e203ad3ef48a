import type { Problem, TextSubject } from '../rule.ts'

/** Bytes of a brief that any parser gets to see. */
const MAX_BYTES = 64 * 1024

/** At most 64 KB; a larger text is not read at all. */
export const size = {
  id: 'size',
  level: 'always',
  over: 'text',
  about: 'A brief has at most 64 KB.',
  check({ text }: TextSubject): Problem[] {
    const bytes = Buffer.byteLength(text)
    return bytes > MAX_BYTES ? [{ line: 1, message: `${bytes} bytes; a brief has at most ${MAX_BYTES}` }] : []
  },
} as const
