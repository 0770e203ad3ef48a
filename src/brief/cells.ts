/** Cells a terminal gives a text: two for East Asian wide characters and pictographs (Unicode 16, UAX #11, in blocks). */
export const cells = (text: string): number =>
  [...text].reduce((sum, char) => {
    const code = char.codePointAt(0) ?? 0
    return sum + (WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1)
  }, 0)

const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
]

/** The beginning of a line that takes at most `width` cells; what is cut off is replaced by `end`. */
export function clipCells(line: string, width: number, end: string): string {
  if (cells(line) <= width) return line
  const chars = [...line]
  let used = cells(end)
  let kept = 0
  for (; kept < chars.length; kept++) {
    used += cells(chars[kept] ?? '')
    if (used > width) break
  }
  return `${chars.slice(0, kept).join('').trimEnd()}${end}`
}
