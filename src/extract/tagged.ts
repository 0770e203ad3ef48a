/**
 * The text with each block, from what `opening` finds to the next `closing` of the same name, replaced by a line break. The
 * first group of both patterns is the name. In linear time: a pattern with `[\s\S]*?` would look through the rest from each tag
 * that nothing closes.
 */
export function withoutBlocks(text: string, opening: RegExp, closing: RegExp): string {
  const ends = new Map<string, RegExpExecArray[]>()
  for (const end of [...text.matchAll(closing)].reverse()) {
    const name = end[1] ?? ''
    const held = ends.get(name)
    if (held === undefined) ends.set(name, [end])
    else held.push(end)
  }
  if (ends.size === 0) return text
  let kept = ''
  let from = 0
  for (const start of text.matchAll(opening)) {
    if (start.index < from) continue
    const waiting = ends.get(start[1] ?? '') ?? []
    const inside = start.index + start[0].length
    while ((waiting.at(-1)?.index ?? inside) < inside) waiting.pop()
    const end = waiting.at(-1)
    if (end === undefined) continue
    kept += `${text.slice(from, start.index)}\n`
    from = end.index + end[0].length
  }
  return kept + text.slice(from)
}
