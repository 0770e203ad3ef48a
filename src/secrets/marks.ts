/** An ASCII text to look for, of `LEAST_MARK` characters at least; `fold`: upper and lower case count as the same. */
export interface Mark {
  text: string
  fold: boolean
}

/** Characters of a mark that are looked up at once. */
export const LEAST_MARK = 3
const HEADS = 1 << 15
/** The bit in which a small letter differs from a capital one. */
const SMALL = 0x20

/**
 * Reports every mark that begins at a place from `from` to before `to`. One pass over the bytes for all of them, by a table of their
 * first three characters, either case: a pass for each takes ten times as long, a regular expression of them all three times.
 */
export function createMarkFinder<T extends Mark>(
  marks: readonly T[],
): (bytes: Uint8Array, report: (mark: T, at: number) => void, from?: number, to?: number) => void {
  const marksOf = new Map<number, T[]>()
  const heads = new Uint8Array(HEADS)
  for (const mark of marks) {
    const head = [...mark.text.slice(0, LEAST_MARK)].reduce((hash, one) => next(hash, one.charCodeAt(0)), 0)
    marksOf.set(head, [...(marksOf.get(head) ?? []), mark])
    heads[head] = 1
  }
  return (bytes, report, from = 0, to = bytes.length) => {
    const tell = (head: number, at: number) => {
      if (at < from || at >= to) return
      for (const mark of marksOf.get(head) ?? []) if (isAt(bytes, mark, at)) report(mark, at)
    }
    const end = Math.min(bytes.length, to + LEAST_MARK - 1)
    let head = 0
    let at = from
    // Two places at a time take two thirds of the time.
    for (; at < end - 1; at += 2) {
      const before = ((head << 5) ^ ((bytes[at] as number) | SMALL)) & (HEADS - 1)
      head = ((before << 5) ^ ((bytes[at + 1] as number) | SMALL)) & (HEADS - 1)
      if (((heads[before] as number) | (heads[head] as number)) === 0) continue
      if (heads[before] === 1) tell(before, at - LEAST_MARK + 1)
      if (heads[head] === 1) tell(head, at - LEAST_MARK + 2)
    }
    if (at < end) tell(next(head, bytes[at] as number), at - LEAST_MARK + 1)
  }
}

/** A number for the last three characters: the bits of those before are shifted out. */
const next = (head: number, character: number): number => ((head << 5) ^ (character | SMALL)) & (HEADS - 1)

function isAt(bytes: Uint8Array, { text, fold }: Mark, at: number): boolean {
  for (let i = 0; i < text.length; i++) {
    const byte = bytes[at + i] as number
    const wanted = text.charCodeAt(i)
    if (byte !== wanted && !(fold && byte >= 0x41 && byte <= 0x5a && (byte | SMALL) === wanted)) return false
  }
  return true
}
