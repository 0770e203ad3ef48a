import fastStringWidth from 'fast-string-width'

/**
 * Cells a terminal gives a text: two for East Asian wide characters and for emoji, none for marks that stand on the character before and
 * for what is joined to an emoji.
 */
export const cells = (text: string): number => fastStringWidth(text)

/** The beginning of a line that takes at most `width` cells; what is cut off is replaced by `end`. */
export function clipCells(line: string, width: number, end: string): string {
  if (cells(line) <= width) return line
  const room = width - cells(end)
  let kept = ''
  for (const char of line) {
    if (cells(kept + char) > room) break
    kept += char
  }
  return `${kept.trimEnd()}${end}`
}

/** The width of the person's terminal as its shell tells it; 80 when it does not. */
export const widthOf = (env: Readonly<Record<string, string | undefined>>): number => {
  const told = Number(env.COLUMNS)
  return Number.isInteger(told) && told > 0 ? told : 80
}
