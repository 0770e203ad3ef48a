/** Columns of the screens of `doctor`, where there are as many. */
export const WIDTH = 80

/** Words in lines of at most `width` columns, each behind `indent`; a longer word stands alone. */
export function wrap(text: string, indent: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return line === '' ? lines : [...lines, indent + line]
}
