/**
 * Cells a terminal gives a text: two for East Asian wide characters and for emoji (Unicode 16, UAX #11), none for marks that
 * stand on the character before and for what is joined to an emoji.
 */
export function cells(text: string): number {
  if (NARROW.test(text)) return text.length
  let sum = 0
  let isJoined = false
  let last = 0
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    const now = isJoined || isAttached(code, char) ? 0 : isWide(code) ? 2 : 1
    // A sign that this selector turns into an emoji is wide then.
    if (code === 0xfe0f && last === 1) sum++
    sum += now
    if (now > 0) last = now
    isJoined = code === 0x200d
  }
  return sum
}

/** Latin and signs below the first combining mark. */
const NARROW = /^[\x20-\x7e\xa0-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u259f]*$/

function isAttached(code: number, char: string): boolean {
  if (code < 0x300) return false
  if (code === 0x200d || (code >= 0xfe00 && code <= 0xfe0f)) return true
  // Skin tones.
  if (code >= 0x1f3fb && code <= 0x1f3ff) return true
  return /^\p{M}$/u.test(char) && !/^\p{Mc}$/u.test(char)
}

export const isWide = (code: number): boolean =>
  code >= 0x1100 && WIDE.some(([from, to]) => code >= from && code <= to)

const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x23e9, 0x23ec],
  [0x23f0, 0x23f0],
  [0x23f3, 0x23f3],
  [0x25fd, 0x25fe],
  [0x2614, 0x2615],
  [0x2648, 0x2653],
  [0x267f, 0x267f],
  [0x2693, 0x2693],
  [0x26a1, 0x26a1],
  [0x26aa, 0x26ab],
  [0x26bd, 0x26be],
  [0x26c4, 0x26c5],
  [0x26ce, 0x26ce],
  [0x26d4, 0x26d4],
  [0x26ea, 0x26ea],
  [0x26f2, 0x26f3],
  [0x26f5, 0x26f5],
  [0x26fa, 0x26fa],
  [0x26fd, 0x26fd],
  [0x2705, 0x2705],
  [0x270a, 0x270b],
  [0x2728, 0x2728],
  [0x274c, 0x274c],
  [0x274e, 0x274e],
  [0x2753, 0x2755],
  [0x2757, 0x2757],
  [0x2795, 0x2797],
  [0x27b0, 0x27b0],
  [0x27bf, 0x27bf],
  [0x2b1b, 0x2b1c],
  [0x2b50, 0x2b50],
  [0x2b55, 0x2b55],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x1f004, 0x1f004],
  [0x1f0cf, 0x1f0cf],
  [0x1f18e, 0x1f18e],
  [0x1f191, 0x1f19a],
  [0x1f200, 0x1f320],
  [0x1f32d, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f7e0, 0x1f7f0],
  [0x1f90c, 0x1faff],
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
