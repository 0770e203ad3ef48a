/** An ASCII text to look for, of `LEAST_MARK` characters at least; `fold`: upper and lower case count as the same. */
export interface Mark {
  text: string
  fold: boolean
}

/** Characters of a mark that are looked up at once. */
export const LEAST_MARK = 3
const HEADS = 1 << 15

/**
 * Reports every mark at each of its places. One pass over the text for all of them, by a table of their first three characters, either case:
 * a pass for each takes ten times as long, a regular expression of them all three times.
 */
export function createMarkFinder<T extends Mark>(
  marks: readonly T[],
): (text: string, report: (mark: T, at: number) => void) => void {
  const heads: (T[] | undefined)[] = new Array(HEADS)
  for (const mark of marks) {
    const at = headOf(mark.text.charCodeAt(0), mark.text.charCodeAt(1), mark.text.charCodeAt(2))
    heads[at] = [...(heads[at] ?? []), mark]
  }
  return (text, report) => {
    let [first, second] = [text.charCodeAt(0), text.charCodeAt(1)]
    for (let end = LEAST_MARK - 1; end < text.length; end++) {
      const third = text.charCodeAt(end)
      const at = end - LEAST_MARK + 1
      for (const mark of heads[headOf(first, second, third)] ?? NONE)
        if (isAt(text, mark, at)) report(mark, at)
      first = second
      second = third
    }
  }
}

const NONE: readonly never[] = []

/** The bit in which a small letter differs from a capital one. */
const SMALL = 0x20
const headOf = (first: number, second: number, third: number): number =>
  (((first | SMALL) << 10) ^ ((second | SMALL) << 5) ^ (third | SMALL)) & (HEADS - 1)

const isAt = (text: string, mark: Mark, at: number): boolean =>
  mark.fold
    ? text.slice(at, at + mark.text.length).toLowerCase() === mark.text
    : text.startsWith(mark.text, at)
