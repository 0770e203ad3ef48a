/** Parts of a message short enough to choose among: paragraphs, and groups of list items. Whitespace is folded. */
export function blocksOf(text: string, max: number): string[] {
  const blocks: string[] = []
  let open: string[] = []
  let size = 0
  let isFenced = false
  const close = (): void => {
    const block = open.join(' ').replace(/\s+/g, ' ').trim()
    if (/[\p{L}\p{N}]/u.test(block)) blocks.push(clipSentence(block, max))
    open = []
    size = 0
  }
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:```|~~~)/.test(line)) {
      isFenced = !isFenced
      close()
      continue
    }
    // Code and output are long and seldom what a successor asks for first.
    if (isFenced) continue
    if (line.trim() === '' || size + line.length > max || /^#{1,6}\s/.test(line)) close()
    const item = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/.test(line) && open.length > 0
    open.push(item ? `· ${line.replace(/^\s*[-*•]\s+/, '')}` : line.replace(/^\s*(?:[-*•]|#{1,6})\s+/, ''))
    size += line.length
  }
  close()
  return blocks
}

/** Whole sentences up to `max` UTF-16 units, else whole words. */
export function clipSentence(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length <= max) return line
  const head = line.slice(0, max)
  const sentence = Math.max(...['. ', '! ', '? ', '。', '！', '？'].map((mark) => head.lastIndexOf(mark)))
  const end = sentence > max / 2 ? sentence + 1 : head.lastIndexOf(' ')
  return `${head.slice(0, end > 0 ? end : max)} […]`
}
