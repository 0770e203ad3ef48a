/** The offset where the line of `offset` begins. */
export const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1

/** The offset behind the line of `offset`; that itself when a line begins there. */
export function lineEnd(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === '\n') return offset
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end + 1
}

/** Lines moved to the right. */
export const atColumn = (lines: string, column: number): string[] =>
  lines
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : ' '.repeat(column) + line))

/** Puts whole lines in at the start of a line or at the end of the text; a last line that is not ended stays so. */
export function insertLines(text: string, at: number, lines: readonly string[], eol: string): string {
  const put = lines.join(eol)
  const isOpen = at === text.length && text !== '' && !text.endsWith('\n')
  return text.slice(0, at) + (isOpen ? eol + put : put + eol) + text.slice(at)
}
