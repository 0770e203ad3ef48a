/** Where a mark of a request begins and ends in a text, with what else stands on its line. */
interface Mark {
  isOpening: boolean
  /** Nothing else stands on its line. */
  isAlone: boolean
  /** It is the first or the last on its line. */
  isAtEdge: boolean
  from: number
  to: number
}

/** In the order in which they stand there. */
function marksOf(id: string, text: string): Mark[] {
  const mark = new RegExp(`(?:(^[ \\t]*)|)<(/?)reply-${id}>(?:([ \\t]*$)|)`, 'gm')
  return [...text.matchAll(mark)].map(({ 0: whole, 1: before, 2: slash, 3: after, index }) => ({
    isOpening: slash === '',
    isAlone: before !== undefined && after !== undefined,
    isAtEdge: before !== undefined || after !== undefined,
    from: index,
    to: index + whole.length,
  }))
}

/** What stands last between an opening and the end that follows it; null where nothing does. */
function lastBetween(marks: readonly Mark[], text: string): string | null {
  for (let i = marks.length - 1; i > 0; i--) {
    const [opening, end] = [marks[i - 1], marks[i]]
    if (!opening?.isOpening || end === undefined || end.isOpening) continue
    const said = text.slice(opening.to, end.from).trim()
    if (said !== '') return said
  }
  return null
}

/**
 * What stands between the marks of this request, the last time that something stands there: hooks of the person's own may make an
 * agent go on after its answer. An agent may speak of the marks as well, in a sentence or within the answer: those alone on their
 * lines come first, then those at an edge of their lines, and one whose end is missing goes on to the end of the text, or to the next
 * opening. All that it said where nothing is marked; whoever asked judges that anyway. Takes time that grows with the text alone.
 */
export function replyTo(id: string, text: string): string {
  const all = marksOf(id, text)
  if (all.length === 0) return text
  const alone = all.filter(({ isAlone }) => isAlone)
  const atEdge = all.filter(({ isAtEdge }) => isAtEdge)
  const begunAtEdge = all.filter(({ isOpening, isAtEdge }) => isAtEdge || !isOpening)
  return (
    lastBetween(alone, text) ??
    lastBetween(atEdge, text) ??
    lastBetween(begunAtEdge, text) ??
    lastBetween(withEnds(begunAtEdge, text), text) ??
    lastBetween(all, text) ??
    lastBetween(withEnds(all, text), text) ??
    withoutMarks(all, text)
  )
}

/** With an end for every opening that has none: the next opening, or the end of the text. */
const withEnds = (marks: readonly Mark[], text: string): Mark[] =>
  marks.flatMap((mark, i) => {
    const next = marks[i + 1]
    if (!mark.isOpening || next?.isOpening === false) return [mark]
    const at = next?.from ?? text.length
    return [mark, { isOpening: false, isAlone: false, isAtEdge: false, from: at, to: at }]
  })

const withoutMarks = (marks: readonly Mark[], text: string): string =>
  [...marks, { from: text.length }].map(({ from }, i) => text.slice(marks[i - 1]?.to ?? 0, from)).join('')
